// Package mempool holds what waits for a block, and knows what became of everything it ever took in.
//
// A message passes all four stages of P10.1 before it is taken in: envelope, rules of P5, authority, and whether
// it would apply to the latest state with all that its sender has pending before it. Messages of one sender keep
// their order where one may rest on another. Nothing is dropped in silence: what leaves without being committed is
// refused or expired, with a reason that can be asked for.
package mempool

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// Defaults of a pool.
const (
	// DefaultCapacity is how many messages wait at most (P10.2).
	DefaultCapacity = 100_000
	// DefaultTTL is how long a message waits before it expires.
	DefaultTTL = time.Hour
	// MaxRefusals is how many fates other than a commit are remembered, and for how long (P10.4).
	MaxRefusals     = 1_000_000
	RefusalLifetime = 24 * time.Hour
	// sweepInterval is the time between two looks for messages that waited too long.
	sweepInterval = time.Second
)

// Snapshot is the state after the latest block. It must be closed.
type Snapshot interface {
	ledger.View

	Height() uint64
	Close() error
}

// Config says what a pool works with.
type Config struct {
	Params ledger.Params
	// Latest is the state after the latest block.
	Latest func() Snapshot
	// Position finds a committed message.
	Position func(hash ident.Hash) (height uint64, index uint32, found bool, err error)
	// Broadcast hands a message that was taken in to the consensus engine.
	Broadcast func(tx []byte) error
	// Lag is asked when a message that a client handed over is refused. It is nil for a node that is never behind.
	Lag      func() Lag
	Now      func() time.Time
	Capacity int
	TTL      time.Duration
	Workers  int // admissions at a time
}

// Pool is the mempool. Its methods may be called by several goroutines.
type Pool struct {
	config Config
	ledger *ledger.Ledger
	places chan struct{} // one for each admission under way

	signatures signatures

	mu      sync.Mutex // guards what follows; taken after a sender's own lock, never before
	pending map[ident.Hash]*entry
	senders map[ident.Address]*sender
	ring    []*sender // senders with pending messages, in the order they take turns
	byType  map[pb.MessageType]uint32
	fates   fates
	moves   moves
	height  uint64
	swept   time.Time // when expired messages were last looked for
}

// entry is a message that waits.
type entry struct {
	*message.Envelope
	sender *sender
	seen   time.Time
	told   time.Time // when peers were last told of it
}

// New makes an empty pool.
func New(config Config) *Pool {
	snapshot := config.Latest()
	p := &Pool{
		config:  config,
		ledger:  ledger.New(config.Params),
		places:  make(chan struct{}, max(config.Workers, 1)),
		pending: make(map[ident.Hash]*entry),
		senders: make(map[ident.Address]*sender),
		byType:  make(map[pb.MessageType]uint32),
		height:  snapshot.Height(),

		signatures: signatures{verifier: message.NewVerifier(knownSigners)},
	}
	_ = snapshot.Close() // only its height was read
	p.fates.init()
	return p
}

// Info is what a pool holds.
type Info struct {
	Total, Capacity                  int
	AccountMessages, ProjectMessages int
	ByType                           map[pb.MessageType]uint32
	OldestTimestamp, NewestTimestamp uint32
}

// Info counts what is pending.
func (p *Pool) Info() Info {
	p.mu.Lock()
	defer p.mu.Unlock()
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

// Len is the number of pending messages.
func (p *Pool) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pending)
}

// Lookup is the message of a pending transaction, which has been verified and validated.
func (p *Pool) Lookup(tx []byte) *message.Envelope {
	hash, ok := message.HashOf(tx)
	if !ok {
		return nil
	}
	p.mu.Lock()
	e := p.pending[hash]
	p.mu.Unlock()
	// The hash says nothing about the signature, so all of it must be the same.
	if e == nil || string(e.Transaction()) != string(tx) {
		return nil
	}
	return e.Envelope
}

// Pending says whether a transaction waits for a block.
func (p *Pool) Pending(tx []byte) bool { return p.Lookup(tx) != nil }

// Committed takes out what a block holds, and what can no longer apply because of its time.
func (p *Pool) Committed(block *ledger.Committed) {
	p.mu.Lock()
	p.height = block.Height
	for i, applied := range block.Applied {
		if s := p.senders[applied.Message.Owner]; p.takeOut(applied.Message.Hash) == nil && s != nil {
			s.stale = true // its session does not have this message
		}
		p.settle(applied.Message, Status{State: Committed, Height: block.Height, Index: uint32(i)})
	}
	p.expire(block)
	p.moves.add(block, p.config.Now())
	idle := p.idleSenders()
	p.mu.Unlock()
	for _, s := range idle {
		s.forget()
	}
}

// Refuse takes out messages that no longer apply.
func (p *Pool) Refuse(refused []ledger.Refused) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range refused {
		p.refuse(r.Message.Hash, r.Refusal)
	}
}

func (p *Pool) refuse(hash ident.Hash, refusal *message.Refusal) {
	if e := p.takeOut(hash); e != nil {
		e.sender.stale = true
		p.settle(e.Envelope, Status{State: Refused, Refusal: refusal, SeenAt: e.seen})
	}
}

// expire takes out what waited too long, or is too old for any later block.
func (p *Pool) expire(block *ledger.Committed) {
	now := p.config.Now()
	if now.Sub(p.swept) < sweepInterval {
		return
	}
	p.swept = now
	var gone []*entry
	for _, e := range p.pending {
		tooOld := e.TimeSensitive() && uint64(e.Data.GetTimestamp())+ledger.MaxDrift < block.Time
		if tooOld || now.Sub(e.seen) > p.config.TTL {
			gone = append(gone, e)
		}
	}
	for _, e := range gone {
		p.takeOut(e.Hash)
		e.sender.stale = true
		p.settle(e.Envelope, Status{State: Expired, SeenAt: e.seen, Refusal: refuse(
			message.CodeTooLate, "waited since %d without getting into a block", e.seen.Unix())})
	}
}

// takeOut removes a pending message. The caller holds p.mu.
func (p *Pool) takeOut(hash ident.Hash) *entry {
	e := p.pending[hash]
	if e == nil {
		return nil
	}
	delete(p.pending, hash)
	e.sender.live--
	p.byType[e.Type()]--
	if p.byType[e.Type()] == 0 {
		delete(p.byType, e.Type())
	}
	return e
}

// Close gives back the snapshots that senders hold. Nothing may be submitted any more.
func (p *Pool) Close() error {
	p.mu.Lock()
	senders := slices.Collect(maps.Values(p.senders))
	p.mu.Unlock()
	var err error
	for _, s := range senders {
		s.mu.Lock()
		err = errors.Join(err, s.close())
		s.mu.Unlock()
	}
	return err
}
