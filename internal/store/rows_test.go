package store

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"makechain/internal/schema"
)

// TestRows checks that the rows of a height do not change while later blocks replace and delete them, and that they do not
// keep the tree of their height.
//
// Rules: T2/reads.
func TestRows(t *testing.T) {
	t.Parallel()
	s := open(t, vfs.NewMem())
	const count = 200
	key := func(i int) []byte { return binary.BigEndian.AppendUint32([]byte{byte(schema.PrefixCommit)}, uint32(i)) }
	var changes []schema.Change
	for i := range count {
		changes = append(changes, schema.Change{Key: key(i), Value: bytes.Repeat([]byte{1}, i+1)})
	}
	commit(t, s, 1, changes)
	before := s.latest
	rows := s.Rows()
	if rows.Height() != 1 || rows.Root() != before.Root() {
		t.Errorf("height %d, root %x", rows.Height(), rows.Root())
	}
	for height := uint64(2); height <= 20; height++ {
		for i := range changes {
			changes[i] = schema.Change{Key: key(i), Value: bytes.Repeat([]byte{byte(height)}, i+1), Existed: true}
		}
		if height == 20 {
			for i := range changes {
				changes[i].Value = nil
			}
		}
		commit(t, s, height, changes)
		if err := s.db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.db.Compact(t.Context(), []byte{0}, []byte{0xFF}, false); err != nil {
		t.Fatal(err)
	}
	if before.refs != 0 {
		t.Error("the rows keep the tree of their height")
	}
	found := 0
	err := rows.Scan(nil, rowsEnd(), func(k, v []byte) bool {
		if !bytes.Equal(k, key(found)) || !bytes.Equal(v, bytes.Repeat([]byte{1}, found+1)) {
			t.Errorf("row %x has value %x", k, v)
		}
		found++
		return true
	})
	if err != nil || found != count {
		t.Errorf("%d rows, %v", found, err)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
}
