package attester_test

import (
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/attester"
	"makechain/internal/evm"
	"makechain/internal/ident"
	"makechain/message"
)

// fakeProvider is a fake of an EVM chain in memory: all its blocks are finalized. Tests with a real EVM are in tools/evm.
type fakeProvider struct {
	rents  map[uint64][]evm.Rent // by block
	latest uint64
	fork   byte // changes all hashes
}

func (p *fakeProvider) hash(number uint64) (h ident.Hash) {
	binary.BigEndian.PutUint64(h[:], number+1)
	h[31] = p.fork
	return h
}

func (p *fakeProvider) block(number uint64) evm.Block {
	b := evm.Block{Number: number, Hash: p.hash(number), Timestamp: 1_800_000_000 + number}
	if number > 0 {
		b.Parent = p.hash(number - 1)
	}
	return b
}

func (*fakeProvider) Name() string { return "fake" }

func (*fakeProvider) ChainID(context.Context) (uint64, error) { return 31337, nil }

func (p *fakeProvider) Finalized(context.Context) (evm.Block, error) { return p.block(p.latest), nil }

func (p *fakeProvider) Blocks(_ context.Context, from uint64, count int) (blocks []evm.Block, err error) {
	for i := range uint64(count) {
		blocks = append(blocks, p.block(from+i))
	}
	return blocks, nil
}

func (p *fakeProvider) Rents(_ context.Context, _ ident.Address, blocks []evm.Block) (rents [][]evm.Rent, err error) {
	for _, block := range blocks {
		rents = append(rents, p.rents[block.Number])
	}
	return rents, nil
}

func (*fakeProvider) Receipt(context.Context, ident.Hash) (evm.Receipt, error) {
	return evm.Receipt{}, evm.ErrNotFound
}

// pay adds a payment in the next block.
func (p *fakeProvider) pay(n byte) {
	p.latest++
	p.rents[p.latest] = append(p.rents[p.latest], evm.Rent{
		TxHash: ident.Hash{n}, LogIndex: 2, Owner: ident.Address{n}, Actor: ident.Address{9}, Units: uint32(n), Timestamp: p.block(p.latest).Timestamp,
	})
}

// A seed signs in memory.
type seed struct{ message.Seed }

func (s seed) Key() ident.PublicKey { return message.NewAuthor(s.Seed, 0, ident.Address{}).Key() }

func (s seed) Sign(_ context.Context, digest ident.Hash) ([]byte, error) {
	return ed25519.Sign(ed25519.NewKeyFromSeed(s.Seed[:]), digest[:]), nil
}

// A fixture is an attester of a fake chain.
type fixture struct {
	provider *fakeProvider
	config   attester.Config
	now      time.Time
	in       attester.Settlement // in force
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	signer := seed{message.Seed{7}}
	f := &fixture{provider: &fakeProvider{rents: map[uint64][]evm.Rent{}}, now: time.Unix(1_900_000_000, 0)}
	f.in = attester.Settlement{
		Domain: message.SettlementDomain{
			Network: pb.Network_NETWORK_TESTNET, ChainID: "test", SettlementChainID: 31337, Contract: ident.Address{1},
		},
		Attesters: []ident.PublicKey{signer.Key()},
	}
	f.config = attester.Config{
		Dir: t.TempDir(), Providers: []attester.Provider{f.provider}, Signer: signer, Poll: time.Millisecond,
		Settlement: func(context.Context) (attester.Settlement, error) { return f.in, nil },
		Now:        func() time.Time { return f.now }, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	return f
}

func (f *fixture) open(t *testing.T) *attester.Attester {
	t.Helper()
	a, err := attester.New(f.config)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// catchUp makes steps until there is nothing to read, and returns the reason why it stopped.
func catchUp(t *testing.T, a *attester.Attester) attester.Reason {
	t.Helper()
	for {
		isBehind, err := a.Step(t.Context())
		if halted, ok := errors.AsType[*attester.HaltError](err); ok {
			return halted.Reason
		}
		if err != nil {
			t.Fatal(err)
		}
		if !isBehind {
			return ""
		}
	}
}

func mustCatchUp(t *testing.T, a *attester.Attester) {
	t.Helper()
	if reason := catchUp(t, a); reason != "" {
		t.Fatal(fmt.Sprint("halted: ", reason))
	}
}
