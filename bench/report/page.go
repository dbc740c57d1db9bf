package report

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"

	"makechain/internal/term"
)

// pageText is the template of a page. It loads nothing from elsewhere.
//
// read-only: set by the compiler.
//
//go:embed page.html
var pageText string

// page is the content of an HTML page.
type page struct {
	Title   string
	Machine string
	Facts   []term.Fact
	Header  []string
	Rows    [][]string
	Plots   []plot
}

func (p *page) write(out io.Writer) error {
	parsed, err := template.New("page").Parse(pageText)
	if err != nil {
		return fmt.Errorf("parse the page template: %w", err)
	}
	return parsed.Execute(out, p)
}

// HTML writes a result as an HTML page.
func (r *Result) HTML(out io.Writer) error {
	latencies := r.latencies()
	p := page{
		Title: "Load test of a node", Machine: r.describeMachine(), Facts: r.facts(),
		Header: latencies.header, Rows: latencies.rows, Plots: r.plots(),
	}
	return p.write(out)
}

// plots returns plots of the run second by second, and of the percentiles.
func (r *Result) plots() []plot {
	var accepted, committed, resident line
	accepted.name, committed.name, resident.name = "accepted", committedLabel, "memory"
	for i := range r.Series {
		second, at := &r.Series[i], float64(i)
		accepted.x, accepted.y = append(accepted.x, at), append(accepted.y, float64(second.Accepted))
		committed.x, committed.y = append(committed.x, at), append(committed.y, float64(second.Committed))
		if second.Resident > 0 {
			resident.x, resident.y = append(resident.x, at), append(resident.y, float64(second.Resident>>20))
		}
	}
	return []plot{
		{title: "Messages per second", x: secondsAxis, y: "messages/s", lines: []line{accepted, committed}},
		{title: "Latency by percentile", x: "percentile", y: "ms", labels: []string{"50", "95", "99", "100"}, lines: []line{
			percentiles("accepted", r.AcceptedMS), percentiles("readable", r.CommittedMS), percentiles("in the stream", r.StreamMS),
		}},
		{title: "Memory of the nodes", x: secondsAxis, y: "MiB", lines: []line{resident}},
	}
}

func percentiles(name string, l Latency) line {
	return line{name: name, x: []float64{0, 1, 2, 3}, y: []float64{l.P50, l.P95, l.P99, l.Max}}
}

// HTML writes a sweep as an HTML page.
func (s *Sweep) HTML(out io.Writer) error {
	steps := s.table()
	var committed, p50, p99 line
	committed.name, p50.name, p99.name = committedLabel, "p50", "p99"
	for _, step := range s.Steps {
		offered := step.OfferedPerSecond
		committed.x, committed.y = append(committed.x, offered), append(committed.y, step.CommittedPerSecond)
		p50.x, p50.y = append(p50.x, offered), append(p50.y, step.CommittedMS.P50)
		p99.x, p99.y = append(p99.x, offered), append(p99.y, step.CommittedMS.P99)
	}
	p := page{
		Title: "Saturation of a node", Machine: s.Free.describeMachine(), Facts: s.facts(), Header: steps.header, Rows: steps.rows,
		Plots: []plot{
			{title: "Committed by offered rate", x: offeredPerSecond, y: committedPerSecond, lines: []line{committed}},
			{title: "Latency until readable", x: offeredPerSecond, y: "ms", lines: []line{p50, p99}},
		},
	}
	return p.write(out)
}

// HTML writes a growth as an HTML page.
func (g *Growth) HTML(out io.Writer) error {
	steps := g.table()
	var committed line
	committed.name = committedLabel
	p := page{Title: "Load test with a growing state", Header: steps.header, Rows: steps.rows}
	for _, step := range g.Steps {
		p.Machine = step.describeMachine()
		committed.x, committed.y = append(committed.x, float64(step.Parameters.Rows)), append(committed.y, step.CommittedPerSecond)
	}
	p.Plots = []plot{{title: "Committed by state size", x: "rows", y: committedPerSecond, lines: []line{committed}}}
	return p.write(out)
}

// HTML writes a soak as an HTML page.
func (s *Soak) HTML(out io.Writer) error {
	latencies := s.latencies()
	var disk line
	disk.name = "disk"
	for i := range s.Series {
		if second := &s.Series[i]; second.Disk > 0 {
			disk.x, disk.y = append(disk.x, float64(i)), append(disk.y, float64(second.Disk>>20))
		}
	}
	p := page{
		Title: "Soak test of a node", Machine: s.describeMachine(), Facts: append(s.facts(), s.slopes()...),
		Header: latencies.header, Rows: latencies.rows,
		Plots: append(s.plots(), plot{title: "Disk of the nodes", x: secondsAxis, y: "MiB", lines: []line{disk}}),
	}
	return p.write(out)
}
