package push_test

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/push"
)

// TestClockBehindFloor pushes with a clock that is behind the one that created the ref. It checks that the messages of the ref
// have the timestamp of its creation, so that they are not refused, and that a bundle has the time of the clock.
//
// Rules: P9.3.
func TestClockBehindFloor(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	made := gittest.Init(t)
	made.Commit(t, "one")
	first := s.push(t, made)
	floor := s.account.Now() + 100
	first.Now = func() uint32 { return floor }
	plan := mustRun(t, first, push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	if got := plan.Refs()[0].Floor; got != floor {
		t.Fatalf("the ref was created with the floor %d, want %d", got, floor)
	}

	made.Commit(t, "two")
	behind := s.push(t, made)
	now := floor - 100
	behind.Now = func() uint32 { return now }
	plan = mustRun(t, behind, push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	if got := plan.Refs()[0].Floor; got != floor {
		t.Errorf("the floor is %d after an update, want %d", got, floor)
	}
	mustRun(t, behind, push.Request{Delete: []string{plan.Refs()[0].Name}})

	for _, kind := range []pb.MessageType{pb.MessageType_MESSAGE_TYPE_REF_UPDATE, pb.MessageType_MESSAGE_TYPE_REF_DELETE} {
		if at := s.sent(t, kind)[0].GetData().GetTimestamp(); at != floor {
			t.Errorf("%s has the timestamp %d, want %d", kind, at, floor)
		}
	}
	if at := s.sent(t, pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE)[0].GetData().GetTimestamp(); at != now {
		t.Errorf("the bundle has the timestamp %d, want %d", at, now)
	}
}
