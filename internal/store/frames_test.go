package store

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

// TestFrames writes and reads data of several sizes, and checks that changed, missing and exchanged parts are detected and
// that no damaged data is returned.
func TestFrames(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{0, 1, 100, frameBytes - 1, frameBytes, frameBytes + 1, 3*frameBytes + 5} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		var file bytes.Buffer
		w := newFrameWriter(&file)
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 1+rng.IntN(frameBytes))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(newFrameReader(bytes.NewReader(file.Bytes())))
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes: read %d bytes, %v", size, len(got), err)
		}
		for range 50 {
			damaged := bytes.Clone(file.Bytes())
			if i := rng.IntN(len(damaged)); rng.IntN(2) == 0 {
				damaged[i] ^= 1 << rng.IntN(8)
			} else {
				damaged = damaged[:i]
			}
			got, err := io.ReadAll(newFrameReader(bytes.NewReader(damaged)))
			if !errors.Is(err, errFrame) || !bytes.HasPrefix(data, got) {
				t.Fatalf("%d bytes, damaged: read %d bytes, %v", size, len(got), err)
			}
		}
		if size > 2*frameBytes {
			swapped := bytes.Clone(file.Bytes())
			copy(swapped, file.Bytes()[frameHead+frameBytes:][:frameHead+frameBytes])
			if _, err := io.ReadAll(newFrameReader(bytes.NewReader(swapped))); !errors.Is(err, errFrame) {
				t.Errorf("exchanged frames: error %v", err)
			}
		}
	}
}
