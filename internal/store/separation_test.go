package store

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"makechain/internal/schema"
)

// TestSeparatedValues checks that values in blob files are the same to a snapshot, an iterator and a store that is opened
// again, that a store without blob files opens with them and the other way round, and that the bytes written are counted.
//
// Rules: T2/start.
func TestSeparatedValues(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	options := Options{fs: fs}.PebbleOptions()
	options.Experimental.ValueSeparationPolicy = nil // as the previous version
	db, err := pebble.Open("state", options)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, fs)
	const heights, rows = 6, 50
	value := func(height uint64, i int) []byte {
		return bytes.Repeat(binary.BigEndian.AppendUint32(nil, uint32(height)<<16|uint32(i)), 2+(i%2)*separateBytes/2)
	}
	key := func(i int) []byte { return binary.BigEndian.AppendUint32([]byte{byte(schema.PrefixCommit)}, uint32(i)) }
	var third *Snapshot
	for height := uint64(1); height <= heights; height++ {
		var changes []schema.Change
		for i := range rows {
			changes = append(changes, schema.Change{Key: key(i), Value: value(height, i), Existed: height > 1})
		}
		commit(t, s, height, changes)
		if err := s.db.Flush(); err != nil {
			t.Fatal(err)
		}
		if height == 3 {
			third = s.Snapshot()
		}
	}
	if err := s.db.Compact(t.Context(), []byte{0}, []byte{0xFF}, false); err != nil {
		t.Fatal(err)
	}
	check := func(state *Snapshot, height uint64) {
		t.Helper()
		found := 0
		if err := state.Scan(nil, rowsEnd(), func(k, v []byte) bool {
			if !bytes.Equal(k, key(found)) || !bytes.Equal(v, value(height, found)) {
				t.Errorf("height %d: row %x has %d bytes", height, k, len(v))
			}
			found++
			return true
		}); err != nil || found != rows {
			t.Errorf("height %d: %d rows, %v", height, found, err)
		}
	}
	check(third, 3)
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	if m := s.db.Metrics(); m.BlobFiles.LiveCount == 0 {
		t.Error("no blob files")
	}
	if w := s.Written(); w.WAL == 0 || w.Flush == 0 || w.Compaction == 0 {
		t.Errorf("written %+v", w)
	}
	closeStore(t, s)
	if db, err = pebble.Open("state", options); err != nil {
		t.Fatal(err)
	}
	if stored, closer, err := db.Get(key(1)); err != nil || !bytes.Equal(stored, value(heights, 1)) {
		t.Errorf("without separation: %d bytes, %v", len(stored), err)
	} else if err := closer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, fs)
	latest := s.Snapshot()
	check(latest, heights)
	if err := latest.Close(); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
}
