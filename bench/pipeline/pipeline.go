// Package pipeline runs the part of a node that processes messages, without consensus and network: admission, execution,
// state tree and disk. It exists to measure their cost alone.
package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"connectrpc.com/connect"
	cometabci "github.com/cometbft/cometbft/abci/types"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/internal/abci"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/mempool"
	"makechain/internal/schema"
	"makechain/internal/settlement"
	"makechain/internal/store"
	"makechain/message"
)

const dirMode = 0o700

// Pipeline is the application of a development chain with its mempool and its store. Block plays the part of consensus.
type Pipeline struct {
	store  *store.Store
	pool   *mempool.Pool
	app    *abci.App
	faucet *settlement.Faucet
	height int64
}

// Open creates a pipeline in a directory, which must be empty or missing.
func Open(dir string, log *slog.Logger) (*Pipeline, error) {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, err
	}
	attester, err := settlement.LoadAttester(filepath.Join(dir, "attester"), rand.Reader)
	if err != nil {
		return nil, err
	}
	chain := &genesis.Genesis{
		ChainID: "pipeline", Network: pb.Network_NETWORK_DEVNET, Consensus: genesis.DefaultConsensus(),
		Settlement: settlement.FaucetSettlement(attester.Key()),
	}
	state, err := store.Open(filepath.Join(dir, "state"), store.Options{Log: log})
	if err != nil {
		return nil, err
	}
	p := &Pipeline{store: state}
	p.pool = mempool.New(mempool.Config{
		Params:    chain.Params(),
		Latest:    func() mempool.Snapshot { return state.Snapshot() },
		Broadcast: func([][]byte) error { return nil },
		Now:       time.Now,
		Capacity:  mempool.DefaultCapacity,
		TTL:       mempool.DefaultTTL,
		Workers:   max(1, runtime.GOMAXPROCS(0)-1),
	})
	p.app = abci.New(abci.Config{
		Genesis:   chain,
		Latest:    func() abci.Snapshot { return state.Snapshot() },
		Stage:     func(changes []schema.Change) (abci.Staged, error) { return state.Stage(changes) },
		Pool:      p.pool,
		Observers: []abci.Observer{p.pool},
		Log:       log,
	})
	params := chain.Params()
	p.faucet = &settlement.Faucet{
		Attester: attester, Domain: func() (message.SettlementDomain, error) { return params.Settlement.Domain(&params), nil },
		Submit: p.pool.Submit, Now: time.Now, Random: rand.Reader,
	}
	return p, nil
}

// Claim submits a storage claim for an account.
func (p *Pipeline) Claim(ctx context.Context, owner ident.Address, units uint32) error {
	_, err := p.faucet.Claim(ctx, connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: owner[:], Units: units}))
	return err
}

// Submit validates messages and adds them to the mempool. It returns a refusal, or nil, for each of them in order.
func (p *Pipeline) Submit(ctx context.Context, messages []*message.Envelope) ([]*message.Refusal, error) {
	return p.pool.SubmitBatch(ctx, messages)
}

// Block executes and commits a block of pending messages, with the calls that CometBFT makes in a chain of one validator.
// It calls selected, unless that is nil, when the messages of the block are known: messages that are submitted later are not in
// it. It returns the number of messages in the block and of rows in the state after it.
func (p *Pipeline) Block(ctx context.Context, selected func()) (messages, rows int, err error) {
	height, now := p.height+1, time.Now()
	proposed, err := p.app.PrepareProposal(ctx, &cometabci.RequestPrepareProposal{Height: height, Time: now, MaxTxBytes: ledger.MaxBlockBytes})
	if err != nil {
		return 0, 0, err
	}
	if selected != nil {
		selected()
	}
	processed, err := p.app.ProcessProposal(ctx, &cometabci.RequestProcessProposal{Height: height, Time: now, Txs: proposed.Txs})
	if err != nil {
		return 0, 0, err
	}
	if !processed.IsAccepted() {
		return 0, 0, fmt.Errorf("the application rejects its own proposal at height %d", height)
	}
	var hash ident.Hash // must differ from those of other blocks
	binary.BigEndian.PutUint64(hash[:], uint64(height))
	_, err = p.app.FinalizeBlock(ctx, &cometabci.RequestFinalizeBlock{Height: height, Time: now, Txs: proposed.Txs, Hash: hash[:]})
	if err != nil {
		return 0, 0, err
	}
	if _, err := p.app.Commit(ctx, &cometabci.RequestCommit{}); err != nil {
		return 0, 0, err
	}
	p.height = height
	latest := p.store.Snapshot()
	return len(proposed.Txs), latest.Len(), latest.Close()
}

// Close closes the mempool and the store.
func (p *Pipeline) Close() error { return errors.Join(p.pool.Close(), p.store.Close()) }
