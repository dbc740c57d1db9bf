package attester_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"makechain/internal/attester"
	"makechain/internal/evm"
	"makechain/internal/ident"
)

func payment(n byte) attester.Payment {
	return attester.Payment{
		Rent:        evm.Rent{TxHash: ident.Hash{n / 2}, LogIndex: uint32(n), Owner: ident.Address{n}, Actor: ident.Address{n, 1}, Units: uint32(n) + 1, Timestamp: 5},
		BlockNumber: uint64(n) * 10, BlockHash: ident.Hash{31: n},
	}
}

func openStore(t *testing.T, dir string) *attester.Store {
	t.Helper()
	s, err := attester.OpenStore(dir, 1, ident.Address{1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestStore checks that payments and the cursor are there after the store is opened again, and that no payment is stored twice.
func TestStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	if added, err := s.Append([]attester.Payment{payment(0), payment(1), payment(2)}); err != nil || added != 3 {
		t.Fatalf("added %d: %v", added, err)
	}
	if added, err := s.Append([]attester.Payment{payment(1), payment(3)}); err != nil || added != 1 {
		t.Fatalf("added %d: %v", added, err)
	}
	cursor := attester.Cursor{Number: 7, Hash: ident.Hash{7}, Rescanned: 9}
	if err := s.SetCursor(cursor); err != nil {
		t.Fatal(err)
	}
	changed := payment(1)
	changed.Units++
	if _, err := s.Append([]attester.Payment{changed}); err == nil {
		t.Error("a payment was changed")
	}
	for _, opened := range []*attester.Store{s, openStore(t, dir)} {
		if opened.Count() != 4 || opened.Cursor() != cursor {
			t.Errorf("%d payments, cursor %+v", opened.Count(), opened.Cursor())
		}
		for n := range byte(4) {
			if got, found, err := opened.Find(payment(n).TxHash, uint32(n)); err != nil || !found || got != payment(n) {
				t.Errorf("payment %d: %+v, %v, %v", n, got, found, err)
			}
		}
		if _, found, err := opened.Find(ident.Hash{}, 5); found || err != nil {
			t.Errorf("a payment that is not stored: %v, %v", found, err)
		}
		if of, err := opened.Of(payment(2).TxHash); err != nil || len(of) != 2 || of[0] != payment(3) || of[1] != payment(2) {
			t.Errorf("payments of a transaction: %+v, %v", of, err)
		}
	}
}

// TestStoreTorn cuts and overwrites the end of the file at many places, as a crash during a write does: complete records are kept, and
// the others can be stored again.
func TestStoreTorn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := []attester.Payment{payment(0), payment(1), payment(2)}
	if _, err := openStore(t, dir).Append(all); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "payments")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := len(whole) / len(all)
	for cut := 0; cut < len(whole); cut += 13 { // every byte would take minutes of syncs
		for _, torn := range [][]byte{whole[:cut], append(bytes.Clone(whole[:cut]), make([]byte, len(whole)-cut)...)} {
			if err := os.WriteFile(path, torn, 0o600); err != nil {
				t.Fatal(err)
			}
			s := openStore(t, dir)
			if got := int(s.Count()); got != cut/size && !bytes.Equal(torn, whole) {
				t.Fatalf("cut at %d: %d payments, want %d", cut, got, cut/size)
			}
			if _, err := s.Append(all); err != nil || s.Count() != 3 {
				t.Fatalf("cut at %d: %d payments, %v", cut, s.Count(), err)
			}
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, whole) {
				t.Fatalf("cut at %d: the file differs (%v)", cut, err)
			}
		}
	}
}

// TestStoreDamaged checks that a file in which a record before others was changed, or that is of another contract, is refused.
func TestStoreDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := openStore(t, dir).Append([]attester.Payment{payment(0), payment(1)}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "payments")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(whole) / 2 {
		changed := bytes.Clone(whole)
		changed[i] ^= 1
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := attester.OpenStore(dir, 1, ident.Address{1}); !errors.Is(err, attester.ErrDamaged) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "cursor.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := attester.OpenStore(dir, 1, ident.Address{1}); err == nil {
		t.Error("a cursor that is not valid is accepted")
	}
}
