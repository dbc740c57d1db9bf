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

// TestBatchVerdict reads answers as nodes encode them.
func TestBatchVerdict(t *testing.T) {
	t.Parallel()
	good := &pb.BatchSubmitResult{Hash: make([]byte, 32), Accepted: true}
	bad := func(code message.Code) *pb.BatchSubmitResult {
		return &pb.BatchSubmitResult{Hash: make([]byte, 32), Error: "why", Code: string(code), Stage: "state transition"}
	}
	for name, test := range map[string]struct {
		answer *pb.BatchSubmitResponse
		want   verdict
	}{
		"all":  {&pb.BatchSubmitResponse{Results: []*pb.BatchSubmitResult{good, good}, AcceptedCount: 2}, verdict{accepted: 2}},
		"none": {&pb.BatchSubmitResponse{Results: []*pb.BatchSubmitResult{bad("duplicate")}, RejectedCount: 1}, verdict{refused: map[message.Code]int{"duplicate": 1}}},
		"some": {
			&pb.BatchSubmitResponse{Results: []*pb.BatchSubmitResult{bad("duplicate"), good, bad("not_found"), bad("duplicate")}, AcceptedCount: 1, RejectedCount: 3},
			verdict{accepted: 1, refused: map[message.Code]int{"duplicate": 2, "not_found": 1}},
		},
	} {
		encoded, err := proto.Marshal(test.answer)
		if err != nil {
			t.Fatal(err)
		}
		got, err := batchVerdict(encoded)
		if err != nil || got.accepted != test.want.accepted || !maps.Equal(got.refused, test.want.refused) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, test.want)
		}
		if _, err := batchVerdict(encoded[:len(encoded)-1]); err == nil {
			t.Errorf("%s: half an answer is read as a whole", name)
		}
	}
}

// TestSingleVerdict reads answers about one message.
func TestSingleVerdict(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		answer *pb.SubmitMessageResponse
		want   verdict
	}{
		{&pb.SubmitMessageResponse{Accepted: true}, verdict{accepted: 1}},
		{&pb.SubmitMessageResponse{Code: "not_found"}, verdict{refused: map[message.Code]int{"not_found": 1}}},
	} {
		encoded, err := proto.Marshal(test.answer)
		if err != nil {
			t.Fatal(err)
		}
		got, err := singleVerdict(encoded)
		if err != nil || got.accepted != test.want.accepted || !maps.Equal(got.refused, test.want.refused) {
			t.Errorf("%+v, %v, want %+v", got, err, test.want)
		}
	}
}

// TestDueTimes checks that calls are due at fixed times, that none is made before, and that one which is late keeps the
// time at which it was due.
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
		t.Errorf("a call that is late is due at %v, want %v: %v", due, r.start.Add(interval), err)
	}
}

// TestProbesAreSpread has calls due every millisecond for a second, of which one in a hundred is looked for.
func TestProbesAreSpread(t *testing.T) {
	t.Parallel()
	r := newRun(&Generator{}, Load{Batch: 1, For: time.Second}, workload.Plan{Lanes: 1}, nil)
	begin := time.Now()
	for i := range 1_000 {
		r.probe(&workload.Request{HasCommit: true}, begin.Add(time.Duration(i)*time.Millisecond), nil)
	}
	if got := len(r.probes); got != 11 { // the first two set the pace
		t.Errorf("%d commits are looked for, want 11", got)
	}
}
