package index_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
)

// prune prunes once, as with a block, and applies the changes.
func prune(t *testing.T, rows *ledgertest.Rows, keep uint64, blocks index.Blocks) (lowest uint64, deleted int) {
	t.Helper()
	changes, lowest, err := index.Prune(rows, keep, blocks)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(changes, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	if err := rows.Apply(changes); err != nil {
		t.Fatal(err)
	}
	return lowest, len(changes)
}

// heightOf returns the block of the message to which a row belongs, if it belongs to one.
func heightOf(row schema.Change) (height uint64, ofMessage bool) {
	switch row.Key[0] {
	case 0x80:
		return binary.BigEndian.Uint64(row.Value), true
	case 0x81, 0x82, 0x83:
		return ^binary.BigEndian.Uint64(row.Key[len(row.Key)-12:]), true
	default:
		return 0, false
	}
}

// from returns rows without those of messages before a block.
func from(rows []schema.Change, lowest uint64) []schema.Change {
	return slices.DeleteFunc(slices.Clone(rows), func(row schema.Change) bool {
		height, ofMessage := heightOf(row)
		return row.Key[0] == 0x89 || ofMessage && height < lowest
	})
}

// TestPrune prunes a chain with messages of all types up to each of its blocks. It checks that exactly the rows of earlier
// messages are deleted, that Check succeeds with and without the pruned blocks, and that it detects remaining rows.
func TestPrune(t *testing.T) {
	t.Parallel()
	s := withRefusals(t)
	all, newest := indexRows(s.chain), s.block.Height-1
	for keep := uint64(0); keep <= newest; keep++ {
		rows := s.rows.Clone()
		if lowest, _ := prune(t, rows, keep, s.chain); lowest != max(keep, 1) {
			t.Fatalf("up to block %d: the lowest is %d", keep, lowest)
		}
		pruned := &chain{TB: t, rows: rows}
		if diff := cmp.Diff(from(all, keep), from(indexRows(pruned), 0)); diff != "" {
			t.Fatalf("up to block %d: rows, want (-) and got (+):\n%s", keep, diff)
		}
		for _, base := range []uint64{1, max(keep, 1), min(keep+1, newest)} {
			if _, err := index.Check(rows, newest, keptFrom{s.chain, base}); err != nil {
				t.Errorf("up to block %d, with blocks from %d: %v", keep, base, err)
			}
		}
		for _, row := range all {
			if height, ofMessage := heightOf(row); ofMessage && height < keep {
				left := rows.Clone()
				row.Existed = false
				var difference *index.DifferenceError
				if err := left.Apply([]schema.Change{row}); err != nil {
					t.Fatal(err)
				}
				if _, err := index.Check(left, newest, s.chain); !errors.As(err, &difference) {
					t.Errorf("up to block %d: row %x remains, and the check returns %v", keep, row.Key, err)
				}
			}
		}
		if _, deleted := prune(t, rows, keep, s.chain); deleted != 0 {
			t.Errorf("up to block %d: %d rows are deleted a second time", keep, deleted)
		}
	}
}

// madeUp provides blocks of transactions that are not messages.
type madeUp struct{ transactions int }

func (madeUp) Base() uint64 { return 1 }

func (m madeUp) Transactions(uint64) ([][]byte, error) { return make([][]byte, m.transactions), nil }

// TestPruneStep checks how many blocks are pruned at a time.
func TestPruneStep(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		transactions int
		blocks       []uint64 // pruned at each step
	}{
		{0, []uint64{index.PruneStep, index.PruneStep, 8}},
		{100, []uint64{index.PruneStep, index.PruneStep, 8}},
		{ledger.MaxBlockMessages / 2, []uint64{3, 3, 3}},
		{ledger.MaxBlockMessages, []uint64{2, 2, 2}},
	} {
		rows, before := ledgertest.NewRows(), uint64(1)
		for step, blocks := range test.blocks {
			lowest, _ := prune(t, rows, 41, madeUp{test.transactions})
			if lowest-before != blocks {
				t.Errorf("blocks of %d: step %d prunes %d, want %d", test.transactions, step, lowest-before, blocks)
			}
			before = lowest
		}
	}
}

// TestPruneLostBlocks checks that rows whose blocks are already missing are pruned, and that Check accepts them until
// then.
func TestPruneLostBlocks(t *testing.T) {
	t.Parallel()
	s := withRefusals(t)
	all, newest := indexRows(s.chain), s.block.Height-1
	const base, keep = 4, 6
	blocks := keptFrom{s.chain, base}
	for step := 1; ; step++ {
		lowest, deleted := prune(t, s.rows, keep, blocks)
		if lowest != keep {
			t.Fatalf("step %d: the lowest is %d, want %d", step, lowest, keep)
		}
		if _, err := index.Check(s.rows, newest, blocks); err != nil {
			t.Errorf("step %d: %v", step, err)
		}
		if deleted == 0 {
			break
		}
	}
	if diff := cmp.Diff(from(all, keep), from(indexRows(s.chain), 0)); diff != "" {
		t.Errorf("rows, want (-) and got (+):\n%s", diff)
	}
}

// TestSweepStep checks that a sweep over many rows takes several steps.
func TestSweepStep(t *testing.T) {
	t.Parallel()
	const count, most = 5_000, 1_024
	rows := ledgertest.NewRows()
	var changes []schema.Change
	for i := range uint32(count) {
		value := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, uint64(i%10+1)), i)
		hash := ledgertest.Hash(string(binary.BigEndian.AppendUint32(nil, i)))
		changes = append(changes, schema.Change{Key: append([]byte{0x80}, hash[:]...), Value: value})
	}
	slices.SortFunc(changes, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	if err := rows.Apply(changes); err != nil {
		t.Fatal(err)
	}
	steps := 0
	for {
		_, deleted := prune(t, rows, 0, keptFrom{newChain(t), 9})
		if deleted == 0 {
			break
		}
		if steps++; deleted > most+1 {
			t.Errorf("step %d deletes %d rows", steps, deleted)
		}
	}
	if left := len(from(indexRows(&chain{rows: rows}), 0)); left != count/10*2 || steps != 1+count/most+1 {
		t.Errorf("%d of %d rows remain after %d steps", left, count, steps)
	}
}

// TestPruneFails checks that Prune returns an error for a missing block and for an invalid prune state.
func TestPruneFails(t *testing.T) {
	t.Parallel()
	if rows, _, err := index.Prune(ledgertest.NewRows(), 3, missing{}); err == nil || rows != nil {
		t.Errorf("a missing block: %d rows, %v", len(rows), err)
	}
	rows := ledgertest.NewRows()
	if err := rows.Apply([]schema.Change{{Key: []byte{0x89}, Value: []byte{7}}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := index.Prune(rows, 3, madeUp{}); err == nil {
		t.Error("an invalid prune state is accepted")
	}
	var difference *index.DifferenceError
	if _, err := index.Check(rows, 3, madeUp{}); !errors.As(err, &difference) || difference.Class != index.ClassPruneState {
		t.Errorf("the check returns %v", err)
	}
}

// missing provides no blocks although they should be kept.
type missing struct{}

func (missing) Base() uint64 { return 1 }

func (missing) Transactions(uint64) ([][]byte, error) { return nil, nil }
