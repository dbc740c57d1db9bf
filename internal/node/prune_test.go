package node_test

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/settlement"
	"makechain/message"
)

const retained = 10

// shortEvidenceHome initializes the home of a chain on which evidence expires soon.
func shortEvidenceHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, filepath.Dir(settlement.KeyFile)), 0o700); err != nil {
		t.Fatal(err)
	}
	attester, err := settlement.LoadAttester(filepath.Join(home, settlement.KeyFile), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	begin := genesis.Genesis{
		ChainID: "forgetful", Network: pb.Network_NETWORK_DEVNET, Consensus: genesis.DefaultConsensus(),
		Settlement: settlement.FaucetSettlement(attester.Key()),
	}
	begin.Consensus.EvidenceMaxAgeBlocks, begin.Consensus.EvidenceMaxAge = 1, time.Second
	if err := comet.Init(home, begin); err != nil {
		t.Fatal(err)
	}
	return home
}

// writer submits messages one after another, each in a block of its own.
type writer struct {
	*nodetest.Account
	sent    []*message.Envelope
	project ident.Hash // of which it has moved a ref
}

// startRetaining starts a node that keeps the given number of blocks.
func startRetaining(t *testing.T, home string, blocks uint64) *nodetest.Node {
	t.Helper()
	config := nodetest.Config(home, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	config.RetainBlocks = blocks
	return nodetest.StartWith(t, config)
}

func (w *writer) write(t *testing.T, n *nodetest.Node, messages int) {
	t.Helper()
	for range messages {
		w.AdvanceClock()
		m := w.Sign(message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "number "+strconv.Itoa(len(w.sent))))
		n.Submit(t, m)
		n.MustCommit(t, m)
		w.sent = append(w.sent, m)
	}
}

// move creates a project and moves a ref of it.
func (w *writer) move(t *testing.T, n *nodetest.Node) {
	t.Helper()
	made := w.Sign(message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.project = made.Hash
	hash := ident.Hash{1}
	commit := message.Commit{Hash: hash, TreeRoot: hash, MessageHash: hash, Author: w.Address(), AuthorTimestamp: w.Now(), Title: "first"}
	moved := []*message.Envelope{
		made,
		w.Sign(message.CommitBundle(w.project, message.Content{}, commit)),
		w.Sign(message.RefUpdate(w.project, "main", message.RefMove{New: hash, Nonce: 1})),
	}
	n.Submit(t, moved...)
	n.MustCommit(t, moved...)
	w.sent = append(w.sent, moved...)
	if log := w.refLog(t, n); len(log) != 1 {
		t.Errorf("the log of the ref is %v", log)
	}
}

func (w *writer) refLog(t *testing.T, n *nodetest.Node) []*pb.RefLogEntry {
	t.Helper()
	return nodetest.Call(t, n.GetRefLog, &pb.GetRefLogRequest{ProjectId: w.project[:], RefName: []byte("main")}).GetEntries()
}

// readRef checks that a ref that was moved in pruned blocks still has its value, and that its log is empty.
func (w *writer) readRef(t *testing.T, n *nodetest.Node) {
	t.Helper()
	if log := w.refLog(t, n); len(log) != 0 {
		t.Errorf("the log of the ref is %v", log)
	}
	if ref := nodetest.Call(t, n.GetRef, &pb.GetRefRequest{ProjectId: w.project[:], RefName: []byte("main")}); ref.GetNonce() != 1 {
		t.Errorf("the ref is %v", ref)
	}
	activity := nodetest.Call(t, n.GetProjectActivity, &pb.GetProjectActivityRequest{ProjectId: w.project[:]}).GetMessages()
	if len(activity) != 0 {
		t.Errorf("the activity of the project is %v", activity)
	}
}

// lowestKept returns the lowest block that a node serves besides genesis, and its newest one.
func lowestKept(t *testing.T, n *nodetest.Node) (lowest, latest uint64) {
	t.Helper()
	answer := nodetest.Call(t, n.ListBlocks, &pb.ListBlocksRequest{Limit: 200})
	blocks := answer.GetBlocks()
	return blocks[len(blocks)-1].GetBlock().GetHeader().GetHeight().GetBlockNumber(), answer.GetLatestBlock()
}

// TestRetainBlocks enables pruning on a chain that has all blocks, and checks that a few blocks at a time are pruned until the
// configured number is left, that reads of pruned blocks are out of range, and that the state and the check are not affected.
func TestRetainBlocks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("commits many blocks")
	}
	home := shortEvidenceHome(t)
	n := startRetaining(t, home, 0)
	w := &writer{Account: nodetest.NewAccount(t)}
	joined := n.Register(w.Account, storageUnits, "alice")
	for _, hash := range joined {
		n.AwaitStatus(t, hash)
	}
	w.move(t, n)
	w.write(t, n, 60)
	if lowest, latest := lowestKept(t, n); lowest != 0 || latest < 60 {
		t.Fatalf("blocks %d to %d are stored, want all", lowest, latest)
	}
	n.Stop(t)

	n = startRetaining(t, home, retained)
	before, _ := lowestKept(t, n)
	nodetest.Await(t, "blocks to be pruned", func() bool {
		w.write(t, n, 1)
		lowest, latest := lowestKept(t, n)
		if lowest > before+3*32 { // three blocks can have come since
			t.Fatalf("%d blocks were pruned at once", lowest-before)
		}
		before = lowest
		return lowest+retained+1 >= latest
	})
	awaitIdle(t, n.Client)
	nodetest.Await(t, "the last block to be pruned", func() bool { // after the new block can be read
		lowest, latest := lowestKept(t, n)
		return lowest+retained == latest+1
	})
	w.readPruned(t, n, len(joined))
	w.readRef(t, n)
	n.Stop(t)
	notes, err := checked(home)
	if err != nil || !strings.Contains(notes, "replay   not from genesis") || !strings.Contains(notes, "pruned ") {
		t.Errorf("check: %v; report:\n%s", err, notes)
	}
}

// readPruned checks reads of pruned blocks and of the data that remains.
func (w *writer) readPruned(t *testing.T, n *nodetest.Node, others int) {
	t.Helper()
	lowest, _ := lowestKept(t, n)
	gone, last := w.sent[0].Hash, w.sent[len(w.sent)-1].Hash
	_, err := n.GetBlock(t.Context(), connect.NewRequest(&pb.GetBlockRequest{BlockNumber: lowest - 1}))
	if want := "no longer stored, the lowest is " + strconv.FormatUint(lowest, 10); connect.CodeOf(err) != connect.CodeOutOfRange || !strings.Contains(err.Error(), want) {
		t.Errorf("block %d: %v, want out of range and %q", lowest-1, err, want)
	}
	nodetest.MustFail(t, n.ListMessages, &pb.ListMessagesRequest{StartBlock: 1, EndBlock: 5}, connect.CodeOutOfRange)
	nodetest.MustFail(t, n.ListBlocks, &pb.ListBlocksRequest{Start: 1}, connect.CodeOutOfRange)
	nodetest.MustFail(t, n.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: lowest - 1}, connect.CodeOutOfRange)
	nodetest.MustFail(t, n.GetMessageInclusionProof, &pb.GetMessageInclusionProofRequest{MessageHash: gone[:], BlockNumber: 2}, connect.CodeOutOfRange)
	nodetest.MustFail(t, n.GetMessageInclusionProof, &pb.GetMessageInclusionProofRequest{MessageHash: gone[:]}, connect.CodeNotFound)
	nodetest.MustFail(t, n.GetMessage, &pb.GetMessageRequest{Hash: gone[:]}, connect.CodeNotFound)
	first := uint64(1)
	stream, err := n.SubscribeMessages(t.Context(), connect.NewRequest(&pb.SubscribeRequest{StartBlock: &first}))
	if err != nil {
		t.Fatal(err)
	}
	if stream.Receive() || connect.CodeOf(stream.Err()) != connect.CodeOutOfRange {
		t.Errorf("a stream from block 1: %v, want out of range", stream.Err())
	}
	w.readREST(t, n)

	nodetest.Call(t, n.GetBlock, &pb.GetBlockRequest{}) // genesis
	nodetest.Call(t, n.GetBlock, &pb.GetBlockRequest{BlockNumber: lowest})
	nodetest.Call(t, n.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: lowest})
	nodetest.Call(t, n.GetMessageInclusionProof, &pb.GetMessageInclusionProofRequest{MessageHash: last[:]})
	owner := w.Address()
	activity := nodetest.Call(t, n.GetAccountActivity, &pb.GetAccountActivityRequest{OwnerAddress: owner[:], Limit: 200}).GetMessages()
	if len(activity) == 0 || len(activity) > retained || activity[len(activity)-1].GetBlockNumber() < lowest {
		t.Errorf("%d messages of blocks from %d on are listed", len(activity), lowest)
	}
	stats := nodetest.Call(t, n.GetChainStats, &pb.GetChainStatsRequest{})
	if want := uint64(len(w.sent) + others); stats.GetTotalMessages() != want {
		t.Errorf("%d messages are counted, want %d", stats.GetTotalMessages(), want)
	}
}

// readREST reads a pruned block by REST.
func (w *writer) readREST(t *testing.T, n *nodetest.Node) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.RESTURL()+"/v1/blocks/1", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Errorf("block 1 by REST: %s, %v", answer.Status, err)
	}
}

// TestPrunedSizes checks that the databases of a pruning node stop growing.
func TestPrunedSizes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("prunes a long chain")
	}
	home := shortEvidenceHome(t)
	w := &writer{Account: nodetest.NewAccount(t)}
	n := startRetaining(t, home, retained)
	for _, hash := range n.Register(w.Account, storageUnits, "alice") {
		n.AwaitStatus(t, hash)
	}
	var sizes []int
	for range 3 {
		w.write(t, n, 40)
		awaitIdle(t, n.Client)
		n.Stop(t)
		sizes = append(sizes, databaseSize(t, home))
		n = startRetaining(t, home, retained)
	}
	if sizes[2] > 2*sizes[0] { // of three times as many blocks
		t.Errorf("the databases have %d bytes after equal numbers of blocks", sizes)
	}
}

// TestPrunedBefore restores an older copy of the state in a home whose blocks have been pruned since, and checks that the
// blocks are executed again and that index rows of pruned blocks are deleted.
//
// Rules: T2/crash.
func TestPrunedBefore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("commits many blocks")
	}
	home, w := shortEvidenceHome(t), &writer{Account: nodetest.NewAccount(t)}
	n := startRetaining(t, home, 0)
	for _, hash := range n.Register(w.Account, storageUnits, "alice") {
		n.AwaitStatus(t, hash)
	}
	w.write(t, n, 30)
	n.Stop(t)
	state, earlier := filepath.Join(home, "data/state"), filepath.Join(t.TempDir(), "state")
	if err := os.CopyFS(earlier, os.DirFS(state)); err != nil {
		t.Fatal(err)
	}
	n = startRetaining(t, home, 3*retained)
	w.write(t, n, retained/2)
	awaitIdle(t, n.Client)
	n.Stop(t)
	blocks, err := comet.OpenBlocks(home)
	if err != nil {
		t.Fatal(err)
	}
	base := blocks.Base()
	if err := blocks.Close(); err != nil || base < 2 {
		t.Fatalf("the first stored block is %d: %v", base, err)
	}
	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(earlier, state); err != nil {
		t.Fatal(err)
	}
	n = startRetaining(t, home, 3*retained)
	w.write(t, n, retained/2)
	n.Stop(t)
	if notes, err := checked(home); err != nil || !strings.Contains(notes, "pruned ") {
		t.Errorf("check: %v; report:\n%s", err, notes)
	}
	if lowest := lowestRow(t, home); lowest < base {
		t.Errorf("block %d has index rows, the first stored block is %d", lowest, base)
	}
}

// TestCheckRetain checks the lowest numbers of blocks that can be kept.
func TestCheckRetain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		blocks, every uint64
		good          bool
	}{
		{0, 0, true},
		{0, 1_000_000, true},
		{1, 0, false},
		{node.MinRetainBlocks - 1, 0, false},
		{node.MinRetainBlocks, 0, true},
		{node.MinRetainBlocks, 1, true},
		{node.MinRetainBlocks, 1_000, false},
		{2_999, 1_000, false},
		{3_000, 1_000, true},
	} {
		if err := node.CheckRetain(test.blocks, test.every); (err == nil) != test.good {
			t.Errorf("%d blocks and a snapshot every %d: %v", test.blocks, test.every, err)
		}
	}
}
