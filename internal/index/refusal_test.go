package index

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// recorder records refusals block by block.
type recorder struct {
	*testing.T

	rows *ledgertest.Rows
	keep retention
}

// refusalOf returns a refusal of the message that a name identifies.
func refusalOf(name string) ledger.Refused {
	return ledger.Refused{
		Message: &message.Envelope{Hash: ledgertest.Hash(name)},
		Refusal: &message.Refusal{Stage: message.StateTransition, Code: message.CodeStaleWrite, Field: "field", Reason: "reason of " + name},
	}
}

// record commits a block and returns the number of rows it changed.
func (d *recorder) record(block ledger.Block, refused ...ledger.Refused) int {
	d.Helper()
	rows, err := blockRows(d.rows, &ledger.Committed{Block: block}, refused, d.keep)
	if err != nil {
		d.Fatal(err)
	}
	slices.SortFunc(rows, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	if err := d.rows.Apply(rows); err != nil {
		d.Fatal(err)
	}
	if _, err := Check(d.rows, 0, noBlocks{}); err != nil {
		d.Fatal(err)
	}
	return len(rows)
}

// noBlocks provides no blocks.
type noBlocks struct{}

func (noBlocks) Base() uint64                          { return 0 }
func (noBlocks) Transactions(uint64) ([][]byte, error) { return nil, errors.New("no blocks") }

// recordedAt returns the block with which the refusal of a name was recorded, 0 if there is none.
func (d *recorder) recordedAt(name string) uint64 {
	d.Helper()
	refused, err := NewReader(d.rows).Refusal(ledgertest.Hash(name))
	if err != nil {
		d.Fatal(err)
	}
	if refused == nil {
		return 0
	}
	want := refusedRow(refusalOf(name), refused.Height, refused.Time)
	if *refused != want {
		d.Fatalf("refusal %+v, want %+v", refused, want)
	}
	return refused.Height
}

// TestRefusalTTL checks that a refusal expires after its TTL, counted from the last refusal of the message.
//
// Rules: P10.4.
func TestRefusalTTL(t *testing.T) {
	t.Parallel()
	d := &recorder{T: t, rows: ledgertest.NewRows(), keep: retention{ttl: 100, count: 10}}
	d.record(ledger.Block{Height: 1, Time: 1000}, refusalOf("a"), refusalOf("b"), refusalOf("a"))
	d.record(ledger.Block{Height: 2, Time: 1000}, refusalOf("a"))
	d.record(ledger.Block{Height: 3, Time: 1050}, refusalOf("b"))
	for _, step := range []struct {
		height, time uint64
		a, b         uint64 // the block that recorded each, 0 for none
	}{
		{4, 1100, 2, 3}, {5, 1101, 0, 3}, {6, 1150, 0, 3}, {7, 1151, 0, 0}, {8, 9999, 0, 0},
	} {
		d.record(ledger.Block{Height: step.height, Time: step.time})
		if a, b := d.recordedAt("a"), d.recordedAt("b"); a != step.a || b != step.b {
			t.Errorf("at %d the refusals were recorded at blocks %d and %d, want %d and %d", step.time, a, b, step.a, step.b)
		}
	}
	if changed := d.record(ledger.Block{Height: 9, Time: 99_999}); changed > 0 {
		t.Errorf("a block without new or expired refusals changes %d rows", changed)
	}
}

// TestRefusalsAreBounded checks that the oldest refusals are deleted beyond the limit, whatever their age.
//
// Rules: P10.4.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	d := &recorder{T: t, rows: ledgertest.NewRows(), keep: retention{ttl: 1_000_000, count: 100}}
	for height := uint64(1); height <= 30; height++ {
		var refused []ledger.Refused
		for i := range 10 {
			refused = append(refused, refusalOf(fmt.Sprint(height, "/", i)))
		}
		d.record(ledger.Block{Height: height, Time: 1000 + height}, refused...)
	}
	for height := uint64(1); height <= 30; height++ {
		for i := range 10 {
			want := height
			if height <= 20 {
				want = 0
			}
			if got := d.recordedAt(fmt.Sprint(height, "/", i)); got != want {
				t.Fatalf("refusal %d/%d was recorded at block %d, want %d", height, i, got, want)
			}
		}
	}
}

// TestRefusalPruneStep checks that many expired refusals are deleted over several blocks.
func TestRefusalPruneStep(t *testing.T) {
	t.Parallel()
	const many = 3*refusalPruneStep + 1
	d := &recorder{T: t, rows: ledgertest.NewRows(), keep: retention{ttl: 10, count: many}}
	var refused []ledger.Refused
	for i := range many {
		refused = append(refused, refusalOf(strconv.Itoa(i)))
	}
	d.record(ledger.Block{Height: 1, Time: 1000}, refused...)
	for height := uint64(2); height <= 5; height++ {
		if changed := d.record(ledger.Block{Height: height, Time: 2000}); changed == 0 || changed > 2*refusalPruneStep+1 {
			t.Errorf("block %d changes %d rows, want at most a step", height, changed)
		}
	}
	if changed := d.record(ledger.Block{Height: 6, Time: 2000}); changed > 0 {
		t.Errorf("%d rows change after all refusals were deleted", changed)
	}
}

// FuzzDecodeRefused checks that a refusal decoded from arbitrary bytes encodes and decodes to the same value.
func FuzzDecodeRefused(f *testing.F) {
	row := refusedRow(refusalOf("a"), 7, 1000)
	f.Add(row.encode())
	f.Add(make([]byte, 20))
	f.Add(bytes.Repeat([]byte{0xFF}, 40))
	f.Fuzz(func(t *testing.T, value []byte) {
		r, err := decodeRefused(value)
		if err != nil {
			return
		}
		if again, err := decodeRefused(r.encode()); err != nil || *again != *r {
			t.Errorf("%x decodes to %+v, and that to %+v, %v", value, r, again, err)
		}
	})
}

// TestPositionOrder checks that keys sort newest first.
func TestPositionOrder(t *testing.T) {
	t.Parallel()
	positions := []Position{{0, 0}, {0, 1}, {1, 0}, {1, 1<<32 - 1}, {2, 0}, {255, 9}, {256, 3}, {1 << 40, 0}}
	for i, p := range positions {
		key := p.appendTo(accountKey(ident.Address{}, 1))
		if keyPosition(key) != p {
			t.Errorf("%v decodes to %v", p, keyPosition(key))
		}
		if i > 0 && bytes.Compare(key, positions[i-1].appendTo(accountKey(ident.Address{}, 1))) >= 0 {
			t.Errorf("%v does not come before %v", p, positions[i-1])
		}
	}
}

// refusedRow returns the row that a block records for a refusal.
func refusedRow(r ledger.Refused, height, time uint64) Refused {
	return Refused{
		Stage: r.Refusal.Stage, Code: r.Refusal.Code, Field: r.Refusal.Field, Reason: r.Refusal.Reason,
		Height: height, Time: time,
	}
}
