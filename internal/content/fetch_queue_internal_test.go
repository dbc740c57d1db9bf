package content

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"makechain/internal/ident"
)

// TestFetchQueue checks when projects are due: at once, a second time some time later, and after a failure with increasing delays;
// and that a project is fetched once at a time.
func TestFetchQueue(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	q := newFetchQueue(func() time.Time { return now })
	one, two := ident.Hash{1}, ident.Hash{2}
	take := func(want ident.Hash) {
		t.Helper()
		if got, wait, _ := q.take(); wait > 0 || got != want {
			t.Errorf("project %s is due in %v, want %s now", got, wait, want)
		}
	}
	expect := func(want time.Duration) {
		t.Helper()
		if got, wait, _ := q.take(); wait != want {
			t.Errorf("project %s is due in %v, want %v", got, wait, want)
		}
	}
	q.add(one)
	now = now.Add(time.Second)
	q.add(two)
	take(one)
	take(two)
	expect(maxFetchRetry) // both are being fetched
	q.done(one, false)
	q.done(two, false)
	expect(secondLook)
	now = now.Add(secondLook)
	for range 2 {
		got, wait, _ := q.take()
		if wait != 0 {
			t.Errorf("nothing is due after %v", secondLook)
		}
		q.done(got, false)
	}
	if len(q.projects) != 0 {
		t.Errorf("%d projects are left", len(q.projects))
	}

	q.add(one)
	for want := fetchRetry; want < 2*maxFetchRetry; want *= 2 {
		take(one)
		q.done(one, true)
		expect(min(want, maxFetchRetry))
		now = now.Add(min(want, maxFetchRetry))
	}
	take(one)
	q.done(one, true)
	q.add(one) // it has changed
	expect(fetchRetry)
}

// TestFetchQueueWaits checks that waiting for a project ends when one is added, and with the context.
func TestFetchQueueWaits(t *testing.T) {
	t.Parallel()
	q := newFetchQueue(time.Now)
	var group sync.WaitGroup
	group.Go(func() {
		if got, err := q.next(t.Context()); err != nil || got != (ident.Hash{1}) {
			t.Errorf("next: %s, %v", got, err)
		}
	})
	q.add(ident.Hash{1})
	group.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	group.Go(func() {
		if _, err := q.next(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("next after the end of the context: %v", err)
		}
	})
	cancel()
	group.Wait()
}

// TestFetchQueueLimit checks that the queue does not grow without limit.
func TestFetchQueueLimit(t *testing.T) {
	t.Parallel()
	q := newFetchQueue(time.Now)
	for i := range maxQueued + 10 {
		q.add(ident.Hash{byte(i), byte(i >> 8), byte(i >> 16)})
	}
	if len(q.projects) != maxQueued {
		t.Errorf("%d projects are queued, want %d", len(q.projects), maxQueued)
	}
}
