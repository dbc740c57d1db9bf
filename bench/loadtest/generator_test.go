package loadtest_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"makechain/bench/loadtest"
	"makechain/bench/pipeline"
	"makechain/bench/process"
	"makechain/bench/report"
	"makechain/internal/node/nodetest"
)

// options returns options for a few accounts and a node in this process.
func options(t *testing.T, address string) loadtest.Options {
	t.Helper()
	return loadtest.Options{
		Nodes: []process.Node{{Address: address}}, Dir: t.TempDir(), Seed: 1, Accounts: 20, Projects: 2,
		Protocol: loadtest.ProtocolGRPC, Progress: func(string, int, int) {},
	}
}

// checkResult checks what holds for every load, however slow the machine is: no message is refused or lost, and all latencies
// were measured.
func checkResult(t *testing.T, name string, r *report.Result) {
	t.Helper()
	if len(r.Refused) > 0 || r.Unsettled != 0 {
		t.Errorf("%s: refused %v, %d unsettled", name, r.Refused, r.Unsettled)
	}
	if r.AcceptedMS.Count == 0 || r.CommittedMS.Count == 0 || r.StreamMS.Count == 0 {
		t.Errorf("%s: latencies of %d accepted, %d readable, %d streamed", name, r.AcceptedMS.Count, r.CommittedMS.Count, r.StreamMS.Count)
	}
	if r.CommittedMS.P50 > r.CommittedMS.P99 || r.CommittedMS.P99 > r.CommittedMS.Max || r.CommittedMS.P50 <= 0 {
		t.Errorf("%s: latencies are not increasing: %+v", name, r.CommittedMS)
	}
	if len(r.Parts) != 1 || r.Parts[0].CommittedMS != r.CommittedMS || r.Parts[0].VerificationSeconds <= 0 {
		t.Errorf("%s: parts %+v of a run shorter than one, want a latency of %+v", name, r.Parts, r.CommittedMS)
	}
	if r.StateRows == 0 || r.MessageBytes < 100 {
		t.Errorf("%s: %d rows, messages of %.0f bytes", name, r.StateRows, r.MessageBytes)
	}
}

// TestLoads runs several loads in sequence on one node. Accounts continue from their last message, also after a load that did
// not send all of its signed messages.
func TestLoads(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("loads a node")
	}
	n := nodetest.Start(t, filepath.Join(t.TempDir(), "home"))
	given := options(t, n.GRPCAddr())
	given.Rows = 3_000
	b, err := loadtest.Open(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		load loadtest.Load
	}{
		{"batches", loadtest.Load{Rate: 400, Batch: 20, For: time.Second}},
		{"no rate", loadtest.Load{Batch: 50, For: time.Second}},
		{"single", loadtest.Load{Rate: 100, Batch: 1, For: time.Second, WarmUp: 200 * time.Millisecond}},
		{"reads", loadtest.Load{Rate: 100, Batch: 10, For: time.Second, Reads: map[loadtest.ReadKind]float64{
			loadtest.PointRead: 100, loadtest.ListRead: 20, loadtest.ProofRead: 10,
		}}},
	} {
		result, err := b.Run(t.Context(), test.load)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		checkResult(t, test.name, result)
		if test.load.Rate > 0 && result.AcceptedMS.Count != uint64(test.load.Rate*test.load.For.Seconds()) {
			t.Errorf("%s: %d messages were measured at %.0f/s", test.name, result.AcceptedMS.Count, test.load.Rate)
		}
		for kind, rate := range test.load.Reads {
			if got := result.Reads[string(kind)].MS.Count; got != uint64(rate) {
				t.Errorf("%d %s reads, want %.0f", got, kind, rate)
			}
		}
		if result.StateRows < given.Rows {
			t.Errorf("%s: the state has %d rows, but was filled to %d", test.name, result.StateRows, given.Rows)
		}
	}
	b.Close()
}

// TestInvalidLoads checks that invalid loads and options are rejected.
func TestInvalidLoads(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, filepath.Join(t.TempDir(), "home"))
	b, err := loadtest.Open(t.Context(), options(t, n.GRPCAddr()))
	if err != nil {
		t.Fatal(err)
	}
	created := time.Now().Unix()
	for _, load := range []loadtest.Load{
		{Batch: 0, For: time.Second},
		{Batch: 101, For: time.Second},
		{Batch: 1},
		{Batch: 1, For: time.Second, Rate: -1},
		{Batch: 1, For: time.Second, WarmUp: -1},
		{Batch: 1, For: time.Hour},
	} {
		if _, err := b.Run(t.Context(), load); err == nil {
			t.Errorf("%+v was accepted", load)
		}
	}
	if _, err := loadtest.Open(t.Context(), loadtest.Options{}); err == nil {
		t.Error("options without nodes were accepted")
	}
	// Within the same second the messages would be identical, and so not refused.
	nodetest.Await(t, "the next second", func() bool { return time.Now().Unix() > created })
	if _, err := loadtest.Open(t.Context(), options(t, n.GRPCAddr())); err == nil {
		t.Error("the same accounts were created twice")
	}
}

// TestPipeline checks a measurement without consensus and network.
func TestPipeline(t *testing.T) {
	t.Parallel()
	p, err := pipeline.Open(filepath.Join(t.TempDir(), "pipeline"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	given := options(t, "")
	given.Nodes, given.Rows = nil, 4_000
	result, err := loadtest.RunPipeline(t.Context(), given, loadtest.Load{Batch: 20, For: time.Second}, p)
	if err != nil {
		t.Fatal(err)
	}
	if result.StateRows <= given.Rows || result.MessageBytes < 100 || result.Parameters.Mode != loadtest.ModePipeline {
		t.Errorf("%+v", result)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
