package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"makechain/internal/term"
)

// Labels that are used in several reports.
const (
	committedLabel     = "committed"
	committedPerSecond = "committed/s"
	offeredPerSecond   = "offered/s"
	refusedLabel       = "refused"
	secondsAxis        = "seconds"
)

// table is a table with a header.
type table struct {
	header []string
	rows   [][]string
}

func (t *table) print(p *term.Printer) {
	printed := p.Table(t.header...)
	for _, row := range t.rows {
		printed.Row(row...)
	}
	printed.Print("nothing was measured")
}

// Print prints a result as text.
func (r *Result) Print(p *term.Printer) {
	p.Facts(r.facts()...)
	latencies := r.latencies()
	latencies.print(p)
}

func (r *Result) facts() []term.Fact {
	facts := []term.Fact{
		{Label: "load", Value: r.Parameters.describe()},
		{Label: "offered", Value: fmt.Sprintf("%.0f/s, %.1f %% of the calls late", r.OfferedPerSecond, 100*r.LateShare)},
		{Label: "accepted", Value: fmt.Sprintf("%.0f/s", r.AcceptedPerSecond)},
		{Label: committedLabel, Value: fmt.Sprintf("%.0f/s in %.1f blocks/s of %.0f messages",
			r.CommittedPerSecond, r.BlocksPerSecond, r.MessagesPerBlock)},
		{Label: refusedLabel, Value: r.refusals()},
		{Label: "node", Value: fmt.Sprintf("%.1f µs CPU/message, %.0f %% of the machine, %s resident, %s at most",
			1e6*r.NodeCPUSecondsPerMessage, 100*r.NodeCPUShare, bytesText(r.RSSBytes), bytesText(r.PeakRSSBytes))},
		{Label: "generator", Value: fmt.Sprintf("%.1f µs CPU/message, %.0f %% of the machine, %s resident",
			1e6*r.GeneratorCPUSecondsPerMessage, 100*r.GeneratorCPUShare, bytesText(r.GeneratorRSSBytes))},
		{Label: "disk", Value: fmt.Sprintf("messages of %.0f bytes grow it by %.0f and write %.0f; %.3f fsyncs/message",
			r.MessageBytes, r.DiskBytesPerMessage, r.WrittenBytesPerMessage, r.FsyncsPerMessage)},
		{Label: "written", Value: r.writtenText()},
		{Label: "state", Value: fmt.Sprintf("%d rows", r.StateRows)},
	}
	if len(r.Parts) > 0 {
		facts = append(facts, term.Fact{Label: "machine", Value: r.machineText()})
	}
	if len(r.CPUByNode) > 1 {
		shares := make([]string, len(r.CPUByNode))
		for i, share := range r.CPUByNode {
			shares[i] = fmt.Sprintf("%.2f", share)
		}
		facts = append(facts, term.Fact{Label: "cores used", Value: strings.Join(shares, ", ") + " by node"})
	}
	if r.NetworkBytesPerMessage > 0 {
		facts = append(facts, term.Fact{Label: "network", Value: fmt.Sprintf("%.0f bytes/message between nodes", r.NetworkBytesPerMessage)})
	}
	return facts
}

// machineText returns the speed and use of the machine in each part of the run.
func (r *Result) machineText() string {
	var shares, times []string
	for i := range r.Parts {
		shares = append(shares, fmt.Sprintf("%.0f", 100*r.Parts[i].NodeCPUShare))
		times = append(times, fmt.Sprintf("%.0f", 1e6*r.Parts[i].VerificationSeconds))
	}
	text := fmt.Sprintf("a signature verification takes %s µs", strings.Join(times, ", "))
	if len(r.Parts) > 1 {
		text += fmt.Sprintf(" in the parts of %.0f minutes, in which the node uses %s %% of it", PartDuration.Minutes(), strings.Join(shares, ", "))
	}
	return text
}

// writtenText returns the bytes written per message by database, for those that write at least one.
func (r *Result) writtenText() string {
	var parts []string
	rest := r.WrittenBytesPerMessage
	for _, name := range slices.Sorted(maps.Keys(r.WrittenByDatabase)) {
		if bytes := r.WrittenByDatabase[name]; bytes >= 1 {
			parts = append(parts, fmt.Sprintf("%s %.0f", name, bytes))
			rest -= bytes
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("other %.0f", rest)), ", ")
}

// latencies returns the latencies of writes and reads.
func (r *Result) latencies() table {
	t := table{header: []string{"latency in ms", "p50", "p95", "p99", "max", "samples"}}
	add := func(name string, l Latency) {
		t.rows = append(t.rows, []string{name, number(l.P50), number(l.P95), number(l.P99), number(l.Max), strconv.FormatUint(l.Count, 10)})
	}
	add("accepted", r.AcceptedMS)
	add("committed and readable", r.CommittedMS)
	if len(r.Parts) > 1 {
		for i := range r.Parts {
			add(fmt.Sprintf("of calls from minute %.0f", float64(i)*PartDuration.Minutes()), r.Parts[i].CommittedMS)
		}
	}
	add("in the stream", r.StreamMS)
	for _, kind := range slices.Sorted(maps.Keys(r.Reads)) {
		add(fmt.Sprintf("%s reads at %.0f/s", kind, r.Reads[kind].PerSecond), r.Reads[kind].MS)
	}
	return t
}

func (p *Parameters) describe() string {
	rate := "as fast as messages commit"
	if p.Rate > 0 {
		rate = fmt.Sprintf("%.0f messages/s", p.Rate)
	}
	chain := fmt.Sprintf("%s by %s", term.Count(uint64(p.Validators), "validator"), p.Protocol)
	if p.Followers > 0 {
		chain += " with " + term.Count(uint64(p.Followers), "follower")
	}
	if p.Delay != "" {
		chain += ", " + p.Delay
	}
	if p.Validators == 0 {
		chain = "no consensus and no network"
	}
	return fmt.Sprintf("%s in calls of %d for %.0f s, %s, %d accounts with %s each, seed %d", rate, p.Batch, p.Seconds, chain, p.Accounts,
		term.Count(uint64(p.Projects), "project"), p.Seed)
}

func (r *Result) describeMachine() string {
	return fmt.Sprintf("%s, %s, %s of memory, %s, %s, makechain %s",
		r.Machine.CPU, term.Count(uint64(r.Machine.Cores), "core"), bytesText(r.Machine.Memory), r.Machine.System, r.Machine.Go, r.Version)
}

// refusals returns the refused messages by code, and the number of messages that did not commit.
func (r *Result) refusals() string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(r.Refused)) {
		parts = append(parts, fmt.Sprintf("%d %s", r.Refused[code], term.Text(code)))
	}
	if r.Unsettled > 0 {
		parts = append(parts, fmt.Sprintf("%d accepted and not committed", r.Unsettled))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func number(ms float64) string { return fmt.Sprintf("%.1f", ms) }

func whole(n float64) string { return fmt.Sprintf("%.0f", n) }

func bytesText(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }
