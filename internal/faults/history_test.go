package faults_test

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"makechain/internal/ident"
)

// fate is what clients were told of a message.
type fate struct {
	block uint64 // that it was reported to be committed in; 0 when it was not
	code  string // that it was refused with
	// doubt says that a node was handed the message and did not tell what became of it. It may commit later, whatever
	// others said of it.
	doubt bool
}

// move is what a client did to a ref: it read it, or asked for it to be moved.
type move struct {
	ref   string
	write bool
	old   position
	next  position
}

// position is where a ref stands: nowhere when its nonce is 0.
type position struct {
	hash  ident.Hash
	nonce uint64
}

// attempt is a move with the time it took, and the message it was made by.
type attempt struct {
	move

	client       int
	call, answer int64
	message      ident.Hash
}

// history is everything that clients did and saw.
type history struct {
	began time.Time

	mu       sync.Mutex
	fates    map[ident.Hash]fate // guarded by mu
	attempts []attempt           // guarded by mu
	newest   uint64              // block that any client knows of; guarded by mu
}

func newHistory() *history { return &history{began: time.Now(), fates: map[ident.Hash]fate{}} }

// now is the time since the history began.
func (h *history) now() int64 { return int64(time.Since(h.began)) }

// settle notes the fate of a message.
func (h *history) settle(hash ident.Hash, f fate) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fates[hash] = f
	h.newest = max(h.newest, f.block)
}

// knows notes that a client has seen a block, and gives the newest that any has.
func (h *history) knows(block uint64) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.newest = max(h.newest, block)
	return h.newest
}

func (h *history) add(a attempt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.attempts = append(h.attempts, a)
}

// count says how many messages clients were told to be committed.
func (h *history) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	committed := 0
	for _, f := range h.fates {
		if f.block > 0 {
			committed++
		}
	}
	return committed
}

// operations are reads, and those moves that took place. One that nobody saw end may have ended at any time. A move
// that did not take place tells nothing: a node may refuse what it cannot judge yet.
func (h *history) operations(committed map[ident.Hash]place) []porcupine.Operation {
	h.mu.Lock()
	defer h.mu.Unlock()
	var operations []porcupine.Operation
	for _, a := range h.attempts {
		if _, took := committed[a.message]; a.write && !took {
			continue
		}
		if a.write && h.fates[a.message].block == 0 {
			a.answer = math.MaxInt64
		}
		operations = append(operations, porcupine.Operation{ClientId: a.client, Input: a.move, Call: a.call, Return: a.answer})
	}
	return operations
}

// refs is what a ref is: a place that is read, and moved from where it is known to be.
func refs() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			var names []string
			parts := map[string][]porcupine.Operation{}
			for _, o := range history {
				ref := o.Input.(move).ref
				if parts[ref] == nil {
					names = append(names, ref)
				}
				parts[ref] = append(parts[ref], o)
			}
			slices.Sort(names)
			divided := make([][]porcupine.Operation, len(names))
			for i, name := range names {
				divided[i] = parts[name]
			}
			return divided
		},
		Init: func() any { return position{} },
		Step: func(state, input, _ any) (bool, any) {
			m := input.(move)
			if state != any(m.old) {
				return false, state
			}
			if !m.write {
				return true, state
			}
			return m.next.nonce == m.old.nonce+1, m.next
		},
	}
}
