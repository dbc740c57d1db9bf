package backoff

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestSleep checks that Sleep waits for the whole duration, and returns the cause when the context ends first.
func TestSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := Sleep(t.Context(), time.Minute); err != nil || time.Since(start) != time.Minute {
			t.Errorf("returned after %s: %v", time.Since(start), err)
		}
		cause := errors.New("cause")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, cause)
		defer cancel()
		start = time.Now()
		if err := Sleep(ctx, time.Hour); !errors.Is(err, cause) || time.Since(start) != time.Second {
			t.Errorf("returned after %s: %v", time.Since(start), err)
		}
	})
}

// TestBackoff checks that delays double up to the maximum, that jitter takes off at most half, and that Reset starts
// again with the initial delay.
func TestBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := New(time.Second, 5*time.Second)
		for round := range 2 {
			for i, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second} {
				if b.IsInitial() != (i == 0) {
					t.Errorf("round %d, delay %d: IsInitial is %t", round, i, b.IsInitial())
				}
				start := time.Now()
				if err := b.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				if waited := time.Since(start); waited < want/2 || waited > want {
					t.Errorf("round %d, delay %d: waited %s, want between %s and %s", round, i, waited, want/2, want)
				}
			}
			b.Reset()
		}
	})
}
