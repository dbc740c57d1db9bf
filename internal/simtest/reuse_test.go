package simtest

import (
	"math/rand/v2"
	"reflect"
	"slices"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// admission applies the messages of each account in a session of its own, as a mempool does, and records the executions, which
// blocks reuse.
type admission struct {
	rng        *rand.Rand
	ledger     *ledger.Ledger // reuses the executions
	reuse      *ledger.Reuse
	sessions   map[ident.Address]*ledger.Session
	executions map[*message.Envelope]*ledger.Execution
}

func newAdmission(chain *ledger.Ledger, seed uint64) admission {
	a := admission{
		rng:      rand.New(rand.NewPCG(seed, 0x72657573)),
		sessions: map[ident.Address]*ledger.Session{}, executions: map[*message.Envelope]*ledger.Execution{},
	}
	a.reuse = ledger.NewReuse(func(m *message.Envelope) *ledger.Execution { return a.executions[m] })
	a.ledger = chain.Reusing(a.reuse)
	return a
}

// checkReuse assembles and executes the block again, with the executions of its messages in sessions that may be based on older
// blocks and other block times, and checks that the results are those of want.
func (s *sim) checkReuse(candidates []*message.Envelope, want *ledger.Result) {
	s.Helper()
	a := &s.admission
	s.admit(candidates)
	assembled, err := a.ledger.Assemble(s.rows, s.block, candidates, nil)
	if err != nil {
		s.Fatalf("assemble block %d with reuse: %v", s.block.Height, err)
	}
	executed, err := a.ledger.Execute(s.rows, s.block, ledgertest.Messages(want))
	if err != nil {
		s.Fatalf("execute block %d with reuse: %v", s.block.Height, err)
	}
	for _, got := range []*ledger.Result{assembled, executed} {
		if !slices.EqualFunc(got.Changes, want.Changes, sameChange) {
			s.Fatalf("block %d has other changes with reuse", s.block.Height)
		}
		if !slices.EqualFunc(got.Applied, want.Applied, sameApplied) {
			s.Fatalf("block %d has other effects with reuse", s.block.Height)
		}
	}
	if !reflect.DeepEqual(assembled.Refused, want.Refused) || !reflect.DeepEqual(assembled.Deferred, want.Deferred) ||
		!reflect.DeepEqual(assembled.OverLimit, want.OverLimit) {
		s.Fatalf("block %d leaves out other messages with reuse", s.block.Height)
	}
	a.reuse.Committed(s.block.Height, assembled)
	s.stats.reused += assembled.Reused
	s.stats.executed += len(assembled.Applied) - assembled.Reused
}

// admit applies candidates that were not applied yet to the sessions of their authors, and replaces some sessions.
func (s *sim) admit(candidates []*message.Envelope) {
	s.Helper()
	a, latest := &s.admission, s.rows.Clone()
	for _, m := range candidates {
		if _, admitted := a.executions[m]; admitted && a.rng.IntN(4) > 0 {
			continue
		}
		session := a.sessions[m.Owner]
		if session == nil || a.rng.IntN(4) == 0 {
			at := s.block
			at.Time += a.rng.Uint64N(20)
			at.Time -= 10
			session = s.ledger.Begin(latest, at)
			session.Record()
			a.sessions[m.Owner] = session
		}
		if _, _, err := session.Apply(m); err != nil {
			s.Fatalf("admit %s: %v", m.Type(), err)
		}
		a.executions[m] = session.Recorded()
		if a.rng.IntN(20) == 0 { // a mempool that is full
			session.Undo()
		}
	}
}

// sameApplied compares messages and effects, except for the number of rows that were read.
func sameApplied(a, b ledger.Applied) bool {
	x, y := *a.Effects, *b.Effects
	x.Reads, y.Reads = 0, 0
	return a.Message == b.Message && reflect.DeepEqual(x, y)
}
