package report

import (
	"fmt"
	"strconv"

	"makechain/internal/term"
)

const (
	// keptUp is how much of what was due must have committed for a load to be borne: blocks make the ends of a window
	// uncertain.
	keptUp = 0.97
	// patience is how long, in milliseconds, 99 of 100 messages may take then.
	patience = 2_000
)

// Sustained says whether nodes bore a load: they kept up, in time, and refused nothing.
func (r *Result) Sustained() bool {
	return r.CommittedPerSecond >= keptUp*r.OfferedPerSecond && r.CommittedMS.P99 < patience && r.Unsettled == 0 && len(r.Refused) == 0
}

// Sweep is the same load at rising rates.
type Sweep struct {
	// SaturationPerSecond is what committed at the highest rate that was borne, 0 when none was.
	SaturationPerSecond float64   `json:"saturation_per_second"`
	Free                *Result   `json:"free"` // without a rate
	Steps               []*Result `json:"steps"`
}

// NewSweep finds the saturation point of a load at several rates.
func NewSweep(free *Result, steps []*Result) *Sweep {
	s := &Sweep{Free: free, Steps: steps}
	for _, step := range steps {
		if step.Sustained() {
			s.SaturationPerSecond = max(s.SaturationPerSecond, step.CommittedPerSecond)
		}
	}
	return s
}

// Print prints a sweep for people.
func (s *Sweep) Print(p *term.Printer) {
	p.Facts(s.facts()...)
	steps := s.table()
	steps.print(p)
}

func (s *Sweep) facts() []term.Fact {
	return []term.Fact{
		{Label: "load", Value: s.Free.Parameters.describe()},
		{Label: "saturation", Value: fmt.Sprintf("%.0f messages/s", s.SaturationPerSecond)},
		{Label: "as fast as it goes", Value: fmt.Sprintf("%.0f messages/s, p99 %.0f ms", s.Free.CommittedPerSecond, s.Free.CommittedMS.P99)},
	}
}

func (s *Sweep) table() table {
	t := table{header: []string{offeredPerSecond, committedPerSecond, "p50 ms", "p99 ms", "max ms", "node µs", "borne", refusedWord}}
	for _, step := range s.Steps {
		t.rows = append(t.rows, []string{
			whole(step.OfferedPerSecond), whole(step.CommittedPerSecond), number(step.CommittedMS.P50), number(step.CommittedMS.P99),
			number(step.CommittedMS.Max), number(1e6 * step.NodeCPUSecondsPerMessage), yesNo(step.Sustained()), step.refusals(),
		})
	}
	return t
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Growth is the same load on states of several sizes.
type Growth struct {
	Steps []*Result `json:"steps"`
	// Ratios compare what committed with the first step.
	Ratios []float64 `json:"ratios"`
}

// NewGrowth compares the steps.
func NewGrowth(steps []*Result) *Growth {
	g := &Growth{Steps: steps}
	for _, step := range steps {
		g.Ratios = append(g.Ratios, share(step.CommittedPerSecond, steps[0].CommittedPerSecond))
	}
	return g
}

// Print prints a growth for people.
func (g *Growth) Print(p *term.Printer) {
	steps := g.table()
	steps.print(p)
}

func (g *Growth) table() table {
	t := table{header: []string{"rows at first", "rows at the end", committedPerSecond, "of the first", "p99 ms", "node µs", "resident", refusedWord}}
	for i, step := range g.Steps {
		t.rows = append(t.rows, []string{
			strconv.FormatUint(step.Parameters.Rows, 10), strconv.FormatUint(step.StateRows, 10),
			whole(step.CommittedPerSecond), hundredths(g.Ratios[i]), number(step.CommittedMS.P99),
			number(1e6 * step.NodeCPUSecondsPerMessage), bytesText(step.RSSBytes), step.refusals(),
		})
	}
	return t
}

// share is zero where there is nothing to compare with.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
