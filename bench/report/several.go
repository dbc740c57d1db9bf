package report

import (
	"fmt"
	"strconv"

	"makechain/internal/term"
)

const (
	// sustainedShare is the share of the offered rate that must commit. It is below 1 because blocks do not start and end
	// with the window.
	sustainedShare = 0.97
	// maxP99 is the maximum p99 latency in milliseconds.
	maxP99 = 2_000
)

// Sustained reports whether nodes kept up with a load, in time and without refusals.
func (r *Result) Sustained() bool {
	return r.CommittedPerSecond >= sustainedShare*r.OfferedPerSecond && r.CommittedMS.P99 < maxP99 && r.Unsettled == 0 && len(r.Refused) == 0
}

// Sweep is the result of the same load at rising rates.
type Sweep struct {
	// SaturationPerSecond is the committed rate at the highest sustained rate, or 0 if none was sustained.
	SaturationPerSecond float64   `json:"saturation_per_second"`
	Free                *Result   `json:"free"` // without a rate
	Steps               []*Result `json:"steps"`
}

// NewSweep computes the saturation of a load at several rates.
func NewSweep(free *Result, steps []*Result) *Sweep {
	s := &Sweep{Free: free, Steps: steps}
	for _, step := range steps {
		if step.Sustained() {
			s.SaturationPerSecond = max(s.SaturationPerSecond, step.CommittedPerSecond)
		}
	}
	return s
}

// Print prints a sweep as text.
func (s *Sweep) Print(p *term.Printer) {
	p.Facts(s.facts()...)
	steps := s.table()
	steps.print(p)
}

func (s *Sweep) facts() []term.Fact {
	return []term.Fact{
		{Label: "load", Value: s.Free.Parameters.describe()},
		{Label: "saturation", Value: fmt.Sprintf("%.0f messages/s", s.SaturationPerSecond)},
		{Label: "without a rate", Value: fmt.Sprintf("%.0f messages/s, p99 %.0f ms", s.Free.CommittedPerSecond, s.Free.CommittedMS.P99)},
	}
}

func (s *Sweep) table() table {
	t := table{header: []string{offeredPerSecond, committedPerSecond, "p50 ms", "p99 ms", "max ms", "node µs", "sustained", refusedLabel}}
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

// Growth is the result of the same load on states of several sizes.
type Growth struct {
	Steps []*Result `json:"steps"`
	// Ratios are the committed rates relative to the first step.
	Ratios []float64 `json:"ratios"`
}

// NewGrowth computes the ratios of the steps.
func NewGrowth(steps []*Result) *Growth {
	g := &Growth{Steps: steps}
	for _, step := range steps {
		g.Ratios = append(g.Ratios, share(step.CommittedPerSecond, steps[0].CommittedPerSecond))
	}
	return g
}

// Print prints a growth as text.
func (g *Growth) Print(p *term.Printer) {
	steps := g.table()
	steps.print(p)
}

func (g *Growth) table() table {
	t := table{header: []string{"rows before", "rows after", committedPerSecond, "of first", "p99 ms", "node µs", "resident", refusedLabel}}
	for i, step := range g.Steps {
		t.rows = append(t.rows, []string{
			strconv.FormatUint(step.Parameters.Rows, 10), strconv.FormatUint(step.StateRows, 10),
			whole(step.CommittedPerSecond), hundredths(g.Ratios[i]), number(step.CommittedMS.P99),
			number(1e6 * step.NodeCPUSecondsPerMessage), bytesText(step.RSSBytes), step.refusals(),
		})
	}
	return t
}

// share returns part/whole, or zero if whole is zero.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
