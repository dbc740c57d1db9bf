package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"makechain/internal/term"
)

// Quick is a set of cost ratios that detect regressions. Each ratio compares two figures of the same machine and time, so a
// slow or busy machine changes it little.
type Quick struct {
	Ratios []Ratio `json:"ratios"`
	// VerificationSeconds is the CPU time of verifying one signature, before the first step and after each step. The unit of a
	// step's cost is the mean of the times before and after it.
	VerificationSeconds [4]float64 `json:"verification_seconds"`
	Machine             string     `json:"machine"`
	Steps               []*Result  `json:"steps"`
}

// Ratio is a cost with its expected value and limit.
type Ratio struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Usual float64 `json:"usual"`   // 0 if not known
	Most  float64 `json:"at_most"` // 0 for no limit
}

// NewQuick computes the ratios from results of a pipeline, and of a node with batches and with single messages. Verification
// is the CPU time of verifying one signature, before the first and after each of them.
func NewQuick(verification [4]float64, pipeline, batches, singles *Result) *Quick {
	cost := func(step int, r *Result) float64 {
		return share(r.NodeCPUSecondsPerMessage, (verification[step]+verification[step+1])/2)
	}
	return &Quick{
		VerificationSeconds: verification, Machine: batches.describeMachine(), Steps: []*Result{pipeline, batches, singles},
		Ratios: []Ratio{
			{Name: "pipeline", Value: cost(0, pipeline)},
			{Name: "batches", Value: cost(1, batches)},
			{Name: "singles", Value: cost(2, singles)},
			{Name: "written", Value: share(batches.WrittenBytesPerMessage, batches.MessageBytes)},
		},
	}
}

// expectation is the expected value and the limit of a ratio.
type expectation struct {
	Usual float64 `json:"usual"`
	Most  float64 `json:"at_most"`
}

// Expect reads expected values and limits from a JSON file, an object by the names of ratios.
func (q *Quick) Expect(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var expected map[string]expectation
	if err := json.Unmarshal(content, &expected); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for i := range q.Ratios {
		ratio := &q.Ratios[i]
		ratio.Usual, ratio.Most = expected[ratio.Name].Usual, expected[ratio.Name].Most
		delete(expected, ratio.Name)
	}
	for name := range expected {
		return fmt.Errorf("%s: unknown ratio %q", file, name)
	}
	return nil
}

// Check returns an error if a ratio is above its limit or a message was refused.
func (q *Quick) Check() error {
	var failures []error
	for _, ratio := range q.Ratios {
		if ratio.Most > 0 && ratio.Value > ratio.Most {
			failures = append(failures, fmt.Errorf("%s is %.2f, above its limit of %.2f", ratio.Name, ratio.Value, ratio.Most))
		}
	}
	for _, step := range q.Steps {
		if len(step.Refused) > 0 || step.Unsettled > 0 {
			failures = append(failures, fmt.Errorf("messages were refused: %s", step.refusals()))
		}
	}
	return errors.Join(failures...)
}

// Print prints the ratios as text.
func (q *Quick) Print(p *term.Printer) {
	ratios := q.table()
	ratios.print(p)
	p.Line("%s", q.explain())
}

func (q *Quick) table() table {
	t := table{header: []string{"ratio", "now", "usual", "limit"}}
	for _, ratio := range q.Ratios {
		t.rows = append(t.rows, []string{ratio.Name, hundredths(ratio.Value), hundredths(ratio.Usual), hundredths(ratio.Most)})
	}
	return t
}

func (q *Quick) explain() string {
	return fmt.Sprintf("Costs are CPU time per message, in signature verifications of %.1f to %.1f µs, measured before and after each step; "+
		"written is relative to the bytes of the messages.", 1e6*slices.Min(q.VerificationSeconds[:]), 1e6*slices.Max(q.VerificationSeconds[:]))
}

func hundredths(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", n)
}

// HTML writes the ratios as an HTML page.
func (q *Quick) HTML(out io.Writer) error {
	ratios := q.table()
	p := page{
		Title: "Cost of a message", Machine: q.Machine, Header: ratios.header, Rows: ratios.rows,
		Facts: []term.Fact{{Label: "ratios", Value: q.explain()}},
	}
	return p.write(out)
}
