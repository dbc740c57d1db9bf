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
	sessions   map[ident.Address]*twoSessions
	executions map[*message.Envelope]*ledger.Execution
}

// twoSessions are sessions with the same messages: one repeats earlier executions where it can, the other executes all of them.
type twoSessions struct{ repeating, executing *ledger.Session }

func newAdmission(chain *ledger.Ledger, seed uint64) admission {
	a := admission{
		rng:      rand.New(rand.NewPCG(seed, 0x72657573)),
		sessions: map[ident.Address]*twoSessions{}, executions: map[*message.Envelope]*ledger.Execution{},
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

// admit applies candidates that were not applied yet to the sessions of their authors, some of which are based on older blocks. Then
// it replaces some sessions by new ones on the latest block, to which it applies the candidates of the author again.
func (s *sim) admit(candidates []*message.Envelope) {
	s.Helper()
	a, latest := &s.admission, s.rows.Clone()
	var authors []ident.Address
	for _, m := range candidates {
		if !slices.Contains(authors, m.Owner) {
			authors = append(authors, m.Owner)
		}
		if _, admitted := a.executions[m]; admitted && a.rng.IntN(4) > 0 {
			continue
		}
		if a.sessions[m.Owner] == nil || a.rng.IntN(4) == 0 {
			a.sessions[m.Owner] = s.beginTwo(latest)
		}
		s.apply(a.sessions[m.Owner], m)
	}
	for _, author := range authors {
		if a.rng.IntN(2) == 0 {
			continue
		}
		a.sessions[author] = s.beginTwo(latest)
		for _, m := range candidates {
			if m.Owner == author {
				s.apply(a.sessions[author], m)
			}
		}
	}
}

// beginTwo begins sessions on a state, with a block time of their own.
func (s *sim) beginTwo(latest ledger.View) *twoSessions {
	at := s.block
	at.Time += s.admission.rng.Uint64N(20)
	at.Time -= 10
	sessions := &twoSessions{s.admission.ledger.Begin(latest, at), s.ledger.Begin(latest, at)}
	sessions.repeating.Record()
	return sessions
}

// apply applies a message to both sessions, and checks that it has the same result whether or not its execution is repeated.
func (s *sim) apply(sessions *twoSessions, m *message.Envelope) {
	s.Helper()
	a := &s.admission
	before := a.executions[m]
	got, refusal, err := sessions.repeating.Reapply(m, before)
	want, wantRefusal, wantErr := sessions.executing.Apply(m)
	if err != nil || wantErr != nil {
		s.Fatalf("admit %s: %v, %v", m.Type(), err, wantErr)
	}
	if !reflect.DeepEqual(refusal, wantRefusal) || refusal == nil && !sameEffects(*got, *want) {
		s.Fatalf("%s has other results when its execution is repeated: %v, want %v", m.Type(), refusal, wantRefusal)
	}
	if a.rng.IntN(16) == 0 && !slices.EqualFunc(sessions.repeating.Changes(), sessions.executing.Changes(), sameChange) {
		s.Fatalf("a session has other changes after %s when executions are repeated", m.Type())
	}
	a.executions[m] = sessions.repeating.Recorded()
	switch {
	case before != nil && a.executions[m] == before:
		s.stats.repeated++
	case a.rng.IntN(20) == 0: // a mempool that is full
		sessions.repeating.Undo()
		sessions.executing.Undo()
	}
}

// sameApplied compares messages and effects, except for the number of rows that were read.
func sameApplied(a, b ledger.Applied) bool {
	return a.Message == b.Message && sameEffects(*a.Effects, *b.Effects)
}

// sameEffects compares effects, except for the number of rows that were read.
func sameEffects(a, b ledger.Effects) bool {
	a.Reads, b.Reads = 0, 0
	return reflect.DeepEqual(a, b)
}
