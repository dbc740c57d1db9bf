package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"makechain/internal/term"
)

// Quick is a few ratios that say whether the program has become dearer. Each compares two figures of the same minutes on
// the same machine, so a slow or busy machine changes them little.
type Quick struct {
	Ratios []Ratio `json:"ratios"`
	// VerificationSeconds is the processor time of one signature check, which costs are compared with.
	VerificationSeconds float64   `json:"verification_seconds"`
	Machine             string    `json:"machine"`
	Steps               []*Result `json:"steps"`
}

// Ratio is one of them.
type Ratio struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Usual float64 `json:"usual"`   // 0 when nobody has said
	Most  float64 `json:"at_most"` // 0 for no bound
}

// NewQuick compares the costs of a pipeline and of a node, whose messages came in batches and one by one.
func NewQuick(verification float64, pipeline, batches, singles *Result) *Quick {
	return &Quick{
		VerificationSeconds: verification, Machine: batches.describeMachine(), Steps: []*Result{pipeline, batches, singles},
		Ratios: []Ratio{
			{Name: "pipeline", Value: share(pipeline.NodeCPUSecondsPerMessage, verification)},
			{Name: "batches", Value: share(batches.NodeCPUSecondsPerMessage, verification)},
			{Name: "singles", Value: share(singles.NodeCPUSecondsPerMessage, verification)},
			{Name: "written", Value: share(batches.WrittenBytesPerMessage, batches.MessageBytes)},
		},
	}
}

// expectation is what a ratio usually is, and what it must not be above.
type expectation struct {
	Usual float64 `json:"usual"`
	Most  float64 `json:"at_most"`
}

// Expect takes what is usual from a file: an object of ratios by name.
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
		return fmt.Errorf("%s: there is no ratio %q", file, name)
	}
	return nil
}

// Check fails when a ratio is above its bound, or a message was refused.
func (q *Quick) Check() error {
	var faults []error
	for _, ratio := range q.Ratios {
		if ratio.Most > 0 && ratio.Value > ratio.Most {
			faults = append(faults, fmt.Errorf("%s is %.2f, and must not be above %.2f", ratio.Name, ratio.Value, ratio.Most))
		}
	}
	for _, step := range q.Steps {
		if len(step.Refused) > 0 || step.Unsettled > 0 {
			faults = append(faults, fmt.Errorf("messages were refused: %s", step.refusals()))
		}
	}
	return errors.Join(faults...)
}

// Print prints the ratios for people.
func (q *Quick) Print(p *term.Printer) {
	ratios := q.table()
	ratios.print(p)
	p.Line("%s", q.explain())
}

func (q *Quick) table() table {
	t := table{header: []string{"ratio", "now", "usual", "at most"}}
	for _, ratio := range q.Ratios {
		t.rows = append(t.rows, []string{ratio.Name, hundredths(ratio.Value), hundredths(ratio.Usual), hundredths(ratio.Most)})
	}
	return t
}

func (q *Quick) explain() string {
	return fmt.Sprintf("Costs are processor time of a message in signature checks, of which one takes %.1f µs here; written is in bytes of messages.",
		1e6*q.VerificationSeconds)
}

func hundredths(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", n)
}

// HTML writes the ratios as a page.
func (q *Quick) HTML(out io.Writer) error {
	ratios := q.table()
	p := page{
		Title: "What a message costs", Machine: q.Machine, Header: ratios.header, Rows: ratios.rows,
		Facts: []term.Fact{{Label: "ratios", Value: q.explain()}},
	}
	return p.write(out)
}
