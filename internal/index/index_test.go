package index_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	pb "makechain/gen/makechain"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// TestEveryType commits every message type, and compares every answer after every block with the answer computed from all
// messages and rows.
//
// Rules: P10.4, P10.6.
func TestEveryType(t *testing.T) {
	t.Parallel()
	s := commitEveryType(newChain(t))
	seen := map[pb.MessageType]bool{}
	for _, a := range s.applied {
		seen[a.Message.Type()] = true
		if want := a.Effects.Projects; !slices.Equal(a.Message.Projects(), want) {
			t.Errorf("%s has projects %v, but affected %v", a.Message.Type(), a.Message.Projects(), want)
		}
	}
	for _, kind := range message.Types() {
		if !seen[kind] {
			t.Errorf("no message of type %s was committed", kind)
		}
	}
	if report := s.check(); report.Messages != uint64(len(s.applied)) || report.Blocks != uint64(len(s.transactions)) {
		t.Errorf("checked %+v, want %d messages of %d blocks", report, len(s.applied), len(s.transactions))
	}
}

// TestFromState checks that FromState returns the names, forks and counts that the blocks led to.
func TestFromState(t *testing.T) {
	t.Parallel()
	s := commitEveryType(newChain(t))
	made, restored := 0, s.rows.Clone()
	err := index.FromState(s.rows, func(c schema.Change) error {
		made++
		if c.Key[0] == 0x85 { // the counts
			c.Existed = true
			return restored.Apply([]schema.Change{c})
		}
		if stored, err := s.rows.Get(c.Key); err != nil || !bytes.Equal(stored, c.Value) {
			t.Errorf("row %x is %x from the state, %x from the blocks (%v)", c.Key, c.Value, stored, err)
		}
		return nil
	})
	if want := len(s.names()) + len(s.forks()) + 2; err != nil || made != want {
		t.Errorf("%d rows, want %d, %v", made, want, err)
	}
	got, err := index.NewReader(restored).Stats()
	want := s.stats()
	want.Messages = 0 // the state does not contain it
	if err != nil || got != want {
		t.Errorf("counts are %+v, want %+v, %v", got, want, err)
	}
}

// TestActivityPages checks lists of activity that are filtered by types and read in pages.
func TestActivityPages(t *testing.T) {
	t.Parallel()
	s := commitEveryType(newChain(t))
	alice := s.actor("alice").Address
	filters := [][]pb.MessageType{
		nil,
		{pb.MessageType_MESSAGE_TYPE_REF_UPDATE},
		{pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE, pb.MessageType_MESSAGE_TYPE_REF_UPDATE, pb.MessageType_MESSAGE_TYPE_REF_UPDATE},
		{pb.MessageType_MESSAGE_TYPE_NONE, pb.MessageType(len(pb.MessageType_name))},
	}
	for _, types := range filters {
		wanted := func(a applied) bool { return len(types) == 0 || slices.Contains(types, a.Message.Type()) }
		ofAlice := s.entries(func(a applied) bool { return wanted(a) && a.Message.Owner == alice })
		ofProject := s.entries(func(a applied) bool { return wanted(a) && slices.Contains(a.Effects.Projects, s.project) })
		for limit := 1; limit <= 4; limit++ {
			expectPages(t, ofAlice, limit, func(before index.Position) ([]index.Entry, error) {
				return s.reader().AccountActivity(alice, types, limit, before)
			})
			expectPages(t, ofProject, limit, func(before index.Position) ([]index.Entry, error) {
				return s.reader().ProjectActivity(s.project, types, limit, before)
			})
		}
	}
}

// expectPages reads pages until one is empty.
func expectPages(t *testing.T, want []index.Entry, limit int, read func(before index.Position) ([]index.Entry, error)) {
	t.Helper()
	var got []index.Entry
	var before index.Position
	for {
		page, err := read(before)
		if err != nil || len(page) > limit {
			t.Fatalf("a page of %d entries, want at most %d; %v", len(page), limit, err)
		}
		if len(page) == 0 {
			break
		}
		got, before = append(got, page...), page[len(page)-1].Position
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("pages of %d, want (-) and got (+):\n%s", limit, diff)
	}
}

// TestAbsentRows checks the answers for rows that do not exist.
func TestAbsentRows(t *testing.T) {
	t.Parallel()
	r := index.NewReader(ledgertest.NewRows())
	if _, found, err := r.Position(ledgertest.Hash("x")); found || err != nil {
		t.Errorf("position found %t, %v", found, err)
	}
	if entries, _, err := r.RefLog(ledgertest.Hash("x"), bytes.Repeat([]byte("r"), 256), 1, index.Position{}); len(entries) > 0 || err != nil {
		t.Errorf("ref log of an invalid name: %v, %v", entries, err)
	}
	if stats, err := r.Stats(); stats != (index.Stats{}) || err != nil {
		t.Errorf("stats %+v, %v", stats, err)
	}
	if refused, err := r.Refusal(ledgertest.Hash("x")); refused != nil || err != nil {
		t.Errorf("refusal %v, %v", refused, err)
	}
}

// TestEmptyBlock checks that an empty block adds no rows.
func TestEmptyBlock(t *testing.T) {
	t.Parallel()
	s := commitEveryType(newChain(t))
	rows, err := index.Rows(s.rows, &ledger.Committed{Block: s.block}, nil)
	if len(rows) > 0 || err != nil {
		t.Errorf("rows %v, %v", rows, err)
	}
}
