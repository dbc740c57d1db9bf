package gitcache

import (
	"bytes"
	"testing"

	"makechain/internal/gitbundle"
)

// FuzzScanPack scans any bytes. What is accepted is within the limits.
func FuzzScanPack(f *testing.F) {
	w := &packWriter{t: f}
	base := w.object(entryBlob, []byte("base"))
	w.offsetDelta(base, insertDelta(4, "text"))
	w.refDelta(someID, copyDelta(4, 3))
	w.bundle(3, someID) // completes the header
	f.Add(append(bytes.Clone(w.Bytes()), make([]byte, 20)...))
	f.Add([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x00"))
	f.Add(append([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01"), bytes.Repeat([]byte{0xff}, 40)...))
	limits := DefaultLimits()
	limits.Objects, limits.ObjectBytes, limits.InflateBytes = 100, 1000, 10_000
	f.Fuzz(func(t *testing.T, content []byte) {
		scanned, err := scanPack(bytes.NewReader(content), int64(len(content)), gitbundle.SHA1, limits)
		if err != nil {
			return
		}
		if scanned.inflated > 10_000 || len(scanned.offsets) > 100 || len(scanned.offsets) != len(scanned.bases) {
			t.Errorf("got %+v", scanned)
		}
		for i, base := range scanned.bases {
			if int(base) >= i {
				t.Errorf("the base of object %d is object %d", i, base)
			}
		}
	})
}
