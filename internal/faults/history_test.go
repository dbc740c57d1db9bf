package faults_test

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"makechain/internal/ident"
)

// reported is the outcome of a message as clients received it.
type reported struct {
	block uint64 // in which it was reported as committed, or 0
	code  string // of its refusal
	// uncertain reports whether a node received the message and did not return its outcome. It may commit later, whatever
	// other nodes returned.
	uncertain bool
}

// move is a read or an update of a ref by a client.
type move struct {
	ref   string
	write bool
	old   position
	next  position
}

// position is the target of a ref. The ref does not exist if the nonce is 0.
type position struct {
	hash  ident.Hash
	nonce uint64
}

// attempt is a move with its time interval and message.
type attempt struct {
	move

	client         int
	call, returned int64
	message        ident.Hash
}

// history records all operations and observations of clients.
type history struct {
	start time.Time

	mu       sync.Mutex
	reports  map[ident.Hash]reported // guarded by mu
	attempts []attempt               // guarded by mu
	newest   uint64                  // latest block that any client has observed; guarded by mu
}

func newHistory() *history { return &history{start: time.Now(), reports: map[ident.Hash]reported{}} }

// now returns the time since the start of the history.
func (h *history) now() int64 { return int64(time.Since(h.start)) }

// settle records the outcome of a message.
func (h *history) settle(hash ident.Hash, f reported) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reports[hash] = f
	h.newest = max(h.newest, f.block)
}

// observe records that a client has observed a block, and returns the latest block that any client has observed.
func (h *history) observe(block uint64) uint64 {
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

// count returns the number of messages that were reported as committed.
func (h *history) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	committed := 0
	for _, f := range h.reports {
		if f.block > 0 {
			committed++
		}
	}
	return committed
}

// operations returns reads and committed updates. An update without a response may have ended at any time. Refused updates are
// left out: a node that is behind may refuse a valid one.
func (h *history) operations(committed map[ident.Hash]location) []porcupine.Operation {
	h.mu.Lock()
	defer h.mu.Unlock()
	var operations []porcupine.Operation
	for _, a := range h.attempts {
		if _, took := committed[a.message]; a.write && !took {
			continue
		}
		if a.write && h.reports[a.message].block == 0 {
			a.returned = math.MaxInt64
		}
		operations = append(operations, porcupine.Operation{ClientId: a.client, Input: a.move, Call: a.call, Return: a.returned})
	}
	return operations
}

// refs returns the model of a ref: a register with reads and compare-and-swap.
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
