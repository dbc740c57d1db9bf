package mempool

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"makechain/internal/ledger"
	"makechain/message"
)

// Submit judges a message and takes it in when it is good. An error is a failure of the node, not a verdict.
func (p *Pool) Submit(ctx context.Context, m *message.Envelope) (*message.Refusal, error) {
	results, err := p.SubmitBatch(ctx, []*message.Envelope{m})
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// SubmitBatch judges messages one after another, so that a later one may build on an earlier one. Their
// signatures are checked together. It answers in the order given, nil for what was taken in. When the node fails
// on the way, what was taken in stays, and that message and all after it that were not refused are refused as
// unavailable.
func (p *Pool) SubmitBatch(ctx context.Context, messages []*message.Envelope) ([]*message.Refusal, error) {
	verdicts, err := p.takeInAll(ctx, messages)
	if verdicts == nil {
		return nil, err
	}
	for i, refusal := range verdicts {
		verdicts[i] = p.considered(refusal)
	}
	return verdicts, errors.Join(err, p.handOver(messages, verdicts))
}

// takeInAll judges messages and takes in those that are good.
func (p *Pool) takeInAll(ctx context.Context, messages []*message.Envelope) ([]*message.Refusal, error) {
	signed := p.signatures.join(messages)
	if err := p.begin(ctx); err != nil {
		p.signatures.leave(signed)
		return nil, err
	}
	defer p.end()
	verdicts := p.validated(messages, p.signatures.check(signed))
	var err error
	for i, m := range messages {
		if verdicts[i] != nil {
			continue
		}
		if err == nil {
			verdicts[i], err = p.admit(m)
		}
		if err != nil {
			verdicts[i] = unavailable(m)
		}
	}
	return verdicts, err
}

// handOver gives what was taken in to consensus. The engine asks about each again, so no place is held meanwhile.
func (p *Pool) handOver(messages []*message.Envelope, verdicts []*message.Refusal) error {
	var failure error
	for i, m := range messages {
		if verdicts[i] != nil {
			continue
		}
		// The engine may refuse only what it holds already: it is as large as the pool, which has taken m in.
		if failure == nil {
			if err := p.config.Broadcast(m.Transaction()); err != nil {
				failure = fmt.Errorf("hand message %s to consensus: %w", m.Hash, err)
			}
		}
		if failure != nil {
			verdicts[i] = unavailable(m)
			failure = errors.Join(failure, p.withdraw(m))
		}
	}
	return failure
}

// begin waits for a place among the admissions under way. They are few, so that consensus always gets its share of
// the processors, however many clients there are.
func (p *Pool) begin(ctx context.Context) error {
	select {
	case p.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Pool) end() { <-p.places }

// withdraw takes out a message that consensus does not have.
func (p *Pool) withdraw(m *message.Envelope) error {
	s := p.enter(m.Owner)
	defer s.leave()
	p.Refuse([]ledger.Refused{{Message: m, Refusal: unavailable(m)}})
	return s.close() // the session has m applied
}

func unavailable(m *message.Envelope) *message.Refusal {
	return refuse(message.CodeUnavailable, "the node failed before it could take message %s in", m.Hash)
}

// AdmitGossip judges transactions that peers sent, and takes in those that are good. It says of each whether it waits for a
// block then.
func (p *Pool) AdmitGossip(transactions [][]byte) (waits []bool, err error) {
	var fresh []*message.Envelope
	for _, tx := range transactions {
		known, err := p.knows(tx)
		if err != nil {
			return nil, err
		}
		if known {
			continue
		}
		if m, refusal := message.Decode(tx); refusal == nil {
			fresh = append(fresh, m)
		}
	}
	if len(fresh) > 0 {
		_, err = p.takeInAll(context.Background(), fresh)
	}
	waits = make([]bool, len(transactions))
	for i, tx := range transactions {
		waits[i] = p.Pending(tx)
	}
	return waits, err
}

// knows says whether a transaction is pending, or its message committed. Peers send most of them several times.
func (p *Pool) knows(tx []byte) (bool, error) {
	if p.Pending(tx) {
		return true, nil
	}
	hash, ok := message.HashOf(tx)
	if !ok {
		return false, nil
	}
	_, _, committed, err := p.config.Position(hash)
	return committed, err
}

// DryRun says what Submit would, and changes nothing (P10.1).
func (p *Pool) DryRun(ctx context.Context, m *message.Envelope) (*message.Refusal, error) {
	if err := p.begin(ctx); err != nil {
		return nil, err
	}
	defer p.end()
	alone := []*message.Envelope{m}
	if refusal := p.validated(alone, p.signatures.verifier.Batch(alone))[0]; refusal != nil {
		return refusal, nil
	}
	trial := &sender{pool: p}
	p.mu.Lock()
	if s := p.senders[m.Owner]; s != nil {
		trial.queue, trial.live = slices.Clone(s.waiting()), s.live
	}
	p.mu.Unlock()
	refusal, err := trial.judge(m)
	if err = errors.Join(err, trial.close()); err != nil || refusal == nil {
		return nil, err
	}
	refusal, err = p.explain(m, refusal)
	return p.considered(refusal), err
}

// validated adds to what is said of signatures the other checks that need no state: network and rules of P5.
func (p *Pool) validated(messages []*message.Envelope, verdicts []*message.Refusal) []*message.Refusal {
	for i, m := range messages {
		if refusal := m.CheckNetwork(p.config.Params.Network); refusal != nil {
			verdicts[i] = refusal
		}
		if verdicts[i] == nil {
			verdicts[i] = m.Validate()
		}
	}
	return verdicts
}

// admit takes in a verified message that would apply.
func (p *Pool) admit(m *message.Envelope) (*message.Refusal, error) {
	s := p.enter(m.Owner)
	defer s.leave()
	// Room is asked for first: a session that has applied m must not be without it.
	if refusal := p.room(m); refusal != nil {
		return refusal, nil
	}
	refusal, err := s.judge(m)
	if err != nil {
		return nil, err
	}
	if refusal != nil {
		return p.explain(m, refusal)
	}
	return p.takeIn(s, m), nil
}

// explain gives the reason why a message does not apply. No message applies twice (P6.2), so only one that does not
// apply is looked for among those that have.
func (p *Pool) explain(m *message.Envelope, refusal *message.Refusal) (*message.Refusal, error) {
	if duplicate, err := p.duplicate(m); duplicate != nil || err != nil {
		return duplicate, err
	}
	return refusal, nil
}

// duplicate refuses what is pending or committed (P10.2).
func (p *Pool) duplicate(m *message.Envelope) (*message.Refusal, error) {
	status, err := p.Status(m.Hash)
	if err != nil {
		return nil, err
	}
	switch status.State {
	case Pending:
		return alreadyPending(m), nil
	case Committed:
		return refuse(message.CodeDuplicate, "message %s is committed in block %d", m.Hash, status.Height), nil
	default:
		return nil, nil
	}
}

func alreadyPending(m *message.Envelope) *message.Refusal {
	return refuse(message.CodeDuplicate, "message %s is pending", m.Hash)
}

// room refuses what there is no place for, or what has one.
func (p *Pool) room(m *message.Envelope) *message.Refusal {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.pending[m.Hash] != nil:
		return alreadyPending(m)
	case len(p.pending) >= p.config.Capacity:
		return refuse(message.CodeMempoolFull, "%d messages wait already", len(p.pending))
	default:
		return nil
	}
}

// takeIn adds a message to what its sender has pending.
func (p *Pool) takeIn(s *sender, m *message.Envelope) *message.Refusal {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending[m.Hash] != nil {
		return alreadyPending(m)
	}
	now := p.config.Now()
	e := &entry{Envelope: m, sender: s, seen: now, told: now}
	p.pending[m.Hash] = e
	p.byType[m.Type()]++
	if !s.ringed {
		s.ringed = true
		p.ring = append(p.ring, s)
	}
	s.queue = append(s.queue, e)
	s.live++
	return nil
}

func refuse(code message.Code, format string, args ...any) *message.Refusal {
	return message.Refuse(message.StateTransition, code, format, args...)
}
