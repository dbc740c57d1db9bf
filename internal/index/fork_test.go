package index_test

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// TestForksOfEarlierStore checks that a store without the index of forks is valid, and that the next block adds all rows: also
// those of a fork in that block.
func TestForksOfEarlierStore(t *testing.T) {
	t.Parallel()
	s := commitEveryType(newChain(t))
	isIndexed := func() bool {
		t.Helper()
		indexed, err := s.reader().HasForks()
		if err != nil {
			t.Fatal(err)
		}
		return indexed
	}
	if len(s.forks()) == 0 || !isIndexed() {
		t.Fatalf("%d forks, indexed %v", len(s.forks()), isIndexed())
	}
	for _, row := range indexRows(s.chain) {
		if row.Key[0] != 0x8A {
			continue
		}
		if err := s.rows.Apply([]schema.Change{{Key: row.Key, Existed: true}}); err != nil {
			t.Fatal(err)
		}
	}
	if isIndexed() {
		t.Fatal("the rows were not deleted")
	}
	s.check()
	before := len(s.forks())
	s.must(s.sign("bobby", message.Fork(s.fork, ledgertest.Hash("one"), "second", pb.Visibility_VISIBILITY_PUBLIC)))
	s.check()
	if len(s.forks()) != before+1 || !isIndexed() {
		t.Errorf("%d forks, want %d, indexed %v", len(s.forks()), before+1, isIndexed())
	}
	s.must(s.sign("alice", message.Star(s.fork)))
}
