package simtest

import (
	"bytes"
	"errors"
	"slices"

	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
	"makechain/message"
)

// checkRoots checks that the root of the final state is the same with different batches, numbers of cores and after
// executing all blocks again (I1, T1.1).
func (s *sim) checkRoots() {
	s.Helper()
	built := s.builtRoot()
	for _, c := range []struct {
		name        string
		parallelism int
		batches     [][]schema.Change
	}{
		{"block by block", 1, s.batches(1)},
		{"several blocks at a time, on two cores", 2, s.batches(7)},
		{"all blocks at once, on four cores", 4, s.batches(len(s.blocks))},
		{"halves of blocks, on four cores", 4, s.halves()},
	} {
		if root := s.updatedRoot(c.parallelism, c.batches); root != built {
			s.Fatalf("I1: the root %s is %x, but built from all rows it is %x", c.name, root, built)
		}
	}
	if root := s.executedRoot(); root != built {
		s.Fatalf("I1: the root after executing the blocks again is %x, here it is %x", root, built)
	}
}

// batches merges the changes of up to limit blocks at a time.
func (s *sim) batches(limit int) [][]schema.Change {
	var batches [][]schema.Change
	for from := 0; from < len(s.blocks); {
		n := min(1+s.rng.IntN(limit), len(s.blocks)-from)
		if limit >= len(s.blocks) {
			n = len(s.blocks)
		}
		batches = append(batches, merge(s.blocks[from:from+n]))
		from += n
	}
	return batches
}

// halves splits every block's changes in two.
func (s *sim) halves() [][]schema.Change {
	var batches [][]schema.Change
	for _, b := range s.blocks {
		changes := merge([]simBlock{b})
		half := len(changes) / 2
		batches = append(batches, changes[:half], changes[half:])
	}
	return batches
}

// merge combines the merkleized changes of blocks into one change per row.
func merge(blocks []simBlock) []schema.Change {
	sum := map[string]schema.Change{}
	for _, b := range blocks {
		for _, c := range b.changes {
			if !schema.Prefix(c.Key[0]).Merkleized() {
				continue
			}
			if first, ok := sum[string(c.Key)]; ok {
				c.Existed = first.Existed
			}
			sum[string(c.Key)] = c
		}
	}
	changes := make([]schema.Change, 0, len(sum))
	for _, c := range sum {
		if c.Existed || c.Value != nil {
			changes = append(changes, c)
		}
	}
	slices.SortFunc(changes, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	return changes
}

func (s *sim) updatedRoot(parallelism int, batches [][]schema.Change) merkle.Hash {
	s.Helper()
	tree := merkle.New(parallelism)
	version, rows := tree.Empty(), merkletest.NewRows()
	for _, changes := range batches {
		next, err := tree.Update(version, changes, rows)
		if err != nil {
			s.Fatal(err)
		}
		version.Release()
		version, rows = next, rows.Apply(changes)
	}
	defer version.Release()
	return version.Root()
}

func (s *sim) builtRoot() merkle.Hash {
	s.Helper()
	tree := merkle.New(2)
	version, err := tree.Build(func(visit func(key, value []byte) error) error {
		var failed error
		err := s.rows.Scan(nil, nil, func(key, value []byte) bool {
			if schema.Prefix(key[0]).Merkleized() {
				failed = visit(key, value)
			}
			return failed == nil
		})
		return errors.Join(err, failed)
	})
	if err != nil {
		s.Fatal(err)
	}
	defer version.Release()
	return version.Root()
}

// executedRoot executes the blocks from their transactions, as another node would, and returns the root of its own tree.
func (s *sim) executedRoot() merkle.Hash {
	s.Helper()
	other, rows := ledger.New(s.params), ledgertest.NewRows()
	var executed []simBlock
	for _, b := range s.blocks {
		var messages []*message.Envelope
		for _, tx := range b.transactions {
			m, refusal := message.Decode(tx)
			if refusal != nil {
				s.Fatalf("block %d: %v", b.Height, refusal)
			}
			messages = append(messages, m)
		}
		result, err := other.Execute(rows, b.Block, messages)
		if err != nil {
			s.Fatalf("execute block %d: %v", b.Height, err)
		}
		if !slices.EqualFunc(result.Changes, b.changes, sameChange) {
			s.Fatalf("I1: executing block %d again leads to other changes", b.Height)
		}
		if err := rows.Apply(result.Changes); err != nil {
			s.Fatalf("block %d: %v", b.Height, err)
		}
		executed = append(executed, simBlock{Block: b.Block, changes: result.Changes})
	}
	var batches [][]schema.Change
	for i := range executed {
		batches = append(batches, merge(executed[i:i+1]))
	}
	return s.updatedRoot(2, batches)
}
