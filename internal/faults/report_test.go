package faults_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// report collects the results of plans.
type report struct {
	rows     []row
	recovery map[kind][]time.Duration
}

type row struct {
	outcome

	seed   string
	faults int
	took   time.Duration
}

func newReport() *report { return &report{recovery: map[kind][]time.Duration{}} }

func (r *report) recovered(k kind, took time.Duration) { r.recovery[k] = append(r.recovery[k], took) }

func (r *report) add(seed uint64, faults int, took time.Duration, o outcome) {
	r.rows = append(r.rows, row{o, strconv.FormatUint(seed, 10), faults, took})
}

// String returns three tables: the outcomes of messages by seed, the recovery times by kind of fault, and the refusals by code.
func (r *report) String() string {
	var text strings.Builder
	text.WriteByte('\n')
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(columns ...any) {
		for _, column := range columns {
			_, _ = fmt.Fprintf(table, "%v\t", column) // to memory
		}
		_, _ = fmt.Fprintln(table)
	}
	line("seed", "faults", "offered", "committed", "refused", "lost", "blocks", "ref operations", "seconds")
	total := row{seed: "all", outcome: outcome{reasons: map[string]int{}}}
	for _, w := range r.rows {
		w.print(line)
		total.sum(w)
	}
	total.print(line)
	line()
	line("fault", "times", "recovered in (median)", "(longest)")
	for _, k := range (shape{validators, 1, true, true}).kinds() {
		if times := slices.Sorted(slices.Values(r.recovery[k])); len(times) > 0 {
			line(k, len(times), seconds(times[len(times)/2]), seconds(times[len(times)-1]))
		}
	}
	line()
	line("refusal", "messages")
	for _, code := range slices.Sorted(maps.Keys(total.reasons)) {
		line(code, total.reasons[code])
	}
	_ = table.Flush() // to memory
	return text.String()
}

func (r *row) print(line func(...any)) {
	line(r.seed, r.faults, r.offered, r.committed, r.refused, r.lost, r.blocks, r.operations, int(r.took.Seconds()))
}

func (r *row) sum(w row) {
	r.faults += w.faults
	r.offered += w.offered
	r.committed += w.committed
	r.refused += w.refused
	r.lost += w.lost
	r.blocks += w.blocks
	r.operations += w.operations
	r.took += w.took
	for code, times := range w.reasons {
		r.reasons[code] += times
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
