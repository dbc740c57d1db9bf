package index_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"makechain/internal/index"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// classOf returns the class of the rows by their first byte.
func classOf() map[byte]index.Class {
	return map[byte]index.Class{
		0x80: index.ClassPosition, 0x81: index.ClassAccountActivity, 0x82: index.ClassProjectActivity, 0x83: index.ClassRefLog,
		0x84: index.ClassNames, 0x85: index.ClassStats, 0x86: index.ClassRefusals, 0x87: index.ClassRefusals, 0x88: index.ClassRefusals,
		0x8A: index.ClassForks,
	}
}

// indexRows returns the index rows of a chain.
func indexRows(c *chain) []schema.Change {
	var rows []schema.Change
	_ = c.rows.Scan([]byte{0x80}, nil, func(key, value []byte) bool { // reading rows in memory does not fail
		rows = append(rows, schema.Change{Key: bytes.Clone(key), Value: bytes.Clone(value), Existed: true})
		return true
	})
	return rows
}

// damaged returns the result of Check after a change that no block made.
func damaged(t *testing.T, c *chain, change schema.Change) error {
	t.Helper()
	rows := c.rows.Clone()
	if err := rows.Apply([]schema.Change{change}); err != nil {
		t.Fatal(err)
	}
	_, err := index.Check(rows, c.block.Height-1, c)
	return err
}

// withRefusals returns a chain with all types on which messages were refused.
func withRefusals(t *testing.T) *everyType {
	t.Helper()
	s := commitEveryType(newChain(t))
	s.commit(s.sign("bobby", message.ProjectRemove(s.project)), s.sign("bobby", message.Star(ledgertest.Hash("nothing"))))
	if len(s.refused) != 2 {
		t.Fatalf("refused %v, want two messages", s.refused)
	}
	return s
}

// TestCheckFindsDamage checks that Check detects the deletion and the change of every index row.
func TestCheckFindsDamage(t *testing.T) {
	t.Parallel()
	s := withRefusals(t)
	s.check()
	seen := map[byte]bool{}
	for _, row := range indexRows(s.chain) {
		seen[row.Key[0]] = true
		changed := bytes.Clone(row.Value)
		changed[len(changed)/3] ^= 0x40
		for _, value := range [][]byte{nil, changed} {
			var difference *index.DifferenceError
			err := damaged(t, s.chain, schema.Change{Key: row.Key, Value: value, Existed: true})
			if !errors.As(err, &difference) {
				// The content of a refusal cannot be checked.
				if row.Key[0] < 0x86 || row.Key[0] > 0x88 || value == nil || err != nil {
					t.Errorf("row %x with value %x returns %v, want a difference", row.Key, value, err)
				}
				continue
			}
			if want := classOf()[row.Key[0]]; difference.Class != want {
				t.Errorf("row %x with value %x: %v, want class %q", row.Key, value, err, want)
			}
		}
	}
	if len(seen) != len(classOf()) {
		t.Errorf("rows of %d kinds were damaged, want %d", len(seen), len(classOf()))
	}
}

// TestCheckFindsExtraRows checks that Check detects rows that do not follow from blocks and state.
func TestCheckFindsExtraRows(t *testing.T) {
	t.Parallel()
	s := withRefusals(t)
	for _, row := range indexRows(s.chain) {
		if len(row.Key) == 1 || row.Key[0] == 0x86 {
			continue
		}
		stray := bytes.Clone(row.Key)
		stray[5] ^= 1 // in the account, project, name or hash
		var difference *index.DifferenceError
		err := damaged(t, s.chain, schema.Change{Key: stray, Value: row.Value})
		if !errors.As(err, &difference) || difference.Class != classOf()[row.Key[0]] {
			t.Errorf("row %x returns %v, want a difference of class %q", stray, err, classOf()[row.Key[0]])
		}
	}
	var difference *index.DifferenceError
	err := damaged(t, s.chain, schema.Change{Key: []byte{0xF0}, Value: []byte{1}})
	if !errors.As(err, &difference) || difference.Class != index.ClassUnknown {
		t.Errorf("a row of an unknown class returns %v", err)
	}
}

// keptFrom is a chain without its oldest blocks.
type keptFrom struct {
	*chain
	base uint64
}

func (k keptFrom) Base() uint64 { return k.base }

func (k keptFrom) Transactions(height uint64) ([][]byte, error) {
	if height < k.base {
		return nil, errors.New("dropped")
	}
	return k.chain.Transactions(height)
}

// TestCheckOfKeptBlocks checks a chain whose oldest blocks are missing, with and without their rows.
func TestCheckOfKeptBlocks(t *testing.T) {
	t.Parallel()
	s := withRefusals(t)
	for base := uint64(1); base < s.block.Height; base++ {
		kept := keptFrom{s.chain, base}
		report, err := index.Check(s.rows, s.block.Height-1, kept)
		if err != nil {
			t.Fatalf("from block %d: %v", base, err)
		}
		if want := s.block.Height - base; report.Blocks != want {
			t.Errorf("checked %d blocks, want %d", report.Blocks, want)
		}
		i := slices.IndexFunc(s.applied, func(a applied) bool { return a.Height >= base })
		if i < 0 {
			continue
		}
		hash := s.applied[i].Message.Hash
		rows := s.rows.Clone()
		if err := rows.Apply([]schema.Change{{Key: append([]byte{0x80}, hash[:]...), Existed: true}}); err != nil {
			t.Fatal(err)
		}
		var difference *index.DifferenceError
		if _, err := index.Check(rows, s.block.Height-1, kept); !errors.As(err, &difference) || difference.Class != index.ClassPosition {
			t.Errorf("from block %d: a missing position returns %v", base, err)
		}
	}
}

// TestRowsInvalidStats checks that Rows returns an error for invalid stored counts.
func TestRowsInvalidStats(t *testing.T) {
	t.Parallel()
	s := commitEveryType(newChain(t))
	var stats []byte
	for _, row := range indexRows(s.chain) {
		if row.Key[0] == 0x85 {
			stats = row.Value
		}
	}
	for _, value := range [][]byte{make([]byte, len(stats)), {1, 2, 3}} {
		rows := s.rows.Clone()
		if err := rows.Apply([]schema.Change{{Key: []byte{0x85}, Value: value, Existed: true}}); err != nil {
			t.Fatal(err)
		}
		result, err := s.ledger.Assemble(rows, s.block, []*message.Envelope{s.sign("bobby", message.Unstar(s.project))}, nil)
		if err != nil || len(result.Applied) != 1 {
			t.Fatalf("%+v, %v", result, err)
		}
		if _, err := index.Rows(rows, committed(s.block, result), nil); err == nil {
			t.Errorf("counts %x are accepted", value)
		}
	}
}
