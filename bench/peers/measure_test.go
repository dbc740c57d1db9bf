package peers

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"makechain/bench/process"
)

// TestRound checks that only batches that commit while all clients are busy are counted.
func TestRound(t *testing.T) {
	t.Parallel()
	var total tally
	for range 2 {
		used := time.Duration(0)
		r := &round{tally: &total, warmUp: 2, usage: func() (process.Usage, error) {
			used += time.Second
			return process.Usage{CPU: used}, nil
		}}
		for i := range 5 {
			if err := r.add(time.Duration(i) * time.Millisecond); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := r.clientDone(); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.add(time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	got := total.measured()
	if got.Messages != 600 || got.CommittedP50 != 3 || got.CommittedP99 != 4 || got.CPUMicrosPerMessage != 2e6/600 {
		t.Errorf("%+v", got)
	}
}

// TestNothingMeasured checks a round in which a client is done before the end of the warm-up.
func TestNothingMeasured(t *testing.T) {
	t.Parallel()
	r := &round{tally: new(tally), warmUp: 2}
	for _, err := range []error{r.add(time.Second), r.clientDone()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := r.measured(); got != (measured{}) {
		t.Errorf("%+v", got)
	}
}

// TestPercentile checks percentiles of few and many durations.
func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i+1) * time.Millisecond
	}
	for _, test := range []struct {
		times   []time.Duration
		percent int
		want    float64
	}{
		{hundred, 50, 50},
		{hundred, 99, 99},
		{hundred[:1], 50, 1},
		{hundred[:1], 99, 1},
		{hundred[:3], 50, 2},
	} {
		if got := percentile(test.times, test.percent); got != test.want {
			t.Errorf("percentile %d of %d durations is %g ms, want %g", test.percent, len(test.times), got, test.want)
		}
	}
}

// TestDue checks the due times of batches.
func TestDue(t *testing.T) {
	t.Parallel()
	start := time.Now()
	if due := newInterval(2_000).due(start, 3); due.Sub(start) != 150*time.Millisecond {
		t.Errorf("the fourth batch is due after %v", due.Sub(start))
	}
	if due := interval(0).due(start, 1000); time.Since(due) > time.Minute || due.Before(start) {
		t.Errorf("without an interval a batch is due at %v", due)
	}
}

// TestReport checks the shares of a report.
func TestReport(t *testing.T) {
	t.Parallel()
	second := func(name string, batches int, cpu time.Duration) *application {
		return &application{name: name, saturated: tally{time: time.Second, cpu: cpu, latencies: make([]time.Duration, batches)}}
	}
	r := newReport(options{clients: 8}, []*application{second("makechain", 60, time.Second), second("ceiling", 80, time.Second)})
	if share := r.Results[1].Share; share != 0.75 {
		t.Errorf("the share is %g", share)
	}
	if share := r.Results[1].CPUShare; share < 0.749 || share > 0.751 {
		t.Errorf("by CPU time it is %g", share)
	}
	var out bytes.Buffer
	if err := r.writeText(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"8 clients", "6000", "8000", "75 % of it"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
