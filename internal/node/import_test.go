package node_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/snapshot"
)

// source is a chain with snapshots, one of which is exported to a file.
type source struct {
	*scenario

	home    string
	file    []byte
	info    *node.ArchiveInfo
	genesis []byte
}

// newSource runs the scenario on a chain that takes a snapshot after every block, and exports one while the node runs.
func newSource(t *testing.T) *source {
	t.Helper()
	s := &source{home: t.TempDir()}
	config := nodetest.Config(s.home, slog.New(slog.DiscardHandler))
	config.SnapshotEvery = 1
	s.scenario = runScenario(t, nodetest.StartWith(t, config))
	awaitIdle(t, s.Client)
	nodetest.Await(t, "a snapshot that a block certifies", func() bool {
		var file bytes.Buffer
		var err error
		s.info, err = node.Export(t.Context(), s.home, node.ExportOptions{FetchLightBlock: s.lightBlock}, &file)
		s.file = file.Bytes()
		return err == nil
	})
	var err error
	if s.genesis, err = comet.GenesisDocument(s.home); err != nil {
		t.Fatal(err)
	}
	return s
}

// lightBlock fetches a light block from the running node.
func (s *source) lightBlock(ctx context.Context, number uint64) ([]byte, error) {
	answer, err := s.GetFinalizedRoot(ctx, connect.NewRequest(&pb.GetFinalizedRootRequest{BlockNumber: number - 1}))
	if code := connect.CodeOf(err); code == connect.CodeUnavailable || code == connect.CodeNotFound {
		return nil, nil // it does not exist yet
	}
	if err != nil || answer.Msg.GetBlockNumber() != number-1 {
		return nil, err
	}
	return answer.Msg.GetLightBlock(), nil
}

// mustImport imports the file into a home.
func (s *source) mustImport(t *testing.T, home string, options node.ImportOptions) {
	t.Helper()
	options.Genesis, options.Log = s.genesis, slog.New(slog.DiscardHandler)
	info, err := node.Import(t.Context(), home, bytes.NewReader(s.file), options)
	if err != nil {
		t.Fatal(err)
	}
	if info.ChainID != s.ChainID() || info.Manifest.Hash() != s.info.Manifest.Hash() {
		t.Errorf("imported %+v, exported %+v", info, s.info)
	}
}

// checkClean checks that a home is valid and that its state was restored.
func checkClean(t *testing.T, home string) {
	t.Helper()
	var report []string
	err := node.Check(home, node.CheckOptions{Report: func(line string) { report = append(report, line) }})
	if all := strings.Join(report, "\n"); err != nil || !strings.Contains(all, "\nrestored ") {
		t.Errorf("check: %v; report:\n%s", err, all)
	}
}

// TestImportFollows checks that a node with an imported state follows the chain and has the same state.
//
// Rules: I1, P11.1.
func TestImportFollows(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	s := newSource(t)
	home := filepath.Join(t.TempDir(), "follower")
	s.mustImport(t, home, node.ImportOptions{})
	checkClean(t, home)
	config := nodetest.Config(home, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})))

	alone := nodetest.StartWith(t, config)
	checkWithoutBlocks(t, alone, s.info.Manifest.Height)
	if alone.HasFaucet() {
		t.Error("a node without the attester's key has a faucet")
	}
	alone.Stop(t)
	checkClean(t, home)

	config.Peers = []string{s.P2PAddr()}
	follower := nodetest.StartWith(t, config)
	key := nodetest.NewAccount(t).AddKey()
	s.Submit(t, key)
	s.MustCommit(t, key)
	newest := awaitIdle(t, s.Client)
	nodetest.Await(t, "the follower to catch up", func() bool {
		status := nodetest.Call(t, follower.GetNodeStatus, &pb.GetNodeStatusRequest{})
		return status.GetCurrentBlock() >= newest && !status.GetCatchingUp()
	})
	ours := nodetest.Call(t, follower.GetBlock, &pb.GetBlockRequest{BlockNumber: newest}).GetBlock()
	theirs := nodetest.Call(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: newest}).GetBlock()
	if !bytes.Equal(ours.GetHash(), theirs.GetHash()) || !bytes.Equal(ours.GetHeader().GetStateRoot(), theirs.GetHeader().GetStateRoot()) {
		t.Errorf("block %d is %x on the follower and %x on the source", newest, ours.GetHash(), theirs.GetHash())
	}
	follower.MustCommit(t, key)
	checkSame(t, s.Client, follower.Client)
	follower.Stop(t)
	checkClean(t, home)
}

// checkSame compares the statistics of two nodes of a chain. Each counts the messages since it started with a state.
func checkSame(t *testing.T, a, b *nodetest.Client) {
	t.Helper()
	ours := nodetest.Call(t, a.GetChainStats, &pb.GetChainStatsRequest{})
	theirs := nodetest.Call(t, b.GetChainStats, &pb.GetChainStatsRequest{})
	ours.TotalMessages, theirs.TotalMessages = 0, 0
	if ours.String() != theirs.String() {
		t.Errorf("one node has %v, the other %v", ours, theirs)
	}
}

// checkWithoutBlocks checks the reads of a node that has a state but no blocks.
func checkWithoutBlocks(t *testing.T, n *nodetest.Node, height uint64) {
	t.Helper()
	status := nodetest.Call(t, n.GetNodeStatus, &pb.GetNodeStatusRequest{})
	verification := status.GetReplayVerification().GetStatus()
	if status.GetCurrentBlock() != height || verification != pb.ReplayVerificationStatus_REPLAY_VERIFICATION_STATUS_TRUSTED_SNAPSHOT {
		t.Errorf("the status after block %d is %v", height, status)
	}
	for _, number := range []uint64{1, height} {
		_, err := n.GetBlock(t.Context(), connect.NewRequest(&pb.GetBlockRequest{BlockNumber: number}))
		if connect.CodeOf(err) != connect.CodeOutOfRange || !strings.Contains(err.Error(), "no longer stored, the lowest is "+strconv.FormatUint(height+1, 10)) {
			t.Errorf("block %d: %v", number, err)
		}
	}
	nodetest.MustFail(t, n.GetBlock, &pb.GetBlockRequest{BlockNumber: height + 1}, connect.CodeNotFound)
	nodetest.MustFail(t, n.ListBlocks, &pb.ListBlocksRequest{}, connect.CodeOutOfRange)
	nodetest.MustFail(t, n.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: height}, connect.CodeOutOfRange)
	first := uint64(1)
	stream, err := n.SubscribeMessages(t.Context(), connect.NewRequest(&pb.SubscribeRequest{StartBlock: &first}))
	if err != nil {
		t.Fatal(err)
	}
	if stream.Receive() || connect.CodeOf(stream.Err()) != connect.CodeOutOfRange {
		t.Errorf("a stream from block 1: %v", stream.Err())
	}
	_ = stream.Close() // it has ended
	n.Submit(t, nodetest.NewAccount(t).AddKey())
	if pending := nodetest.Call(t, n.GetMempoolInfo, &pb.GetMempoolInfoRequest{}).GetTotal(); pending != 1 {
		t.Errorf("%d messages are pending, want 1", pending)
	}
}

// TestImportValidator moves a chain with one validator to another home, where it continues although the blocks after the
// snapshot are lost. It does so only with SignAgain, and also after a restart.
func TestImportValidator(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	s := newSource(t)
	s.Stop(t)
	home := t.TempDir()
	for _, name := range []string{"config/priv_validator_key.json", "data/priv_validator_state.json", "config/attester_key.hex"} {
		copyFile(t, filepath.Join(s.home, name), filepath.Join(home, name))
	}
	options := node.ImportOptions{Genesis: s.genesis, Log: slog.New(slog.DiscardHandler)}
	if _, err := node.Import(t.Context(), home, bytes.NewReader(s.file), options); !errors.Is(err, comet.ErrSigned) {
		t.Fatalf("a validator that signed later blocks: %v", err)
	}
	s.mustImport(t, home, node.ImportOptions{SignAgain: true})
	for range 2 {
		n := nodetest.Start(t, home)
		account := nodetest.NewAccount(t)
		for _, hash := range n.Register(account, 1, "u"+account.Address().String()[2:10]) {
			if status := n.AwaitStatus(t, hash); status.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
				t.Errorf("a message after the import: %v", status)
			}
		}
		n.Stop(t)
		checkClean(t, home)
	}
	if _, err := node.Import(t.Context(), home, bytes.NewReader(s.file), options); !errors.Is(err, node.ErrNotEmpty) {
		t.Errorf("import into a home with a chain: %v", err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, content, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestImportRefused checks that incomplete, changed and untrusted files are refused and leave the home without a chain.
//
// Rules: T1.1.
func TestImportRefused(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	other := t.TempDir()
	nodetest.Start(t, other).Stop(t)
	foreign, err := comet.GenesisDocument(other)
	if err != nil {
		t.Fatal(err)
	}
	good, root := node.ImportOptions{Genesis: s.genesis}, s.info.Manifest.Root[:]
	trust := func(number uint64, hash ident.Hash) node.ImportOptions {
		return node.ImportOptions{Trust: &node.TrustedBlock{Number: number, Hash: hash}}
	}
	for _, test := range []struct {
		name    string
		file    []byte
		options node.ImportOptions
		want    string
	}{
		{"empty", nil, good, "the first line is not"},
		{"another file", []byte(strings.Repeat("not a snapshot\n", 10)), good, "the first line is not"},
		{"half of the file", s.file[:len(s.file)/2], good, "the file is truncated"},
		{"without its end", s.file[:len(s.file)-5], good, "the file is truncated"},
		{"one byte short", s.file[:len(s.file)-1], good, "the file is truncated"},
		{"trailing data", append(bytes.Clone(s.file), 0), good, "data after its end"},
		{"changed chunk", s.changed(len(s.file) - 20), good, "chunk does not match the manifest"},
		{"changed root", s.changed(bytes.LastIndex(s.file, root)), good, "different state root"},
		{"changed header", s.changed(bytes.Index(s.file, root)), good, comet.ErrCheckpoint.Error()},
		{"another chain", s.file, node.ImportOptions{Genesis: foreign}, "the file is of another chain"},
		{"no trust", s.file, node.ImportOptions{}, node.ErrNoTrust.Error()},
		{"different hash", s.file, trust(s.info.CertifyingBlock, ident.Hash{1}), "is trusted"},
		{"different block", s.file, trust(s.info.CertifyingBlock+7, s.info.Hash), "is not one of them"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			test.options.Log = slog.New(slog.DiscardHandler)
			_, err := node.Import(t.Context(), home, bytes.NewReader(test.file), test.options)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want an error with %q", err, test.want)
			}
			if entries, err := os.ReadDir(filepath.Join(home, "data")); err == nil && len(entries) > 0 {
				t.Errorf("the home has %v", entries)
			}
		})
	}
	home := t.TempDir()
	s.genesis = nil
	s.mustImport(t, home, trust(s.info.CertifyingBlock, s.info.Hash))
	checkClean(t, home)
}

// changed returns the file with one bit flipped.
func (s *source) changed(at int) []byte {
	file := bytes.Clone(s.file)
	file[at] ^= 1
	return file
}

// TestInterruptedImport checks that a node does not start after an interrupted import, and that the import can be repeated.
//
// Rules: T2/crash.
func TestInterruptedImport(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	home := t.TempDir()
	s.mustImport(t, home, node.ImportOptions{})
	mark := filepath.Join(home, "data", "import-unfinished")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := node.New(t.Context(), nodetest.Config(home, slog.New(slog.DiscardHandler))); !errors.Is(err, node.ErrUnfinished) {
		t.Errorf("starting a node: %v", err)
	}
	if err := node.Check(home, node.CheckOptions{}); !errors.Is(err, node.ErrUnfinished) {
		t.Errorf("checking the home: %v", err)
	}
	s.mustImport(t, home, node.ImportOptions{})
	checkClean(t, home)
}

// newUncertified returns a stopped source and its newest snapshot, which no block certifies. No snapshot is taken while the one before is
// being written, so on a slow machine the last block may have none; then it tries another chain.
func newUncertified(t *testing.T) (*source, snapshot.Snapshot) {
	t.Helper()
	for range 20 {
		s := newSource(t)
		s.Stop(t)
		list, err := node.Snapshots(s.home)
		if err != nil || len(list) == 0 {
			t.Fatalf("snapshots %+v, %v", list, err)
		}
		if list[0].Height != s.info.Manifest.Height {
			return s, list[0]
		}
	}
	t.Fatal("the newest snapshot of 20 chains is certified: they are not idle")
	return nil, snapshot.Snapshot{}
}

// TestExport checks that a stopped node exports the same file as a running one, and the errors of Export.
func TestExport(t *testing.T) {
	t.Parallel()
	s, last := newUncertified(t)
	if last.TakenAt.IsZero() || last.Size == 0 {
		t.Errorf("the newest snapshot is %+v", last)
	}
	var file bytes.Buffer
	if _, err := node.Export(t.Context(), s.home, node.ExportOptions{Height: s.info.Manifest.Height}, &file); err != nil {
		t.Fatal(err)
	}
	if file.Len() != len(s.file) {
		t.Errorf("%d bytes from a stopped node, %d from a running one", file.Len(), len(s.file))
	}
	newest := node.ExportOptions{Height: last.Height}
	if _, err := node.Export(t.Context(), s.home, newest, &file); !errors.Is(err, node.ErrUncertified) {
		t.Errorf("the newest snapshot: %v", err)
	}
	if _, err := node.Export(t.Context(), s.home, node.ExportOptions{Height: 1 << 40}, &file); !errors.Is(err, node.ErrNoSnapshot) {
		t.Errorf("a missing snapshot: %v", err)
	}
	if _, err := node.Export(t.Context(), t.TempDir(), node.ExportOptions{}, &file); !errors.Is(err, comet.ErrNoChain) {
		t.Errorf("an empty home: %v", err)
	}
}
