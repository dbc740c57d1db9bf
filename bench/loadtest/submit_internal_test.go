package loadtest

import (
	"maps"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"makechain/bench/workload"
	pb "makechain/gen/makechain"
	"makechain/message"
)

// TestBatchResult decodes responses as nodes encode them.
func TestBatchResult(t *testing.T) {
	t.Parallel()
	good := &pb.BatchSubmitResult{Hash: make([]byte, 32), Accepted: true}
	bad := func(code message.Code) *pb.BatchSubmitResult {
		return &pb.BatchSubmitResult{Hash: make([]byte, 32), Error: "why", Code: string(code), Stage: "state transition"}
	}
	for name, test := range map[string]struct {
		answer *pb.BatchSubmitResponse
		want   submitResult
	}{
		"all":  {&pb.BatchSubmitResponse{Results: []*pb.BatchSubmitResult{good, good}, AcceptedCount: 2}, submitResult{accepted: 2}},
		"none": {&pb.BatchSubmitResponse{Results: []*pb.BatchSubmitResult{bad("duplicate")}, RejectedCount: 1}, submitResult{refused: map[message.Code]int{"duplicate": 1}}},
		"some": {
			&pb.BatchSubmitResponse{Results: []*pb.BatchSubmitResult{bad("duplicate"), good, bad("not_found"), bad("duplicate")}, AcceptedCount: 1, RejectedCount: 3},
			submitResult{accepted: 1, refused: map[message.Code]int{"duplicate": 2, "not_found": 1}},
		},
	} {
		encoded, err := proto.Marshal(test.answer)
		if err != nil {
			t.Fatal(err)
		}
		got, err := batchResult(encoded)
		if err != nil || got.accepted != test.want.accepted || !maps.Equal(got.refused, test.want.refused) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, test.want)
		}
		if _, err := batchResult(encoded[:len(encoded)-1]); err == nil {
			t.Errorf("%s: a truncated response was decoded", name)
		}
	}
}

// TestSingleResult decodes responses to single messages.
func TestSingleResult(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		answer *pb.SubmitMessageResponse
		want   submitResult
	}{
		{&pb.SubmitMessageResponse{Accepted: true}, submitResult{accepted: 1}},
		{&pb.SubmitMessageResponse{Code: "not_found"}, submitResult{refused: map[message.Code]int{"not_found": 1}}},
	} {
		encoded, err := proto.Marshal(test.answer)
		if err != nil {
			t.Fatal(err)
		}
		got, err := singleResult(encoded)
		if err != nil || got.accepted != test.want.accepted || !maps.Equal(got.refused, test.want.refused) {
			t.Errorf("%+v, %v, want %+v", got, err, test.want)
		}
	}
}

// TestDueTimes checks that calls are due at fixed times, that none is made earlier, and that a late call keeps its due time.
func TestDueTimes(t *testing.T) {
	t.Parallel()
	const interval = 20 * time.Millisecond
	r := &run{load: Load{Rate: 50}, plan: workload.Plan{Interval: interval}, start: time.Now()}
	for number := range 5 {
		due, err := r.await(t.Context(), number)
		if want := r.start.Add(time.Duration(number) * interval); err != nil || !due.Equal(want) {
			t.Errorf("call %d is due at %v, want %v: %v", number, due, want, err)
		}
		if early := time.Until(due); early > 0 {
			t.Errorf("call %d is made %v early", number, early)
		}
	}
	r.start = r.start.Add(-time.Minute)
	if due, err := r.await(t.Context(), 1); err != nil || !due.Equal(r.start.Add(interval)) {
		t.Errorf("a late call is due at %v, want %v: %v", due, r.start.Add(interval), err)
	}
}

// TestProbeInterval checks that of calls every millisecond one in a hundred is probed.
func TestProbeInterval(t *testing.T) {
	t.Parallel()
	r := newRun(&Generator{}, Load{Batch: 1, For: time.Second}, workload.Plan{Lanes: 1}, nil)
	start := time.Now()
	for i := range 1_000 {
		r.probe(&workload.Request{HasCommit: true}, start.Add(time.Duration(i)*time.Millisecond), nil)
	}
	if got := len(r.probes); got != 11 { // the first two start the interval
		t.Errorf("%d commits are probed, want 11", got)
	}
}
