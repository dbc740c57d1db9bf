package snapshot

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestPause checks how long the writer of a snapshot pauses after a chunk, and that it pauses for longer while the state is busy.
func TestPause(t *testing.T) {
	t.Parallel()
	const work = 10 * time.Millisecond
	for busy, want := range map[bool]time.Duration{false: pauseFactor * work, true: busyPauseFactor * work} {
		t.Run(fmt.Sprintf("busy %t", busy), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				encoder, err := newEncoder()
				if err != nil {
					t.Fatal(err)
				}
				w := &writer{
					dir: dir, encoder: encoder, busy: func() bool { return busy }, closing: t.Context(), resumed: time.Now(),
					snapshot: Snapshot{Manifest: &Manifest{}},
				}
				for _, want := range []time.Duration{0, want} { // nothing precedes the first chunk
					start := time.Now()
					if err := w.chunk([]byte("rows")); err != nil {
						t.Fatal(err)
					}
					if paused := time.Since(start); paused != want {
						t.Errorf("a pause of %v, want %v", paused, want)
					}
					<-time.After(work)
				}
			})
		})
	}
}
