package rest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
)

// A step is one operation of a simulation of a chain, its hub and listeners.
type step struct {
	kind  string
	n     int // how many, or which
	types []pb.MessageType
	from  *eventCursor
	of    *eventFilter
}

// drawSteps draws a simulation: blocks, failures, pruning, and listeners that start, read at their own pace, stop and resume.
func drawSteps(draw *rapid.T) []step {
	kinds := []string{"commit", "commit", "commit", "listen", "read", "read", "read", "return", "leave", "cut", "down", "prune", "wait"}
	kind := rapid.SliceOfN(rapid.SampledFrom(typesOfModel()), 0, 4)
	return rapid.SliceOfN(rapid.Custom(func(draw *rapid.T) step {
		s := step{kind: rapid.SampledFrom(kinds).Draw(draw, "kind"), n: rapid.IntRange(0, 12).Draw(draw, "n")}
		switch s.kind {
		case "commit":
			s.types = kind.Draw(draw, "types")
		case "listen":
			if rapid.Bool().Draw(draw, "at a position") {
				s.from = &eventCursor{block: rapid.Uint64Range(0, 20).Draw(draw, "block"), index: rapid.Uint32Range(0, 5).Draw(draw, "index")}
			}
			if rapid.Bool().Draw(draw, "with a filter") {
				s.of = &eventFilter{types: []pb.MessageType{rapid.SampledFrom(typesOfModel()).Draw(draw, "type")}}
			}
		}
		return s
	}), 20, 120).Draw(draw, "steps")
}

func typesOfModel() []pb.MessageType {
	return []pb.MessageType{pb.MessageType_MESSAGE_TYPE_LINK_ADD, pb.MessageType_MESSAGE_TYPE_FORK}
}

// TestHubModel runs random simulations and checks that a listener receives exactly the events that match its filter from its
// position on, until it receives errPruned.
//
// Rules: P10.7.
func TestHubModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(draw *rapid.T) {
		ring := rapid.IntRange(1, 6).Draw(draw, "ring")
		steps := drawSteps(draw)
		var failure error
		synctest.Test(t, func(t *testing.T) { failure = simulate(t.Context(), ring, steps) })
		if failure != nil {
			draw.Fatal(failure)
		}
	})
}

// simulate runs the steps, and then lets every listener read all events.
func simulate(ctx context.Context, ring int, steps []step) error {
	s := &simulation{chain: newMemoryChain()}
	s.hub = newTestHub(s.chain, ring)
	s.ctx, s.cancel = context.WithCancel(ctx)
	defer s.end()
	for i, step := range steps {
		if err := s.take(step); err != nil { //nolint:contextcheck // the simulation has its own
			return fmt.Errorf("step %d, %s: %w", i, step.kind, err)
		}
		synctest.Wait()
	}
	s.chain.breakOff(false)
	for _, r := range s.readers {
		r.credit <- 1 << 20
	}
	s.pass(time.Minute) // longer than all pauses
	for i, r := range s.readers {
		if err := r.check(s.chain, true); err != nil {
			return fmt.Errorf("reader %d at the end: %w", i, err)
		}
	}
	return nil
}

type simulation struct {
	ctx     context.Context //nolint:containedctx // that of the simulation
	cancel  context.CancelFunc
	chain   *memoryChain
	hub     *hub
	readers []*reader
}

func (s *simulation) end() {
	s.cancel()
	s.hub.close()
	synctest.Wait()
}

// pass waits until the goroutines are idle; the clock is synthetic.
func (s *simulation) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (s *simulation) take(step step) error {
	switch step.kind {
	case "commit":
		s.chain.commit(step.types...)
	case "cut":
		s.chain.breakOff(false)
	case "down":
		s.chain.breakOff(true)
	case "prune":
		s.chain.prune(uint64(step.n))
	case "wait":
		s.chain.breakOff(false)
		s.pass(time.Duration(step.n) * time.Second)
	case "listen":
		return s.listen(step.from, step.of)
	}
	if len(s.readers) == 0 {
		return nil
	}
	which := step.n % len(s.readers)
	r := s.readers[which]
	switch step.kind {
	case "read":
		r.credit <- step.n
	case "leave", "return":
		r.stop()
		s.readers = slices.Delete(s.readers, which, which+1)
		if err := r.check(s.chain, false); err != nil || step.kind == "leave" || r.failed != nil {
			return err
		}
		return s.listen(r.position(), r.filter)
	}
	return nil
}

// listen adds a reader if the hub accepts its position.
func (s *simulation) listen(from *eventCursor, filter *eventFilter) error {
	lowest, latest := s.chain.kept()
	_, down := s.chain.Height(s.ctx)
	listening, err := s.hub.listen(s.ctx, from, filter)
	switch {
	case err == nil:
	case errors.Is(err, errFuture) && from.after(eventCursor{block: latest + 1}),
		errors.Is(err, errPruned) && max(from.block, firstBlock) < lowest,
		errors.Is(err, errCut) && down != nil:
		return nil //nolint:nilerr // refused as it should be
	default:
		return fmt.Errorf("listen from %v: %w", from, err)
	}
	r := &reader{listener: listening, filter: filter, from: listening.cursor, credit: make(chan int, 100), done: make(chan struct{})}
	if r.from.after(eventCursor{block: latest + 1}) {
		return fmt.Errorf("it begins at %v, the latest block is %d", r.from, latest)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	r.stop = func() { cancel(); <-r.done }
	go r.run(ctx)
	s.readers = append(s.readers, r)
	return nil
}

// reader reads pages from a listener, up to its credit.
type reader struct {
	listener *listener
	filter   *eventFilter
	from     eventCursor
	credit   chan int
	stop     func()
	done     chan struct{}

	got    []string
	failed error
}

func (r *reader) run(ctx context.Context) {
	defer close(r.done)
	defer r.listener.close()
	for {
		select {
		case n := <-r.credit:
			for range n {
				page, from, err := r.listener.next(ctx, nil)
				if err != nil {
					r.failed = err
					return
				}
				r.got = append(r.got, idsOf(page, from, r.filter)...)
			}
		case <-ctx.Done():
			return
		}
	}
}

// position returns the position at which the reader resumes.
func (r *reader) position() *eventCursor {
	if len(r.got) == 0 {
		return &r.from
	}
	var p positionParam
	if err := p.UnmarshalText([]byte(r.got[len(r.got)-1])); err != nil {
		panic(err) // invariant: the hub's own ids
	}
	return p.cursor
}

// check compares the events that were read with the expected ones. A reader that received errPruned must have needed a pruned
// block.
func (r *reader) check(chain *memoryChain, isEnd bool) error {
	if errors.Is(r.failed, context.Canceled) {
		r.failed = nil
	}
	lowest, _ := chain.kept()
	want := chain.want(r.from, r.filter)
	if len(r.got) > len(want) || !slices.Equal(r.got, want[:len(r.got)]) {
		return fmt.Errorf("from %v it read %v, want %v", r.from, r.got, want)
	}
	switch {
	case r.failed != nil && !errors.Is(r.failed, errPruned):
		return r.failed
	case r.failed != nil && r.listener.cursor.block >= lowest:
		return fmt.Errorf("block %d is refused, from %d on they are kept", r.listener.cursor.block, lowest)
	case isEnd && r.failed == nil && len(r.got) < len(want):
		return fmt.Errorf("from %v it read %d of %d events", r.from, len(r.got), len(want))
	}
	return nil
}
