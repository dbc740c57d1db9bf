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

// prune prunes once, as a block does, and takes the rows over.
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

// heightOf is the block whose message left a row, if it was a message.
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

// from are the rows that are left when those of messages before a block are gone.
func from(rows []schema.Change, lowest uint64) []schema.Change {
	return slices.DeleteFunc(slices.Clone(rows), func(row schema.Change) bool {
		height, ofMessage := heightOf(row)
		return row.Key[0] == 0x89 || ofMessage && height < lowest
	})
}

// TestPrune prunes a story with messages of all types up to each of its blocks. Exactly the rows of earlier messages
// go; counts and names stay. The check finds nothing wrong whether or not the blocks are gone too, and everything that
// is left over or missing.
func TestPrune(t *testing.T) {
	t.Parallel()
	s := storyWithRefusals(t)
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
					t.Errorf("up to block %d: row %x is left over, and the check says %v", keep, row.Key, err)
				}
			}
		}
		if _, deleted := prune(t, rows, keep, s.chain); deleted != 0 {
			t.Errorf("up to block %d: %d rows are deleted once more", keep, deleted)
		}
	}
}

// madeUp are blocks of so many transactions that are no messages.
type madeUp struct{ transactions int }

func (madeUp) Base() uint64 { return 1 }

func (m madeUp) Transactions(uint64) ([][]byte, error) { return make([][]byte, m.transactions), nil }

// TestPruningTakesTurns prunes an old chain, of which one block lets go of a little.
func TestPruningTakesTurns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		transactions int
		blocks       []uint64 // pruned at each turn
	}{
		{0, []uint64{index.PruneStep, index.PruneStep, 8}},
		{100, []uint64{index.PruneStep, index.PruneStep, 8}},
		{ledger.MaxBlockMessages / 2, []uint64{3, 3, 3}},
		{ledger.MaxBlockMessages, []uint64{2, 2, 2}},
	} {
		rows, before := ledgertest.NewRows(), uint64(1)
		for turn, blocks := range test.blocks {
			lowest, _ := prune(t, rows, 41, madeUp{test.transactions})
			if lowest-before != blocks {
				t.Errorf("blocks of %d: turn %d prunes %d, want %d", test.transactions, turn, lowest-before, blocks)
			}
			before = lowest
		}
	}
}

// TestPruneLostBlocks prunes rows whose blocks are gone already. They are found, and until then the check puts up
// with them.
func TestPruneLostBlocks(t *testing.T) {
	t.Parallel()
	s := storyWithRefusals(t)
	all, newest := indexRows(s.chain), s.block.Height-1
	const base, keep = 4, 6
	blocks := keptFrom{s.chain, base}
	for turn := 1; ; turn++ {
		lowest, deleted := prune(t, s.rows, keep, blocks)
		if lowest != keep {
			t.Fatalf("turn %d: the lowest is %d, want %d", turn, lowest, keep)
		}
		if _, err := index.Check(s.rows, newest, blocks); err != nil {
			t.Errorf("turn %d: %v", turn, err)
		}
		if deleted == 0 {
			break
		}
	}
	if diff := cmp.Diff(from(all, keep), from(indexRows(s.chain), 0)); diff != "" {
		t.Errorf("rows, want (-) and got (+):\n%s", diff)
	}
}

// TestSweepTakesTurns looks for rows of lost blocks among many.
func TestSweepTakesTurns(t *testing.T) {
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
	turns := 0
	for {
		_, deleted := prune(t, rows, 0, keptFrom{newChain(t), 9})
		if deleted == 0 {
			break
		}
		if turns++; deleted > most+1 {
			t.Errorf("turn %d deletes %d rows", turns, deleted)
		}
	}
	if left := len(from(indexRows(&chain{rows: rows}), 0)); left != count/10*2 || turns != 1+count/most+1 {
		t.Errorf("%d of %d rows are left after %d turns", left, count, turns)
	}
}

// TestPruneFails on a block that is missing among those that are kept, and on a horizon that cannot be read.
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
		t.Error("an unreadable horizon is no error")
	}
	var difference *index.DifferenceError
	if _, err := index.Check(rows, 3, madeUp{}); !errors.As(err, &difference) || difference.Class != index.ClassPruneState {
		t.Errorf("the check says %v", err)
	}
}

// missing are blocks that are not where they should be.
type missing struct{}

func (missing) Base() uint64 { return 1 }

func (missing) Transactions(uint64) ([][]byte, error) { return nil, nil }
