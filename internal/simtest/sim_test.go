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

// sim is one run of the simulation.
type sim struct {
	*testing.T
	rng    *rand.Rand
	params ledger.Params
	ledger *ledger.Ledger
	rows   *ledgertest.Rows
	block  ledger.Block // the block being assembled
	steady bool         // blocks are one second apart

	users    []*user
	projects []ident.Hash // all that were created
	payments []message.Settlement
	offered  [][]byte            // transactions for the block being assembled
	pending  []*message.Envelope // deferred by the last block

	history []*message.Envelope // all messages that applied
	added   map[string]bool     // keys of all entries that were added and can be removed
	blocks  []simBlock
	stats   stats

	admission admission
}

// simBlock is a block with its transactions and changes.
type simBlock struct {
	ledger.Block
	transactions [][]byte
	changes      []schema.Change
}

func newSim(t *testing.T, seed uint64) *sim {
	t.Helper()
	chain := ledgertest.New(t)
	s := &sim{
		T:      t,
		rng:    rand.New(rand.NewPCG(seed, 0x6d616b65)),
		params: chain.Params,
		ledger: chain.Ledger,
		rows:   chain.Rows,
		block:  chain.Block,
		added:  map[string]bool{},
		stats:  newStats(),
	}
	s.admission = newAdmission(s.ledger, seed)
	s.users = newUsers(t)
	return s
}

// commitBlock executes a block of the messages that were sent, checks it and advances the time.
func (s *sim) commitBlock() {
	s.Helper()
	candidates := slices.Concat(s.pending, s.admitAll())
	s.checkRefusals(candidates)
	result, err := s.ledger.Assemble(s.rows, s.block, candidates, nil)
	if err != nil {
		s.Fatalf("assemble block %d: %v", s.block.Height, err)
	}
	s.checkReuse(candidates, result)
	s.checkSwap(ledgertest.Messages(result), result.Changes)
	before := s.rows.Clone()
	if err := s.rows.Apply(result.Changes); err != nil {
		s.Fatalf("block %d: %v", s.block.Height, err)
	}
	s.record(before, result)
	s.checkCustody(before, result)
	s.checkTombstones(result)
	s.checkSweeps(result)
	s.checkRows()
	s.pending = result.Deferred
	s.block.Height++
	s.block.Time += s.nextBlockDelay()
	s.checkReplays(s.sample(replaysPerBlock))
	s.checkReplays(s.reusedNames())
}

// nextBlockDelay returns the time until the next block. Most blocks are seconds apart; after some delays validity periods,
// cooldowns and grants have expired.
func (s *sim) nextBlockDelay() uint64 {
	const hour, day = 60 * 60, 24 * 60 * 60
	if s.steady {
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
	block := simBlock{Block: s.block, changes: result.Changes}
	for _, applied := range result.Applied {
		m := applied.Message
		block.transactions = append(block.transactions, m.Transaction())
		s.history = append(s.history, m)
		s.stats.applied[m.Type()]++
		switch m.Type() {
		case pb.MessageType_MESSAGE_TYPE_PROJECT_CREATE, pb.MessageType_MESSAGE_TYPE_FORK:
			s.projects = append(s.projects, m.Hash)
		}
	}
	for _, c := range result.Changes {
		switch schema.Prefix(c.Key[0]) {
		case schema.PrefixPruneMarker:
			if c.Value != nil {
				s.stats.pruned[schema.Prefix(c.Key[1])]++
			}
		case schema.PrefixUsername:
			s.recordUsername(before, c, result.Applied)
		}
	}
	s.blocks = append(s.blocks, block)
}

// recordUsername counts a username that another account took after it lapsed.
func (s *sim) recordUsername(before *ledgertest.Rows, c schema.Change, applied []ledger.Applied) {
	var old pb.UsernameRow
	if _, err := before.Load(c.Key, &old); err != nil {
		s.Fatal(err)
	}
	changed := slices.ContainsFunc(applied, func(a ledger.Applied) bool {
		return bytes.Equal(a.Message.Owner[:], old.GetOwnerAddress()) && a.Message.Type() == pb.MessageType_MESSAGE_TYPE_USERNAME_UPDATE
	})
	if c.Existed && c.Value != nil && !changed {
		s.stats.lapsed++
	}
}

// send offers a message for the block being assembled.
func (s *sim) send(m *message.Envelope, err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("create a message: %v", err)
	}
	s.offered = append(s.offered, m.Transaction())
}

// admitAll passes the offered transactions through the stateless checks.
func (s *sim) admitAll() []*message.Envelope {
	var admitted []*message.Envelope
	for _, tx := range s.offered {
		m, refusal := message.Decode(tx)
		// Signatures are by far the slowest check, so only some are checked.
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
			s.stats.refused[refusal.Code]++
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

// under returns the parsed keys that start with prefix.
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

// pick returns a random element of a list, which must not be empty.
func pick[T any](s *sim, list []T) T { return list[s.rng.IntN(len(list))] }

// chance returns true with the given probability.
func (s *sim) chance(percent int) bool { return s.rng.IntN(100) < percent }

// hash returns a new random id.
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

// timestamp returns a timestamp for a message: mostly about now, sometimes stale or in the future.
func (s *sim) timestamp() uint32 {
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
