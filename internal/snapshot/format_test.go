package snapshot

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"makechain/internal/statesync"
)

// TestFormat pins the bytes of format 2: the manifest, the chunk boundaries and the output of the compressor. A change of
// these, for example by a new version of the compressor, requires a new Format: nodes could not share snapshots.
func TestFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mask   byte
		chunks int
		want   string
	}{
		{0xff, 3, "787026f09d53469787ae3ad005ccdced2fef5ccb11e5420615343ad14a1c5564"},
		{0x03, 3, "35dcf2476673747ea1460b82d6e96f295ebd9a4f35a227edfdaf2ceead6bdf1d"},
	} {
		rows := newRowMaker(3, 9_000)
		rows.mask = test.mask
		for range 600 {
			rows.add()
		}
		s, changes := newStore(t, 1), rows.changes()
		fill(t, s, changes, len(changes))
		newest := take(t, openDir(t, t.TempDir(), 1), s)
		hash := newest.Hash()
		if got := hex.EncodeToString(hash[:]); got != test.want || len(newest.Chunks) != test.chunks {
			t.Errorf("mask %x: snapshot %s of %d chunks, want %s of %d", test.mask, got, len(newest.Chunks), test.want, test.chunks)
		}
	}
}

// TestManifest checks the encoding of manifests, and that other bytes are refused.
func TestManifest(t *testing.T) {
	t.Parallel()
	m := &Manifest{Height: 1 << 40, Root: Hash{1}, Rows: 2, Chunks: []Hash{{4}, {5}}}
	got, err := ParseManifest(m.Encode())
	if diff := cmp.Diff(m, got); err != nil || diff != "" {
		t.Errorf("error %v, difference %s", err, diff)
	}
	encoded := m.Encode()
	for size := range encoded {
		_, err := ParseManifest(encoded[:size])
		complete := size > chunksAt && (size-chunksAt)%len(Hash{}) == 0
		if complete != (err == nil) || !complete && !errors.Is(err, ErrManifest) {
			t.Errorf("%d bytes: error %v", size, err)
		}
	}
	encoded[3]++
	if _, err := ParseManifest(encoded); !errors.Is(err, statesync.ErrFormat) {
		t.Errorf("error %v, want %v", err, statesync.ErrFormat)
	}
}

// FuzzManifest checks that a manifest has exactly one encoding.
func FuzzManifest(f *testing.F) {
	m := &Manifest{Height: 1, Root: Hash{1}, Rows: 2, Chunks: []Hash{{4}, {5}}}
	f.Add(m.Encode())
	f.Add(m.Encode()[:chunksAt])
	f.Add([]byte{0, 0, 0, Format})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseManifest(b)
		if err == nil && !bytes.Equal(m.Encode(), b) {
			t.Errorf("%x is read as %x", b, m.Encode())
		}
	})
}

// FuzzChunk checks that the rows of a valid chunk are in order and encode to the same bytes.
func FuzzChunk(f *testing.F) {
	rows := newRowMaker(4, 10)
	for range 5 {
		rows.add()
	}
	var chunk []byte
	for _, row := range rows.changes() {
		chunk = appendRow(chunk, row.Key, row.Value)
	}
	f.Add(chunk, true)
	f.Add(chunk[:len(chunk)-1], true)
	f.Add([]byte{}, false)
	f.Add([]byte{0x80, 0}, true)
	f.Fuzz(func(t *testing.T, b []byte, isLast bool) {
		var last, again []byte
		err := new(rowReader).read(b, isLast, func(key, value []byte) error {
			if bytes.Compare(last, key) >= 0 {
				t.Errorf("row %x is not after %x", key, last)
			}
			last, again = bytes.Clone(key), appendRow(again, key, value)
			return nil
		})
		if err == nil && !bytes.Equal(again, b) {
			t.Errorf("%x is read as %x", b, again)
		}
	})
}

// FuzzDecompress checks that decompressing arbitrary bytes returns no more than the largest chunk.
func FuzzDecompress(f *testing.F) {
	encoder, err := newEncoder()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(encoder.EncodeAll(nil, nil))
	f.Add(encoder.EncodeAll([]byte("some rows"), nil))
	f.Add(encoder.EncodeAll(make([]byte, maxChunkSize+1), nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		decoder, err := newDecoder()
		if err != nil {
			t.Fatal(err)
		}
		defer decoder.Close()
		if rows, err := decoder.DecodeAll(b, nil); err == nil && len(rows) > maxChunkSize {
			t.Errorf("%d bytes, at most %d", len(rows), maxChunkSize)
		}
	})
}
