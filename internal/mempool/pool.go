// Package mempool keeps the messages that wait for a block and the status of every message it admitted.
//
// A message passes the four stages of P10.1 before it is added: envelope, rules of P5, authorization, and whether it
// applies to the latest state after the sender's pending messages. The messages of one sender keep their order where one
// may depend on another. A message that leaves the pool without being committed is refused or expired, with a reason
// that clients can query.
package mempool

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/consensus"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

const (
	// DefaultCapacity is the largest number of pending messages (P10.2).
	DefaultCapacity = 100_000
	// DefaultTTL is how long a message may be pending before it expires.
	DefaultTTL = time.Hour
	// expireInterval is the minimum time between two scans for expired messages.
	expireInterval = time.Second
	// intervalSamples is how many intervals of blocks are averaged.
	intervalSamples = 4
	// A summary of more than maxExactInfo messages, for which all of them are read, is used again for infoInterval.
	maxExactInfo = 1_000
	infoInterval = time.Second
)

// Snapshot is the state after the latest block, with its indexes. It must be closed.
type Snapshot interface {
	ledger.View

	Height() uint64
	Close() error
}

// Config is the configuration of a pool.
type Config struct {
	Params ledger.Params
	// Latest returns the state after the latest block.
	Latest func() Snapshot
	// Broadcast passes transactions that clients added to the consensus engine. They may be in a block by then.
	Broadcast func(transactions [][]byte) error
	// Status returns the status of the consensus engine; nil for a node that is never behind.
	Status func() consensus.Status
	// OnSubmit is called with the result of every message that a client submitted; nil for none.
	OnSubmit func(*message.Envelope, *message.Refusal)
	Now      func() time.Time
	Capacity int // messages
	// CapacityCost is the largest cost of all pending messages; 0 is DefaultCapacityCost.
	CapacityCost int
	TTL          time.Duration
	Workers      int // concurrent admissions
	// Client returns the network of the client that a submission comes from, as limit.ClientNetwork does. Nil if all
	// submissions come from one client.
	Client func(context.Context) netip.Prefix
}

// Pool is the mempool. Its methods are safe for concurrent use.
type Pool struct {
	config     Config
	ledger     *ledger.Ledger
	reuse      *ledger.Reuse // of executions in blocks and in new sessions
	slots      *slots
	signatures signatureQueue

	mu         sync.Mutex // guards the fields below; locked after a sender's mu
	pending    map[ident.Hash]*entry
	senders    map[ident.Address]*sender
	active     []*sender // senders with pending messages, in round-robin order
	visitors   visitors
	idle       int // senders without pending messages that no call holds
	byType     map[pb.MessageType]uint32
	quotas     quotas
	outcomes   outcomes
	changes    projectChanges
	height     uint64    // of the latest block
	expiryScan time.Time // time of the last scan for expired messages
	// blockInterval is the smoothed time between two blocks while messages wait for the next one, 0 if none wait.
	blockInterval time.Duration
	waitingSince  time.Time // the latest block, if messages waited after it
	info          Info      // summary at infoAt
	infoAt        time.Time
}

// entry is a pending message.
type entry struct {
	*message.Envelope

	sender     *sender
	admittedAt time.Time
	gossipedAt time.Time // when it was last sent to peers
	// visits is the number of commits that its graph searches are expected to visit, and visitsOwner the account against
	// whose limit they count.
	visits      int
	visitsOwner ident.Address
	load        load
	execution   *ledger.Execution // in the session of the sender, nil if it cannot be reused
	shares      [2]*share         // of the sender in the pool and, for a message of a project, in the project
}

// New returns an empty pool.
func New(config Config) *Pool {
	if config.CapacityCost == 0 {
		config.CapacityCost = DefaultCapacityCost
	}
	snapshot := config.Latest()
	p := &Pool{
		config:     config,
		slots:      newSlots(config.Workers),
		signatures: signatureQueue{verifier: message.NewVerifier(cachedKeys)},
		pending:    make(map[ident.Hash]*entry),
		senders:    make(map[ident.Address]*sender),
		visitors:   newVisitors(),
		byType:     make(map[pb.MessageType]uint32),
		quotas:     newQuotas(load{config.Capacity, config.CapacityCost}),
		outcomes:   outcomes{byHash: make(map[ident.Hash]outcome), waiters: make(map[ident.Hash][]chan Status)},
		height:     snapshot.Height(),
	}
	_ = snapshot.Close() // only its height was read
	p.reuse = ledger.NewReuse(p.execution)
	p.ledger = ledger.New(config.Params).Reusing(p.reuse)
	return p
}

// Info is a summary of the pending messages.
type Info struct {
	Total, Capacity                  int
	AccountMessages, ProjectMessages int
	ByType                           map[pb.MessageType]uint32
	OldestTimestamp, NewestTimestamp uint32
}

// Info returns a summary of the pending messages, which must not be modified. If there are many, it may be a second old.
func (p *Pool) Info() Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	if min(len(p.pending), p.info.Total) <= maxExactInfo || now.Sub(p.infoAt) >= infoInterval {
		p.info, p.infoAt = p.summarize(), now
	}
	return p.info
}

// summarize returns a summary of the pending messages. p.mu must be held.
func (p *Pool) summarize() Info {
	info := Info{Total: len(p.pending), Capacity: p.config.Capacity, ByType: maps.Clone(p.byType)}
	for _, e := range p.pending {
		at := e.Data.GetTimestamp()
		if info.OldestTimestamp == 0 || at < info.OldestTimestamp {
			info.OldestTimestamp = at
		}
		info.NewestTimestamp = max(info.NewestTimestamp, at)
		if e.Phase() == message.ProjectPhase {
			info.ProjectMessages++
		}
	}
	info.AccountMessages = info.Total - info.ProjectMessages
	return info
}

// Len returns the number of pending messages.
func (p *Pool) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pending)
}

// Lookup returns the message of a pending transaction, which was verified and validated, and nil for any other.
func (p *Pool) Lookup(tx []byte) *message.Envelope {
	hash, ok := message.HashOf(tx)
	if !ok {
		return nil
	}
	p.mu.Lock()
	e := p.pending[hash]
	p.mu.Unlock()
	// The hash does not cover the signature, so the whole transaction is compared.
	if e == nil || string(e.Transaction()) != string(tx) {
		return nil
	}
	return e.Envelope
}

// Reuse returns the reusable executions of pending messages. Its method Committed must be called with every block, before that of the
// pool.
func (p *Pool) Reuse() *ledger.Reuse { return p.reuse }

// execution returns the execution of a message that Lookup or Candidates returned, nil if there is none that can be reused in a
// block.
func (p *Pool) execution(m *message.Envelope) *ledger.Execution {
	p.mu.Lock()
	defer p.mu.Unlock()
	// The hash does not cover the signature, so it must be the same message.
	if e := p.pending[m.Hash]; e != nil && e.Envelope == m {
		return e.execution
	}
	return nil
}

func (p *Pool) isPending(hash ident.Hash) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pending[hash] != nil
}

// Transactions returns pending transactions of at most maxBytes in total. Those of a sender are in their order.
func (p *Pool) Transactions(maxBytes int) [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	var transactions [][]byte
	for _, s := range p.activeSenders() {
		for _, e := range s.entries() {
			tx := e.Transaction()
			if maxBytes -= len(tx); maxBytes < 0 {
				return transactions
			}
			transactions = append(transactions, tx)
		}
	}
	return transactions
}

// Committed removes the messages of a durable block and those that expired.
func (p *Pool) Committed(block *ledger.Committed) {
	p.mu.Lock()
	p.height = block.Height
	for i, applied := range block.Applied {
		if s := p.senders[applied.Message.Owner]; p.remove(applied.Message.Hash) == nil && s != nil {
			s.stale = true // its session lacks this message
		}
		p.record(applied.Message, Status{State: Committed, Height: block.Height, Index: uint32(i)})
	}
	p.expire(block)
	p.measureInterval()
	p.changes.add(block, p.config.Now())
	idle := p.dropIdleSenders()
	p.mu.Unlock()
	for _, s := range idle {
		if s.dropped {
			s.mu.Lock() // only a release that is about to end can hold it
		} else if !s.mu.TryLock() {
			continue // a sender that is in use again checks its session itself
		}
		_ = s.closeSession() // the store reports snapshots that are not closed
		s.mu.Unlock()
	}
}

// measureInterval updates p.blockInterval after a block. p.mu must be held.
func (p *Pool) measureInterval() {
	if len(p.pending) == 0 {
		p.blockInterval, p.waitingSince = 0, time.Time{}
		return
	}
	now := p.config.Now()
	if !p.waitingSince.IsZero() {
		p.blockInterval += (now.Sub(p.waitingSince) - p.blockInterval) / intervalSamples
	}
	p.waitingSince = now
}

// Refuse removes messages that no longer apply.
func (p *Pool) Refuse(refused []ledger.Refused) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range refused {
		if e := p.remove(r.Message.Hash); e != nil {
			e.sender.stale = true
			p.record(e.Envelope, Status{State: Refused, Refusal: r.Refusal, SeenAt: e.admittedAt})
		}
	}
}

// expire removes messages whose TTL has passed or whose timestamp is too old for any later block. p.mu must be held.
func (p *Pool) expire(block *ledger.Committed) {
	now := p.config.Now()
	if now.Sub(p.expiryScan) < expireInterval {
		return
	}
	p.expiryScan = now
	var expired []*entry
	for _, e := range p.pending {
		tooOld := e.TimeSensitive() && uint64(e.Data.GetTimestamp())+ledger.MaxDrift < block.Time
		if tooOld || now.Sub(e.admittedAt) > p.config.TTL {
			expired = append(expired, e)
		}
	}
	for _, e := range expired {
		p.remove(e.Hash)
		e.sender.stale = true
		p.record(e.Envelope, Status{State: Expired, SeenAt: e.admittedAt, Refusal: refuse(
			message.CodeTooLate, "pending since %d and not included in a block in time", e.admittedAt.Unix())})
	}
}

// remove removes a pending message and returns it, nil when there is none. p.mu must be held.
func (p *Pool) remove(hash ident.Hash) *entry {
	e := p.pending[hash]
	if e == nil {
		return nil
	}
	delete(p.pending, hash)
	p.quotas.remove(e)
	e.sender.pending--
	p.visitors.add(e.visitsOwner, -e.visits)
	if changesKeys(e.Envelope) {
		e.sender.keys--
	}
	p.byType[e.Type()]--
	if p.byType[e.Type()] == 0 {
		delete(p.byType, e.Type())
	}
	return e
}

// Close closes the snapshots of all sessions. No other method may be called afterwards.
func (p *Pool) Close() error {
	p.mu.Lock()
	senders := slices.Collect(maps.Values(p.senders))
	p.mu.Unlock()
	var err error
	for _, s := range senders {
		s.mu.Lock()
		err = errors.Join(err, s.closeSession())
		s.mu.Unlock()
	}
	return err
}
