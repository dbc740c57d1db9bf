package mempool

import (
	"container/heap"
	"fmt"

	"makechain/internal/ident"
	"makechain/internal/limit"
	"makechain/message"
)

const (
	// DefaultCapacityCost is the largest cost of all pending messages: about the memory in bytes that they use.
	DefaultCapacityCost = 512 << 20
	// maxShare is the part of the capacity, as a divisor, that one sender and one project may use.
	maxShare = 4
	// maxEvictions is the number of messages that are evicted for one other at most.
	maxEvictions = 64

	// entryCost is the cost of a pending message apart from what it contains, and transactionFactor the memory of a
	// transaction and its decoded form in relation to its size.
	entryCost         = 512
	transactionFactor = 4
	// visitCost and signatureCost are the costs of work that is done whenever the message is applied: of a commit that a
	// search visits, and of a signature in the body.
	visitCost     = 256
	signatureCost = 12 << 10
)

// load is a number of pending messages and their cost.
type load [2]int

// The elements of a load.
const (
	messages = iota
	cost
)

func (l load) plus(m load) load { return load{l[messages] + m[messages], l[cost] + m[cost]} }

func (l load) minus(m load) load { return load{l[messages] - m[messages], l[cost] - m[cost]} }

func (l load) exceeds(limit load) bool { return l[messages] > limit[messages] || l[cost] > limit[cost] }

// above returns an element of l that is above a limit that l exceeds.
func (l load) above(limit load) int {
	if l[messages] > limit[messages] {
		return messages
	}
	return cost
}

// String describes a load for a refusal.
func (l load) String() string {
	return fmt.Sprintf("%d messages with a cost of %d", l[messages], l[cost])
}

// minLoad returns the load of a message before it is applied: its actual cost is not lower.
func minLoad(m *message.Envelope) load {
	return load{1, entryCost + transactionFactor*len(m.Transaction()) + signatureCost*bodySignatures(m)}
}

// group counts pending messages that share a limit: all of the pool, or those of one project.
type group struct {
	limit   load
	used    load
	largest [2]ranking // the shares by each element of their load
}

// share is what one sender has pending in a group.
type share struct {
	sender *sender
	group  *group
	used   load
	index  [2]int // in the rankings of the group
}

func newGroup(limit load) *group {
	return &group{limit: limit, largest: [2]ranking{{element: messages}, {element: cost}}}
}

// add adds a load to the share and its group; a negative one removes it.
func (s *share) add(l load) {
	s.used, s.group.used = s.used.plus(l), s.group.used.plus(l)
	for i := range s.group.largest {
		ranked := &s.group.largest[i]
		switch s.used[messages] {
		case l[messages]: // it was empty
			heap.Push(ranked, s)
		case 0:
			heap.Remove(ranked, s.index[i])
		default:
			heap.Fix(ranked, s.index[i])
		}
	}
}

// ranking is a heap of shares, the largest by one element of its load first.
type ranking struct {
	element int
	shares  []*share
}

var _ heap.Interface = (*ranking)(nil)

func (r *ranking) Len() int { return len(r.shares) }

func (r *ranking) Less(i, j int) bool {
	return r.shares[i].used[r.element] > r.shares[j].used[r.element]
}

func (r *ranking) Swap(i, j int) {
	r.shares[i], r.shares[j] = r.shares[j], r.shares[i]
	r.shares[i].index[r.element], r.shares[j].index[r.element] = i, j
}

// Push adds a *share.
func (r *ranking) Push(x any) {
	s := x.(*share) //nolint:forcetypeassert // heap.Push is called with shares only
	s.index[r.element] = len(r.shares)
	r.shares = append(r.shares, s)
}

// Pop removes the last share.
func (r *ranking) Pop() any {
	last := r.shares[len(r.shares)-1]
	r.shares[len(r.shares)-1] = nil
	r.shares = r.shares[:len(r.shares)-1]
	return last
}

// shareKey identifies a share.
type shareKey struct {
	group  *group
	sender *sender
}

// quotas limits what senders and projects have pending. The pool's mu guards it.
type quotas struct {
	all      *group
	maxShare load // of a sender, and of a project
	projects map[ident.Hash]*group
	shares   map[shareKey]*share // in projects; a sender has its share in all
	evicted  uint64
}

func newQuotas(capacity load) quotas {
	return quotas{
		all: newGroup(capacity),
		// Small pools, which only tests have, hold at least a batch of one sender.
		maxShare: load{max(capacity[messages]/maxShare, limit.MaxBatch), capacity[cost] / maxShare},
		projects: make(map[ident.Hash]*group), shares: make(map[shareKey]*share),
	}
}

// usedBy returns what a sender has pending in a group.
func (q *quotas) usedBy(s *sender, g *group) load {
	if g == q.all {
		return s.share.used
	}
	if found := q.shares[shareKey{g, s}]; found != nil {
		return found.used
	}
	return load{}
}

// share returns the share of a sender in the group of a project, which it creates if necessary.
func (q *quotas) share(s *sender, g *group) *share {
	key := shareKey{g, s}
	found := q.shares[key]
	if found == nil {
		found = &share{sender: s, group: g}
		q.shares[key] = found
	}
	return found
}

// add counts a message.
func (q *quotas) add(e *entry) {
	e.shares[0] = &e.sender.share
	e.shares[0].add(e.load)
	if project, grouped := e.Project(); grouped {
		g := q.projects[project]
		if g == nil {
			g = newGroup(q.maxShare)
			q.projects[project] = g
		}
		e.shares[1] = q.share(e.sender, g)
		e.shares[1].add(e.load)
	}
}

// remove no longer counts a message.
func (q *quotas) remove(e *entry) {
	for _, s := range e.shares {
		if s == nil {
			continue
		}
		s.add(load{}.minus(e.load))
		if s.group == q.all {
			continue
		}
		if s.used[messages] == 0 {
			delete(q.shares, shareKey{s.group, s.sender})
		}
		if s.group.used[messages] == 0 {
			project, _ := e.Project()
			delete(q.projects, project)
		}
	}
}

// makeRoom returns a refusal if a message of s may not be added. Where the mempool or the project is full, it evicts the
// newest messages of the sender who has the most, if that is at least twice as much as s would have: otherwise senders with
// about the same load would evict each other. If evict is false it evicts nothing and only returns what it would. p.mu must
// be held.
func (p *Pool) makeRoom(s *sender, m *message.Envelope, added load, evict bool) *message.Refusal {
	q := &p.quotas
	if own := q.usedBy(s, q.all).plus(added); own.exceeds(q.maxShare) {
		return refuse(message.CodeMempoolFull, "account %s has too much pending: with this message %s, at most %s", m.Owner, own, q.maxShare)
	}
	project, grouped := m.Project()
	evicted := 0
	for _, g := range [...]*group{q.all, q.projects[project]} {
		for g != nil {
			total := g.used.plus(added)
			if !total.exceeds(g.limit) {
				break
			}
			if !q.evicts(s, g, added) || evicted == maxEvictions {
				if grouped && g != q.all {
					return refuse(message.CodeMempoolFull, "project %s has too much pending: with this message %s, at most %s", project, total, g.limit)
				}
				return refuse(message.CodeMempoolFull, "the mempool is full: with this message %s are pending, at most %s", total, g.limit)
			}
			if !evict {
				break
			}
			p.evictNewest(g.largest[total.above(g.limit)].shares[0].sender)
			evicted++
		}
	}
	return nil
}

// evicts reports whether a message of s with the given load evicts one of the sender with the largest share of a full group.
func (q *quotas) evicts(s *sender, g *group, added load) bool {
	element := g.used.plus(added).above(g.limit)
	ranked := g.largest[element].shares
	return len(ranked) > 0 && 2*q.usedBy(s, g).plus(added)[element] <= ranked[0].used[element]
}

// evictNewest removes the newest message of a sender, on which no other pending message depends. p.mu must be held.
func (p *Pool) evictNewest(s *sender) {
	entries := s.entries()
	e := entries[len(entries)-1]
	s.queue = entries[:len(entries)-1]
	p.remove(e.Hash)
	p.quotas.evicted++
	s.stale = true
	p.record(e.Envelope, Status{State: Refused, SeenAt: e.admittedAt, Refusal: refuse(message.CodeMempoolEvicted,
		"evicted from the full mempool, of which account %s uses the most", s.owner)})
}

// Evicted returns the number of messages that were evicted since the start.
func (p *Pool) Evicted() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.quotas.evicted
}
