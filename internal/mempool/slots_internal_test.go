package mempool

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"makechain/internal/ident"
)

// slotTest records the order in which admissions get the only slot.
type slotTest struct {
	*testing.T

	slots *slots
	order []string
	done  []chan struct{}
}

func from(client byte) origin {
	return origin{client: netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, client}), 32)}
}

// queue starts an admission, which waits for the slot and then uses it for so long, and returns when it waits.
func (t *slotTest) queue(client, sender byte, spent time.Duration) {
	done := make(chan struct{})
	t.done = append(t.done, done)
	go func() {
		defer close(done)
		turn, err := t.slots.acquire(t.Context(), from(client), ident.Address{sender})
		if err != nil {
			t.Error(err)
			return
		}
		t.order = append(t.order, fmt.Sprintf("%d.%d", client, sender))
		turn.spent = spent
		t.slots.release(turn)
	}()
	synctest.Wait()
}

// run waits until all admissions that were queued are done and compares their order.
func (t *slotTest) run(held turn, want ...string) {
	t.Helper()
	t.slots.release(held)
	for _, done := range t.done {
		<-done
	}
	if !slices.Equal(t.order, want) {
		t.Errorf("the order is %v, want %v", t.order, want)
	}
	t.order, t.done = nil, nil
}

// hold takes the slot, so that admissions queue.
func (t *slotTest) hold() turn {
	t.Helper()
	held, err := t.slots.acquire(t.Context(), origin{peer: "a peer"}, ident.Address{})
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func testSlots(t *testing.T, test func(*slotTest)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(&slotTest{T: t, slots: newSlots(1)}) })
}

// TestSlotsOfClients checks that a client whose admissions take long does not delay those of other clients, whether it
// queues many at a time or one after another.
//
// Rules: P10.1.
func TestSlotsOfClients(t *testing.T) {
	t.Parallel()
	testSlots(t, func(t *slotTest) {
		held := t.hold()
		for range 3 {
			t.queue(1, 1, time.Second)
		}
		for range 3 {
			t.queue(2, 2, time.Millisecond)
		}
		t.queue(3, 3, time.Millisecond)
		t.run(held, "1.1", "2.2", "3.3", "2.2", "2.2", "1.1", "1.1")

		// What a client used counts later as well, but a client that was idle has not saved up time.
		held = t.hold()
		t.queue(1, 1, time.Second)
		t.queue(2, 2, time.Millisecond)
		t.queue(4, 4, time.Millisecond)
		t.run(held, "2.2", "4.4", "1.1")
	})
}

// TestSlotsOfSenders checks that the senders of one client take turns.
//
// Rules: P10.1.
func TestSlotsOfSenders(t *testing.T) {
	t.Parallel()
	testSlots(t, func(t *slotTest) {
		held := t.hold()
		for range 3 {
			t.queue(1, 1, time.Millisecond)
		}
		for range 2 {
			t.queue(1, 2, time.Millisecond)
		}
		t.run(held, "1.1", "1.2", "1.1", "1.2", "1.1")
	})
}

// TestSlotsCanceled checks that an admission whose client left gives up its place, and that a slot granted to it at the same
// time is passed on.
func TestSlotsCanceled(t *testing.T) {
	t.Parallel()
	testSlots(t, func(t *slotTest) {
		held := t.hold()
		ctx, cancel := context.WithCancel(t.Context())
		canceled := make(chan error, 1)
		go func() {
			_, err := t.slots.acquire(ctx, from(1), ident.Address{1})
			canceled <- err
		}()
		synctest.Wait()
		t.queue(2, 2, time.Millisecond)
		cancel()
		if err := <-canceled; err == nil {
			t.Error("no error although the context ended")
		}
		t.run(held, "2.2")

		held = t.hold()
		ctx, cancel = context.WithCancel(t.Context())
		go func() {
			turn, err := t.slots.acquire(ctx, from(1), ident.Address{1})
			if err == nil {
				t.slots.release(turn)
			}
			canceled <- err
		}()
		synctest.Wait()
		t.queue(2, 2, time.Millisecond)
		t.slots.mu.Lock() // the slot is granted and the context ends before the admission sees either
		t.slots.pass(held.source, 0)
		cancel()
		t.slots.mu.Unlock()
		<-canceled
		t.run(turn{}, "2.2")
		if t.slots.free != 1 || len(t.slots.waiting) != 0 {
			t.Errorf("%d slots are free and %d sources wait, want 1 and 0", t.slots.free, len(t.slots.waiting))
		}
	})
}

// TestSlotsYield checks that a long admission lets another one pass when it has used its time, and only then.
//
// Rules: P10.1.
func TestSlotsYield(t *testing.T) {
	t.Parallel()
	testSlots(t, func(t *slotTest) {
		held := t.hold()
		t.queue(1, 1, time.Millisecond)
		held.spent = maxTurn - 1
		if err := t.slots.yield(t.Context(), &held); err != nil || len(t.order) != 0 {
			t.Errorf("%v, and %v passed before the time was used", err, t.order)
		}
		held.spent = maxTurn
		if err := t.slots.yield(t.Context(), &held); err != nil || len(t.order) != 1 {
			t.Errorf("%v, and %v passed, want one admission", err, t.order)
		}
		held.spent = maxTurn
		if err := t.slots.yield(t.Context(), &held); err != nil {
			t.Errorf("nothing waits: %v", err)
		}
		t.run(held, "1.1")

		held = t.hold()
		held.spent = maxTurn
		t.queue(1, 1, time.Millisecond)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := t.slots.yield(ctx, &held); err == nil && held.source == nil || err != nil && held.source != nil {
			t.Errorf("error %v, and the slot is held: %t", err, held.source != nil)
		}
		t.run(held, "1.1")
		if t.slots.free != 1 {
			t.Errorf("%d slots are free, want 1", t.slots.free)
		}
	})
}

// TestSlotsForget checks that the number of sources that are remembered is limited.
func TestSlotsForget(t *testing.T) {
	t.Parallel()
	testSlots(t, func(t *slotTest) {
		for i := range 3 * maxSources {
			address := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
			turn, err := t.slots.acquire(t.Context(), origin{client: netip.PrefixFrom(address, 32)}, ident.Address{})
			if err != nil {
				t.Fatal(err)
			}
			turn.spent = time.Duration(i%2) * time.Hour
			t.slots.release(turn)
		}
		if got := len(t.slots.sources); got > maxSources {
			t.Errorf("%d sources are remembered, at most %d", got, maxSources)
		}
	})
}
