package mempool

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"makechain/internal/ledger"
	"makechain/internal/limit"
	"makechain/message"
)

// Submit validates a message, adds it to the pool and broadcasts it. It returns a refusal when the message is not
// accepted, and an error when the node fails.
func (p *Pool) Submit(ctx context.Context, m *message.Envelope) (*message.Refusal, error) {
	refusals, err := p.SubmitBatch(ctx, []*message.Envelope{m})
	if err != nil {
		return nil, err
	}
	return refusals[0], nil
}

// SubmitBatch submits messages in order, so that a later one may depend on an earlier one. It returns one refusal per
// message, nil for a message that was added. When the node fails, SubmitBatch returns an error; messages added before
// the failure stay in the pool, and those after it are refused as unavailable. The refusals are nil if no message was
// processed.
func (p *Pool) SubmitBatch(ctx context.Context, messages []*message.Envelope) ([]*message.Refusal, error) {
	refusals, err := p.admitAll(ctx, p.clientOf(ctx), messages)
	if refusals == nil {
		return nil, err
	}
	for i, refusal := range refusals {
		refusals[i] = p.reportable(refusal)
	}
	err = errors.Join(err, p.broadcast(messages, refusals))
	if p.config.OnSubmit != nil {
		for i, m := range messages {
			p.config.OnSubmit(m, refusals[i])
		}
	}
	return refusals, err
}

// AdmitGossip validates transactions that a peer sent and adds them to the pool. It returns which of them it added. invalid is
// the refusal of a transaction that no state makes valid, which an honest peer does not forward, nil if there is none. After an
// error some transactions may have been added.
func (p *Pool) AdmitGossip(peer string, transactions [][]byte) (added []bool, invalid, err error) {
	added = make([]bool, len(transactions))
	var unknown []*message.Envelope
	var positions []int // of the unknown ones
	for i, tx := range transactions {
		if p.Lookup(tx) != nil { // peers send most transactions several times
			continue
		}
		if hash, ok := message.HashOf(tx); ok {
			_, committed, err := p.position(hash)
			if err != nil {
				return added, nil, err
			}
			if committed {
				continue
			}
		}
		m, refusal := message.Decode(tx)
		switch {
		case refusal == nil:
			unknown, positions = append(unknown, m), append(positions, i)
		case invalid == nil:
			invalid = refusal
		}
	}
	refusals, err := p.admitAll(context.Background(), origin{peer: peer}, unknown)
	for i, refusal := range refusals {
		added[positions[i]] = refusal == nil
		if invalid == nil && refusal != nil && (refusal.Stage == message.Verification || refusal.Stage == message.Validation) {
			invalid = refusal
		}
	}
	return added, invalid, err
}

// DryRun returns what Submit would return, and changes nothing (P10.1).
func (p *Pool) DryRun(ctx context.Context, m *message.Envelope) (*message.Refusal, error) {
	t, err := p.slots.acquire(ctx, p.clientOf(ctx), m.Owner)
	if err != nil {
		return nil, err
	}
	t.spent = submitCost(m)
	defer func() {
		p.slots.release(t)
		limit.Charge(ctx, t.spent)
	}()
	messages := []*message.Envelope{m}
	if refusal := p.validate(m, p.signatures.verifier.Batch(messages)[0]); refusal != nil {
		return refusal, nil
	}
	if p.isPending(m.Hash) {
		return alreadyPending(m), nil
	}
	s := p.acquireSender(m.Owner)
	_, refusal, err := s.apply(m)
	if err == nil && refusal == nil {
		s.session.Undo()
	}
	t.spent += s.spent
	s.release()
	if err != nil || refusal == nil {
		return nil, err
	}
	refusal, err = p.duplicateOr(m, refusal)
	return p.reportable(refusal), err
}

// admitAll verifies and validates messages and adds those that would apply. It charges their cost to the meter of ctx. It
// returns nil refusals when ctx ends before a slot is free.
func (p *Pool) admitAll(ctx context.Context, from origin, messages []*message.Envelope) ([]*message.Refusal, error) {
	if len(messages) == 0 {
		return []*message.Refusal{}, nil
	}
	// Signatures are queued before the slot is acquired: the holder of a slot verifies all that are queued in one batch.
	submission := p.signatures.enqueue(messages)
	t, err := p.slots.acquire(ctx, from, messages[0].Owner)
	if err != nil {
		p.signatures.cancel(submission)
		return nil, err
	}
	refusals := p.signatures.verify(submission)
	for i, m := range messages {
		runtime.Gosched() // an admission that fills its time slice would delay each step of consensus by milliseconds
		spent := submitCost(m)
		refusals[i] = p.validate(m, refusals[i])
		if refusals[i] == nil && err == nil {
			var applied time.Duration
			refusals[i], applied, err = p.admit(m)
			spent += applied
		}
		if refusals[i] == nil && err != nil {
			refusals[i] = unavailable(m)
		}
		t.spent += spent
		limit.Charge(ctx, spent)
		if err == nil && i+1 < len(messages) {
			if err = limit.Check(ctx); err == nil {
				err = p.slots.yield(ctx, &t)
			}
		}
	}
	p.slots.release(t)
	return refusals, err
}

// validate makes the checks that need no state. It receives the result of verifying the signature, which a message of
// another network is refused before.
func (p *Pool) validate(m *message.Envelope, signature *message.Refusal) *message.Refusal {
	if refusal := m.CheckNetwork(p.config.Params.Network); refusal != nil {
		return refusal
	}
	if signature != nil {
		return signature
	}
	return m.Validate()
}

// admit adds a verified and validated message if there is capacity and the message would apply after the sender's
// pending ones. It also returns the estimated processor time.
func (p *Pool) admit(m *message.Envelope) (refusal *message.Refusal, spent time.Duration, err error) {
	s := p.acquireSender(m.Owner)
	defer s.release()
	refusal, err = s.admit(m)
	return refusal, s.spent, err
}

// admit adds a message to the pool. s.mu must be held.
func (s *sender) admit(m *message.Envelope) (*message.Refusal, error) {
	p := s.pool
	p.mu.Lock()
	refusal := p.makeRoom(s, m, minLoad(m), false)
	if p.pending[m.Hash] != nil {
		refusal = alreadyPending(m)
	}
	p.mu.Unlock()
	if refusal != nil {
		return refusal, nil
	}
	effects, refusal, err := s.apply(m)
	if err != nil {
		return nil, err
	}
	if refusal != nil {
		return p.duplicateOr(m, refusal)
	}
	used := minLoad(m)
	execution := s.session.Recorded()
	used[cost] += s.session.Written() + execution.Bytes() + visitCost*effects.Visits
	p.mu.Lock()
	defer p.mu.Unlock()
	refusal, err = s.committedMeanwhile(m)
	if refusal == nil && err == nil {
		refusal = p.makeRoom(s, m, used, true)
	}
	if refusal != nil || err != nil {
		s.session.Undo() // the session must not contain a message that the pool does not
		return refusal, err
	}
	now := p.config.Now()
	e := &entry{
		Envelope: m, sender: s, admittedAt: now, gossipedAt: now, visits: effects.Visits, visitsOwner: effects.VisitsOwner, load: used,
		execution: execution,
	}
	p.pending[m.Hash] = e
	p.quotas.add(e)
	p.visitors.add(e.visitsOwner, e.visits)
	p.byType[m.Type()]++
	if !s.active {
		s.active = true
		p.active = append(p.active, s)
	}
	s.queue = append(s.queue, e)
	s.pending++
	if changesKeys(m) {
		s.keys++
	}
	return nil, nil
}

// committedMeanwhile returns the refusal of a message whose block was committed after the state that it was applied to was read. The
// pool would keep the message: Committed, which removes the messages of a block, has been called already. It has made the session
// stale. s.mu and p.mu must be held; p.mu is unlocked during reads.
func (s *sender) committedMeanwhile(m *message.Envelope) (*message.Refusal, error) {
	p := s.pool
	for height := s.snapshot.Height(); s.stale && p.height > height; {
		height = p.height
		p.mu.Unlock()
		at, committed, err := p.position(m.Hash)
		p.mu.Lock()
		if err != nil {
			return nil, err
		}
		if committed {
			return alreadyCommitted(m, at.Height), nil
		}
	}
	return nil, nil
}

// duplicateOr returns the refusal of a message that does not apply: as a duplicate if it is pending or committed
// (P10.2), otherwise the given one. No message applies twice (P6.2), so a message that applies needs no such check.
func (p *Pool) duplicateOr(m *message.Envelope, refusal *message.Refusal) (*message.Refusal, error) {
	status, err := p.Status(m.Hash)
	switch {
	case err != nil:
		return nil, err
	case status.State == Pending:
		return alreadyPending(m), nil
	case status.State == Committed:
		return alreadyCommitted(m, status.Height), nil
	default:
		return refusal, nil
	}
}

// broadcast passes the messages that were added to the consensus engine. If that fails it removes them from the pool and refuses
// them as unavailable.
func (p *Pool) broadcast(messages []*message.Envelope, refusals []*message.Refusal) error {
	var added [][]byte
	for i, m := range messages {
		if refusals[i] == nil {
			added = append(added, m.Transaction())
		}
	}
	if len(added) == 0 {
		return nil
	}
	failure := p.config.Broadcast(added)
	if failure == nil {
		return nil
	}
	failure = fmt.Errorf("broadcast %d messages: %w", len(added), failure)
	for i, m := range messages {
		if refusals[i] != nil || !p.isPending(m.Hash) { // it is in a block
			continue
		}
		refusals[i] = unavailable(m)
		s := p.acquireSender(m.Owner)
		p.Refuse([]ledger.Refused{{Message: m, Refusal: refusals[i]}})
		failure = errors.Join(failure, s.closeSession()) // the session has applied m
		s.release()
	}
	return failure
}

// reportable returns a refusal as the client receives it. A node that is catching up lacks the state of the newest
// blocks, so a refusal that depends on state may be wrong and is reported as unavailable.
func (p *Pool) reportable(refusal *message.Refusal) *message.Refusal {
	if refusal == nil || p.config.Status == nil {
		return refusal
	}
	switch refusal.Code {
	case message.CodeDuplicate, message.CodeMempoolFull, message.CodeUnavailable:
		return refusal
	}
	if refusal.Stage == message.Verification || refusal.Stage == message.Validation {
		return refusal
	}
	status := p.config.Status()
	if !status.CatchingUp {
		return refusal
	}
	behind := "an unknown number of blocks"
	if status.Behind > 0 {
		behind = fmt.Sprintf("%d blocks", status.Behind)
	}
	return refuse(message.CodeUnavailable, "the node is catching up with the chain and cannot validate the message yet: it is behind by %s", behind)
}

// clientOf returns the origin of the messages that a client submits.
func (p *Pool) clientOf(ctx context.Context) origin {
	if p.config.Client == nil {
		return origin{}
	}
	return origin{client: p.config.Client(ctx)}
}

func alreadyPending(m *message.Envelope) *message.Refusal {
	return refuse(message.CodeDuplicate, "message %s is pending", m.Hash)
}

func alreadyCommitted(m *message.Envelope, height uint64) *message.Refusal {
	return refuse(message.CodeDuplicate, "message %s is committed in block %d", m.Hash, height)
}

func unavailable(m *message.Envelope) *message.Refusal {
	return refuse(message.CodeUnavailable, "the node failed before it could add message %s to the mempool", m.Hash)
}

func refuse(code message.Code, format string, args ...any) *message.Refusal {
	return message.Refuse(message.StateTransition, code, format, args...)
}
