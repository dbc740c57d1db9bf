package node_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"connectrpc.com/connect"
	dbm "github.com/cometbft/cometbft-db"
	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/zeebo/blake3"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/snapshot"
	"makechain/proof/finality"
)

// syncing returns the configuration of a node that starts with state sync.
func (s *source) syncing(t *testing.T, home string, trusted *pb.Block) node.Config {
	t.Helper()
	c, err := client.New(s.GRPCAddr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	config := nodetest.Config(home, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})))
	config.Genesis = filepath.Join(s.home, "config", "genesis.json")
	config.Peers = []string{s.P2PAddr()}
	config.StateSync = &node.StateSync{
		Trust:   node.TrustedBlock{Number: trusted.GetHeader().GetHeight().GetBlockNumber(), Hash: ident.Hash(trusted.GetHash())},
		Sources: []finality.Provider{c, c},
	}
	return config
}

// attempts is how often a follower joins until it has used the malicious peer.
const attempts = 5

// TestStateSync checks that a node joins a chain by state sync while a malicious peer offers a state that the validators did
// not sign and invalid chunks, and that it continues and can be restarted.
//
// Rules: I1, T1.1.
func TestStateSync(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	s := newSource(t)
	latest := s.outgrow(t)
	first := nodetest.Call(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: 1}).GetBlock()
	before := nodetest.Call(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: latest - 1}).GetBlock()
	malicious := startMalicious(t, s, latest-1, ident.Hash(before.GetHeader().GetStateRoot()))

	// A follower discovers snapshots for a limited time. The malicious peer must be connected by then.
	for attempt := 0; !malicious.asked.Load(); attempt++ {
		if attempt == attempts {
			t.Fatal("no follower fetched a chunk from the malicious peer")
		}
		s.joinWith(t, malicious, first)
	}
}

// joinWith checks that a follower with the source and a malicious peer joins, continues and can be restarted.
func (s *source) joinWith(t *testing.T, malicious *maliciousPeer, trusted *pb.Block) {
	t.Helper()
	home := filepath.Join(t.TempDir(), "follower")
	config := s.syncing(t, home, trusted)
	config.Peers = append(config.Peers, malicious.address)
	follower := nodetest.StartWith(t, config)
	if status := nodetest.Call(t, follower.GetNodeStatus, &pb.GetNodeStatusRequest{}); !status.GetCatchingUp() {
		t.Error("a node without a state does not report that it is catching up")
	}
	key := nodetest.NewAccount(t).AddKey()
	nodetest.Await(t, "state sync", func() bool {
		return nodetest.Call(t, follower.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock() > 0
	})
	s.Submit(t, key)
	s.MustCommit(t, key)
	newest := awaitIdle(t, s.Client)
	awaitBlock(t, follower.Client, newest)
	s.checkFollows(t, follower, newest)
	follower.Stop(t)
	checkClean(t, home)

	again := nodetest.StartWith(t, config) // what it was told about state sync no longer matters
	s.checkFollows(t, again, newest)
	again.Stop(t)
	checkClean(t, home)
}

// outgrow commits blocks without snapshots, so that the malicious peer can offer a newer snapshot than the source.
func (s *source) outgrow(t *testing.T) (latest uint64) {
	t.Helper()
	s.Stop(t)
	s.Node = nodetest.StartWith(t, nodetest.Config(s.home, slog.New(slog.DiscardHandler)))
	for range 2 {
		key := nodetest.NewAccount(t).AddKey()
		s.Submit(t, key)
		s.MustCommit(t, key)
		latest = awaitIdle(t, s.Client)
	}
	return latest
}

func awaitBlock(t *testing.T, c *nodetest.Client, number uint64) {
	t.Helper()
	nodetest.Await(t, "the follower to catch up", func() bool {
		status := nodetest.Call(t, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
		return status.GetCurrentBlock() >= number && !status.GetCatchingUp()
	})
}

// checkFollows checks that a node has the same block as the source and reports a restored state.
func (s *source) checkFollows(t *testing.T, follower *nodetest.Node, number uint64) {
	t.Helper()
	ours := nodetest.Call(t, follower.GetBlock, &pb.GetBlockRequest{BlockNumber: number}).GetBlock()
	theirs := nodetest.Call(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: number}).GetBlock()
	if !bytes.Equal(ours.GetHash(), theirs.GetHash()) || !bytes.Equal(ours.GetHeader().GetStateRoot(), theirs.GetHeader().GetStateRoot()) {
		t.Errorf("block %d is %x on the follower and %x on the source", number, ours.GetHash(), theirs.GetHash())
	}
	checkSame(t, s.Client, follower.Client)
	verification := nodetest.Call(t, follower.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetReplayVerification().GetStatus()
	if verification != pb.ReplayVerificationStatus_REPLAY_VERIFICATION_STATUS_TRUSTED_SNAPSHOT {
		t.Errorf("the state is reported as %v", verification)
	}
}

// maliciousPeer offers snapshots that are not the state of the chain. It never leaves state sync itself, because it refuses all
// light blocks.
type maliciousPeer struct {
	abci.BaseApplication

	address string
	offers  []*abci.Snapshot
	chunk   []byte
	asked   atomic.Bool
}

// startMalicious starts a peer that offers two snapshots of a block: one with a different root, and one with the correct root
// and invalid rows.
func startMalicious(t *testing.T, s *source, height uint64, root ident.Hash) *maliciousPeer {
	t.Helper()
	l := &maliciousPeer{chunk: []byte("these are no rows")}
	for _, claimed := range []ident.Hash{root, {1}} {
		manifest := &snapshot.Manifest{Height: height, Root: claimed, Rows: 1, Chunks: []snapshot.Hash{blake3.Sum256(l.chunk)}}
		name := manifest.Hash()
		l.offers = append(l.offers, &abci.Snapshot{Height: height, Format: snapshot.Format, Chunks: 1, Hash: name[:], Metadata: manifest.Encode()})
	}
	garbage := &abci.Snapshot{Height: height, Format: snapshot.Format, Chunks: 3, Hash: []byte("hash"), Metadata: []byte("no manifest")}
	l.offers = append(l.offers, garbage)
	home := t.TempDir()
	if err := comet.Join(home, s.genesis); err != nil {
		t.Fatal(err)
	}
	config := comet.Config{Home: home, ListenAddress: "127.0.0.1:0", StateSync: l}
	engine, err := comet.Start(t.Context(), config, l, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Stop() })
	l.address = engine.Address()
	return l
}

func (*maliciousPeer) LightBlock(context.Context, uint64) ([]byte, error) {
	return nil, errors.New("nothing is true")
}

func (l *maliciousPeer) ListSnapshots(context.Context, *abci.RequestListSnapshots) (*abci.ResponseListSnapshots, error) {
	return &abci.ResponseListSnapshots{Snapshots: l.offers}, nil
}

func (l *maliciousPeer) LoadSnapshotChunk(context.Context, *abci.RequestLoadSnapshotChunk) (*abci.ResponseLoadSnapshotChunk, error) {
	l.asked.Store(true)
	return &abci.ResponseLoadSnapshotChunk{Chunk: l.chunk}, nil
}

// TestStateSyncPrunes checks that a node that joined by state sync prunes, and that its home passes a check.
func TestStateSyncPrunes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	s := newSource(t)
	first := nodetest.Call(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: 1}).GetBlock()
	home := t.TempDir()
	config := s.syncing(t, home, first)
	config.RetainBlocks = retained
	follower := nodetest.StartWith(t, config)
	nodetest.Await(t, "state sync", func() bool {
		return nodetest.Call(t, follower.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock() > 0
	})
	began := nodetest.Call(t, follower.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock()
	for range 2 * retained {
		key := nodetest.NewAccount(t).AddKey()
		s.Submit(t, key)
		s.MustCommit(t, key)
	}
	newest := awaitIdle(t, s.Client)
	awaitBlock(t, follower.Client, newest)
	nodetest.Await(t, "old blocks to be pruned", func() bool {
		lowest, latest := lowestKept(t, follower)
		return lowest > began && lowest+retained == latest+1
	})
	s.checkFollows(t, follower, newest)
	nodetest.MustFail(t, follower.GetBlock, &pb.GetBlockRequest{BlockNumber: began + 1}, connect.CodeOutOfRange)
	follower.Stop(t)
	checkClean(t, home)
}

// TestStateSyncRefused checks that a node does not start with a wrong trusted block or without sources.
func TestStateSyncRefused(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	first := nodetest.Call(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: 1}).GetBlock()
	wrong := s.syncing(t, t.TempDir(), first)
	wrong.StateSync.Trust.Hash = ident.Hash{1}
	without := s.syncing(t, t.TempDir(), first)
	without.StateSync.Sources = nil
	for want, config := range map[string]node.Config{"state sync: trusted block: block 1 has the hash": wrong, "no node that provides light blocks": without} {
		if _, err := node.New(t.Context(), config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// TestInterruptedStateSync checks that state sync is repeated when the node crashed before its engine was bootstrapped.
//
// Rules: T2/crash.
func TestInterruptedStateSync(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	for name, breakOff := range map[string]func(home string) error{
		"before":  comet.RemoveChain,
		"between": func(home string) error { return os.RemoveAll(filepath.Join(home, "data", "blockstore.db")) },
		"half":    dropCommits,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSource(t)
			first := nodetest.Call(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: 1}).GetBlock()
			home := t.TempDir()
			s.mustImport(t, home, node.ImportOptions{})
			if err := breakOff(home); err != nil {
				t.Fatal(err)
			}
			follower := nodetest.StartWith(t, s.syncing(t, home, first))
			nodetest.Await(t, "state sync", func() bool {
				return nodetest.Call(t, follower.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock() > 0
			})
			key := nodetest.NewAccount(t).AddKey()
			s.Submit(t, key)
			s.MustCommit(t, key)
			newest := awaitIdle(t, s.Client)
			awaitBlock(t, follower.Client, newest)
			s.checkFollows(t, follower, newest)
		})
	}
}

// dropCommits deletes the commit of the checkpoint from the block database.
func dropCommits(home string) error {
	db, err := dbm.NewDB("blockstore", dbm.GoLevelDBBackend, filepath.Join(home, "data"))
	if err != nil {
		return err
	}
	seen, err := db.Iterator([]byte("SC:"), []byte("SC;"))
	if err != nil {
		return errors.Join(err, db.Close())
	}
	var keys [][]byte
	for ; seen.Valid(); seen.Next() {
		keys = append(keys, bytes.Clone(seen.Key()))
	}
	err = seen.Close()
	for _, key := range keys {
		err = errors.Join(err, db.DeleteSync(key))
	}
	if len(keys) == 0 {
		err = errors.Join(err, errors.New("there are no commits"))
	}
	return errors.Join(err, db.Close())
}
