package simtest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/fsck"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// sim is one run.
type sim struct {
	*testing.T
	rng    *rand.Rand
	params ledger.Params
	ledger *ledger.Ledger
	rows   *ledgertest.Rows
	block  ledger.Block // the one being made
	calm   bool         // blocks follow one another every second

	people   []*person
	projects []ident.Hash // ever made
	payments []message.Settlement
	offered  [][]byte            // transactions for the block being made
	pending  []*message.Envelope // deferred by the last block

	history []*message.Envelope // everything that ever applied
	born    map[string]bool     // rows that were ever added and can be buried, by key
	blocks  []madeBlock
	seen    tally
}

// madeBlock is a block as others receive it, and what it changed here.
type madeBlock struct {
	ledger.Block
	transactions [][]byte
	changes      []schema.Change
}

func newSim(t *testing.T, seed uint64) *sim {
	t.Helper()
	world := ledgertest.New(t)
	s := &sim{
		T:      t,
		rng:    rand.New(rand.NewPCG(seed, 0x6d616b65)),
		params: world.Params,
		ledger: world.Ledger,
		rows:   world.Rows,
		block:  world.Block,
		born:   map[string]bool{},
		seen:   newTally(),
	}
	s.people = newPeople(t)
	return s
}

// makeBlock makes a block of what was sent, checks it and moves on.
func (s *sim) makeBlock() {
	s.Helper()
	candidates := slices.Concat(s.pending, s.admitAll())
	s.checkRefusals(candidates)
	result, err := s.ledger.Assemble(s.rows, s.block, candidates)
	if err != nil {
		s.Fatalf("assemble block %d: %v", s.block.Height, err)
	}
	s.checkSwap(ledgertest.Messages(result), result.Changes)
	before := s.rows.Clone()
	if err := s.rows.Apply(result.Changes); err != nil {
		s.Fatalf("block %d: %v", s.block.Height, err)
	}
	s.record(before, result)
	s.checkCustody(before, result)
	s.checkBurials(result)
	s.checkSweeps(result)
	s.checkRows()
	s.pending = result.Deferred
	s.block.Height++
	s.block.Time += s.leap()
	s.checkReplays(s.sample(replaysPerBlock))
	s.checkReplays(s.rebirths())
}

// leap is the time to the next block. Most are seconds apart; some let windows, cooldowns and grants end.
func (s *sim) leap() uint64 {
	const hour, day = 60 * 60, 24 * 60 * 60
	if s.calm {
		return 1
	}
	switch n := s.rng.IntN(100); {
	case n < 75:
		return 1 + s.rng.Uint64N(30)
	case n < 85:
		return hour + s.rng.Uint64N(day)
	case n < 93:
		return 7*day + s.rng.Uint64N(2*day)
	default:
		return 60*day + s.rng.Uint64N(100*day)
	}
}

func (s *sim) record(before *ledgertest.Rows, result *ledger.Result) {
	made := madeBlock{Block: s.block, changes: result.Changes}
	for _, applied := range result.Applied {
		m := applied.Message
		made.transactions = append(made.transactions, m.Transaction())
		s.history = append(s.history, m)
		s.seen.applied[m.Type()]++
		switch m.Type() {
		case pb.MessageType_MESSAGE_TYPE_PROJECT_CREATE, pb.MessageType_MESSAGE_TYPE_FORK:
			s.projects = append(s.projects, m.Hash)
		}
	}
	for _, c := range result.Changes {
		switch schema.Prefix(c.Key[0]) {
		case schema.PrefixPruneMarker:
			if c.Value != nil {
				s.seen.pruned[schema.Prefix(c.Key[1])]++
			}
		case schema.PrefixUsername:
			s.recordUsername(before, c, result.Applied)
		}
	}
	s.blocks = append(s.blocks, made)
}

// recordUsername counts a username that went from one account to another though its holder did not change it.
func (s *sim) recordUsername(before *ledgertest.Rows, c schema.Change, applied []ledger.Applied) {
	var old pb.UsernameRow
	if _, err := before.Load(c.Key, &old); err != nil {
		s.Fatal(err)
	}
	changed := slices.ContainsFunc(applied, func(a ledger.Applied) bool {
		return bytes.Equal(a.Message.Owner[:], old.GetOwnerAddress()) && a.Message.Type() == pb.MessageType_MESSAGE_TYPE_USERNAME_UPDATE
	})
	if c.Existed && c.Value != nil && !changed {
		s.seen.lapsed++
	}
}

// send offers a message for the block being made.
func (s *sim) send(m *message.Envelope, err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("make a message: %v", err)
	}
	s.offered = append(s.offered, m.Transaction())
}

// admitAll takes what was offered through the checks that need no state.
func (s *sim) admitAll() []*message.Envelope {
	var admitted []*message.Envelope
	for _, tx := range s.offered {
		m, refusal := message.Decode(tx)
		// Signatures are by far the slowest check, and the author is honest most of the time.
		if refusal == nil && s.rng.IntN(4) == 0 {
			refusal = m.VerifySignature()
		}
		if refusal == nil {
			refusal = m.CheckNetwork(s.params.Network)
		}
		if refusal == nil {
			refusal = m.Validate()
		}
		if refusal != nil {
			s.seen.refused[refusal.Code]++
			continue
		}
		admitted = append(admitted, m)
	}
	s.offered = nil
	return admitted
}

func (s *sim) checkRows() {
	s.Helper()
	report, err := fsck.Check(s.rows)
	if err != nil {
		s.Fatal(err)
	}
	if !report.Clean() {
		s.Fatalf("after block %d:\n%s", s.block.Height, report)
	}
}

// load reads a row of the state, all zeros when it is absent.
func load[T any, P interface {
	*T
	proto.Message
}](s *sim, key []byte) P {
	row := P(new(T))
	if _, err := s.rows.Load(key, row); err != nil {
		s.Fatalf("row %x: %v", key, err)
	}
	return row
}

func (s *sim) has(key []byte) bool {
	value, err := s.rows.Get(key)
	if err != nil {
		s.Fatal(err)
	}
	return value != nil
}

// under takes apart the keys that begin with prefix.
func (s *sim) under(prefix []byte) []schema.Key {
	var keys []schema.Key
	err := s.rows.Scan(prefix, schema.After(prefix), func(key, _ []byte) bool {
		parsed, err := schema.ParseKey(key)
		if err != nil {
			s.Fatal(err)
		}
		keys = append(keys, parsed)
		return true
	})
	if err != nil {
		s.Fatal(err)
	}
	return keys
}

// pick chooses one of a list, which must not be empty.
func pick[T any](s *sim, list []T) T { return list[s.rng.IntN(len(list))] }

// chance is true so many times of a hundred.
func (s *sim) chance(percent int) bool { return s.rng.IntN(100) < percent }

// hash is a new id that nobody has seen before.
func (s *sim) hash() ident.Hash {
	var h ident.Hash
	for i := range h {
		h[i] = byte(s.rng.Uint32())
	}
	return h
}

func (s *sim) address() ident.Address {
	h := s.hash()
	return ident.Address(h[:ident.AddressSize])
}

// stamp is a timestamp for a message: about now most of the time, else stale or ahead.
func (s *sim) stamp() uint32 {
	now := uint32(s.block.Time)
	switch n := s.rng.IntN(100); {
	case n < 88:
		return now - s.rng.Uint32N(3)
	case n < 94:
		return now - s.rng.Uint32N(400)
	case n < 96:
		return now - s.rng.Uint32N(1_000_000)
	case n < 98:
		return now + s.rng.Uint32N(300)
	default:
		return now + 301 + s.rng.Uint32N(20)
	}
}
