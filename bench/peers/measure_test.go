package peers

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"makechain/bench/process"
)

// TestRound counts what commits while all clients are at work, and nothing before or after.
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
			if err := r.spent(); err != nil {
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

// TestNothingCounts has a client be done before the others are warm.
func TestNothingCounts(t *testing.T) {
	t.Parallel()
	r := &round{tally: new(tally), warmUp: 2}
	for _, err := range []error{r.add(time.Second), r.spent()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := r.measured(); got != (measured{}) {
		t.Errorf("%+v", got)
	}
}

// TestPercentile takes the least that is enough.
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
			t.Errorf("%d %% of %d are within %g ms, want %g", test.percent, len(test.times), got, test.want)
		}
	}
}

// TestPace sends batches when they are due.
func TestPace(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	if due := newPace(2_000).due(begin, 3); due.Sub(begin) != 150*time.Millisecond {
		t.Errorf("the fourth batch is due after %v", due.Sub(begin))
	}
	if due := pace(0).due(begin, 1000); time.Since(due) > time.Minute || due.Before(begin) {
		t.Errorf("without a pace a batch is due at %v", due)
	}
}

// TestReport relates what was measured.
func TestReport(t *testing.T) {
	t.Parallel()
	second := func(name string, batches int, cpu time.Duration) *contender {
		return &contender{name: name, saturated: tally{time: time.Second, cpu: cpu, latencies: make([]time.Duration, batches)}}
	}
	r := newReport(options{clients: 8}, []*contender{second("makechain", 60, time.Second), second("ceiling", 80, time.Second)})
	if share := r.Results[1].Share; share != 0.75 {
		t.Errorf("the share is %g", share)
	}
	if share := r.Results[1].CPUShare; share < 0.749 || share > 0.751 {
		t.Errorf("by processor time it is %g", share)
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
