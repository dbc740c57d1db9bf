package peers

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"makechain/bench/process"
)

// report is the result of a comparison.
type report struct {
	Machine process.Machine `json:"machine"`
	Clients int             `json:"clients"`
	Batch   int             `json:"batch"`
	Rows    int             `json:"rows"`
	Rate    int             `json:"steady_rate"`
	Results []result        `json:"results"`
}

// result is the result of one application.
type result struct {
	Name      string   `json:"name"`
	Saturated measured `json:"saturated"` // as fast as it commits messages
	Steady    measured `json:"steady"`    // at a steady rate
	// Share is the node's committed rate relative to this application, and CPUShare the same per second of CPU time.
	Share    float64 `json:"makechain_share"`
	CPUShare float64 `json:"makechain_share_by_cpu"`
}

// newReport compares the first application with all.
func newReport(o options, applications []*application) *report {
	r := &report{Machine: process.ThisMachine(), Clients: o.clients, Batch: batchSize, Rows: o.rows, Rate: o.rate}
	for _, c := range applications {
		r.Results = append(r.Results, c.result())
	}
	node := r.Results[0].Saturated
	for i := range r.Results {
		other := r.Results[i].Saturated
		r.Results[i].Share = ratio(node.CommittedPerSecond, other.CommittedPerSecond)
		r.Results[i].CPUShare = ratio(other.CPUMicrosPerMessage, node.CPUMicrosPerMessage)
	}
	return r
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func (r *report) writeJSON(out io.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

func (r *report) writeText(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(table, format+"\t\n", args...) } // Flush returns errors
	_, _ = fmt.Fprintf(out, "%s, %d cores; %d clients, batches of %d, %d rows before\n\n",
		r.Machine.CPU, r.Machine.Cores, r.Clients, r.Batch, r.Rows)
	line("\tcommitted/s\tp50 ms\tp99 ms\tCPU µs/message\tclients' µs\tat %d/s: p50 ms\tp99 ms\tmakechain commits\tby CPU", r.Rate)
	for _, c := range r.Results {
		s := c.Saturated
		line("%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f %% of it\t%.0f %%", c.Name, s.CommittedPerSecond, s.CommittedP50, s.CommittedP99,
			s.CPUMicrosPerMessage, s.ClientsMicrosPerMessage, c.Steady.CommittedP50, c.Steady.CommittedP99, 100*c.Share, 100*c.CPUShare)
	}
	return table.Flush()
}
