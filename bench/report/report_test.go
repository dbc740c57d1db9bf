package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"makechain/bench/histogram"
	"makechain/bench/report"
	"makechain/internal/term"
)

// result returns a sustained result at a rate.
func result(rate float64) *report.Result {
	var h histogram.Histogram
	for i := range 100 {
		h.Record(time.Duration(i+1) * time.Millisecond)
	}
	r := &report.Result{
		Parameters:       report.Parameters{Rate: rate, Batch: 100, Seconds: 10, Accounts: 5, Projects: 2, Validators: 1, Seed: 7},
		OfferedPerSecond: rate, AcceptedPerSecond: rate, CommittedPerSecond: rate, Refused: map[string]int64{},
		AcceptedMS: report.LatencyOf(&h), CommittedMS: report.LatencyOf(&h), StreamMS: report.LatencyOf(&h),
		Reads: map[string]report.Reads{"point": {PerSecond: 5, MS: report.LatencyOf(&h)}},
	}
	for i := range 10 {
		r.Series = append(r.Series, report.Second{Accepted: 100, Committed: 99, Resident: int64(1_000 + 10*i), Disk: int64(50 * i)})
	}
	return r
}

// TestLatency checks the percentiles against durations of 1 to 100 ms.
func TestLatency(t *testing.T) {
	t.Parallel()
	got := result(1).AcceptedMS
	for _, check := range []struct{ got, want float64 }{{got.P50, 50}, {got.P95, 95}, {got.P99, 99}, {got.Max, 100}} {
		if math.Abs(check.got-check.want) > 0.01*check.want {
			t.Errorf("%v ms, want %v", check.got, check.want)
		}
	}
	if got.Count != 100 {
		t.Errorf("%d samples", got.Count)
	}
}

// TestJSON checks the keys of the JSON form.
func TestJSON(t *testing.T) {
	t.Parallel()
	encoded, err := json.Marshal(result(100))
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(encoded, &object); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"parameters", "machine", "version", "offered_per_second", "accepted_per_second", "committed_per_second", "refused", "unsettled",
		"late_share", "accepted_ms", "committed_ms", "stream_ms", "blocks_per_second", "messages_per_block", "message_bytes",
		"node_cpu_seconds_per_message", "generator_cpu_seconds_per_message", "rss_bytes", "peak_rss_bytes", "written_bytes_per_message",
		"disk_bytes_per_message", "fsyncs_per_message", "state_rows", "reads", "series",
	} {
		if _, there := object[key]; !there {
			t.Errorf("%s is missing", key)
		}
	}
	latency, isObject := object["committed_ms"].(map[string]any)
	if !isObject || latency["p50"] == nil || latency["p95"] == nil || latency["p99"] == nil || latency["max"] == nil {
		t.Errorf("committed_ms is %v", object["committed_ms"])
	}
}

// TestSustained checks each reason why a load is not sustained.
func TestSustained(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*report.Result){
		"behind":   func(r *report.Result) { r.CommittedPerSecond *= 0.9 },
		"slow":     func(r *report.Result) { r.CommittedMS.P99 = 2_500 },
		"lossy":    func(r *report.Result) { r.Unsettled = 1 },
		"refusing": func(r *report.Result) { r.Refused["duplicate"] = 1 },
	} {
		r := result(1_000)
		if !r.Sustained() {
			t.Fatal("the result is not sustained")
		}
		if spoil(r); r.Sustained() {
			t.Errorf("the load of a node that is %s is sustained", name)
		}
	}
}

// TestSweep checks the saturation of a sweep and the ratios of a growth.
func TestSweep(t *testing.T) {
	t.Parallel()
	over := result(4_000)
	over.CommittedPerSecond = 3_300
	sweep := report.NewSweep(result(3_500), []*report.Result{result(1_000), result(3_000), over})
	if sweep.SaturationPerSecond != 3_000 {
		t.Errorf("saturation is %v, want 3000", sweep.SaturationPerSecond)
	}
	if growth := report.NewGrowth([]*report.Result{result(1_000), result(800)}); growth.Ratios[0] != 1 || growth.Ratios[1] != 0.8 {
		t.Errorf("ratios are %v", growth.Ratios)
	}
}

// TestSoak checks the slopes of memory that grows by 10 bytes per second and disk that grows by 50.
func TestSoak(t *testing.T) {
	t.Parallel()
	soak := report.NewSoak(result(100))
	for _, check := range []struct{ got, want float64 }{
		{soak.RSSBytesPerHour, 36_000}, {soak.RSSBytesPerMessage, 0.1}, {soak.DiskBytesPerHour, 180_000}, {soak.DiskSlopePerMessage, 0.5},
	} {
		if math.Abs(check.got-check.want) > 1e-6*check.want {
			t.Errorf("slope %v, want %v", check.got, check.want)
		}
	}
}

// form is a report as text and HTML.
type form interface {
	Print(p *term.Printer)
	HTML(out io.Writer) error
}

// TestForms checks the text of all reports, and that their pages are well formed and self-contained.
func TestForms(t *testing.T) {
	t.Parallel()
	odd := result(1_000)
	odd.Refused["<script>"] = 3
	long := result(1_000)
	long.Parts = []report.Part{
		{CommittedMS: long.CommittedMS, VerificationSeconds: 70e-6}, {CommittedMS: long.CommittedMS, VerificationSeconds: 90e-6},
	}
	steps := []*report.Result{result(1_000), odd}
	for name, test := range map[string]struct {
		form
		want  string
		plots int
	}{
		"result": {odd, "1000 messages/s in calls of 100", 3},
		"empty":  {&report.Result{}, "as fast as messages commit", 3},
		"long":   {long, "of calls from minute 10", 3},
		"parts":  {long, "takes 70, 90 µs in the parts of 10 minutes", 3},
		"sweep":  {report.NewSweep(odd, steps), "saturation", 2},
		"growth": {report.NewGrowth(steps), "of first", 1},
		"soak":   {report.NewSoak(odd), "disk grows", 4},
		"quick":  {report.NewQuick([4]float64{10e-6, 10e-6, 10e-6, 10e-6}, odd, odd, odd), "signature verifications", 0},
	} {
		var text, page bytes.Buffer
		p := term.New(&text, term.Options{})
		test.Print(p)
		if err := p.Err(); err != nil || !strings.Contains(text.String(), test.want) {
			t.Errorf("%s prints without %q: %v\n%s", name, test.want, err, text.String())
		}
		if err := test.HTML(&page); err != nil {
			t.Fatal(err)
		}
		for _, outside := range []string{"http://", "https://", "src=", "href=", "<script"} {
			if strings.Contains(page.String(), outside) {
				t.Errorf("the page of a %s has %s", name, outside)
			}
		}
		if got := countPlots(t, page.String()); got != test.plots {
			t.Errorf("the page of a %s has %d plots, want %d", name, got, test.plots)
		}
	}
}

// countPlots checks every plot, which is XML, and returns their number.
func countPlots(t *testing.T, page string) int {
	t.Helper()
	count := 0
	for _, part := range strings.SplitAfter(page, "</svg>") {
		_, svg, found := strings.Cut(part, "<svg")
		if !found {
			continue
		}
		count++
		var picture struct {
			Lines []struct {
				Points string `xml:"points,attr"`
			} `xml:"polyline"`
		}
		if err := xml.Unmarshal([]byte("<svg"+svg), &picture); err != nil {
			t.Fatalf("a plot is not valid: %v\n%s", err, svg)
		}
		for _, line := range picture.Lines {
			if strings.Contains(line.Points, "NaN") || strings.Contains(line.Points, "Inf") {
				t.Errorf("points are not finite: %s", line.Points)
			}
		}
	}
	return count
}

// TestQuick checks costs against the limits of a file.
func TestQuick(t *testing.T) {
	t.Parallel()
	cost := func(microseconds float64) *report.Result {
		r := result(1_000)
		r.NodeCPUSecondsPerMessage, r.MessageBytes, r.WrittenBytesPerMessage = microseconds/1e6, 400, 2_000
		return r
	}
	for name, test := range map[string]struct {
		file, unread, failed string
	}{
		"usual":   {`{"pipeline": {"usual": 3, "at_most": 4}, "written": {"usual": 5, "at_most": 6}}`, "", ""},
		"higher":  {`{"pipeline": {"usual": 1, "at_most": 2}}`, "", "pipeline is 3.00, above its limit of 2.00"},
		"unknown": {`{"piepline": {"usual": 1, "at_most": 2}}`, `unknown ratio "piepline"`, ""},
		"broken":  {`{`, "unexpected end", ""},
	} {
		quick := report.NewQuick([4]float64{10e-6, 10e-6, 10e-6, 10e-6}, cost(30), cost(50), cost(90))
		file := filepath.Join(t.TempDir(), "expected.json")
		if err := os.WriteFile(file, []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := quick.Expect(file); !contains(err, test.unread) {
			t.Errorf("%s: reading the file: %v, want %q", name, err, test.unread)
		}
		if err := quick.Check(); !contains(err, test.failed) {
			t.Errorf("%s: checking %v: %v, want %q", name, quick.Ratios, err, test.failed)
		}
	}
	refused := cost(50)
	refused.Refused["duplicate"] = 1
	if err := report.NewQuick([4]float64{10e-6, 10e-6, 10e-6, 10e-6}, cost(30), refused, cost(90)).Check(); !contains(err, "1 duplicate") {
		t.Errorf("checking a result with a refusal: %v", err)
	}
	if err := report.NewQuick([4]float64{1, 1, 1, 1}, cost(1), cost(1), cost(1)).Expect("../expected.json"); err != nil {
		t.Errorf("reading expected.json: %v", err)
	}
}

// contains reports whether an error contains a text, or is nil if the text is empty.
func contains(err error, text string) bool {
	if text == "" {
		return err == nil
	}
	return err != nil && strings.Contains(err.Error(), text)
}
