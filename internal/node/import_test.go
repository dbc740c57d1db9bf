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
)

// source is a chain with snapshots, and one of them in a file.
type source struct {
	*story

	home    string
	file    []byte
	carried *node.ArchiveInfo
	genesis []byte
}

// newSource tells a story on a chain that copies its state after every block, and exports a copy while the node runs.
func newSource(t *testing.T) *source {
	t.Helper()
	s := &source{home: t.TempDir()}
	config := nodetest.Config(s.home, slog.New(slog.DiscardHandler))
	config.SnapshotEvery = 1
	s.story = tell(t, nodetest.StartWith(t, config))
	rest(t, s.Client)
	nodetest.Await(t, "a snapshot that a block certifies", func() bool {
		var file bytes.Buffer
		var err error
		s.carried, err = node.Export(t.Context(), s.home, node.ExportOptions{FetchLightBlock: s.ask}, &file)
		s.file = file.Bytes()
		return err == nil
	})
	var err error
	if s.genesis, err = comet.GenesisDocument(s.home); err != nil {
		t.Fatal(err)
	}
	return s
}

// ask gets a light block from the node that runs.
func (s *source) ask(ctx context.Context, number uint64) ([]byte, error) {
	answer, err := s.GetFinalizedRoot(ctx, connect.NewRequest(&pb.GetFinalizedRootRequest{BlockNumber: number - 1}))
	if code := connect.CodeOf(err); code == connect.CodeUnavailable || code == connect.CodeNotFound {
		return nil, nil // not there yet
	}
	if err != nil || answer.Msg.GetBlockNumber() != number-1 {
		return nil, err
	}
	return answer.Msg.GetLightBlock(), nil
}

// imported makes a home of the file.
func (s *source) imported(t *testing.T, home string, options node.ImportOptions) {
	t.Helper()
	options.Genesis, options.Log = s.genesis, slog.New(slog.DiscardHandler)
	carried, err := node.Import(t.Context(), home, bytes.NewReader(s.file), options)
	if err != nil {
		t.Fatal(err)
	}
	if carried.ChainID != s.ChainID() || carried.Manifest.Hash() != s.carried.Manifest.Hash() {
		t.Errorf("imported %+v, exported was %+v", carried, s.carried)
	}
}

// checkClean wants a home in order, with a state from elsewhere.
func checkClean(t *testing.T, home string) {
	t.Helper()
	var notes []string
	err := node.Check(home, node.CheckOptions{Report: func(line string) { notes = append(notes, line) }})
	if all := strings.Join(notes, "\n"); err != nil || !strings.Contains(all, "\norigin ") {
		t.Errorf("check: %v, after\n%s", err, all)
	}
}

// TestImportFollows begins a node with a file, which follows the chain by blocks from there and has the same state.
//
// Rules: I1, P11.1.
func TestImportFollows(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network")
	}
	t.Parallel()
	s := newSource(t)
	home := filepath.Join(t.TempDir(), "follower")
	s.imported(t, home, node.ImportOptions{})
	checkClean(t, home)
	config := nodetest.Config(home, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})))

	alone := nodetest.StartWith(t, config)
	checkPlanted(t, alone, s.carried.Manifest.Height)
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
	newest := rest(t, s.Client)
	nodetest.Await(t, "the follower to catch up", func() bool {
		status := nodetest.Call(t, follower.GetNodeStatus, &pb.GetNodeStatusRequest{})
		return status.GetCurrentBlock() >= newest && !status.GetCatchingUp()
	})
	ours := nodetest.Call(t, follower.GetBlock, &pb.GetBlockRequest{BlockNumber: newest}).GetBlock()
	theirs := nodetest.Call(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: newest}).GetBlock()
	if !bytes.Equal(ours.GetHash(), theirs.GetHash()) || !bytes.Equal(ours.GetHeader().GetStateRoot(), theirs.GetHeader().GetStateRoot()) {
		t.Errorf("block %d is %x here and %x there", newest, ours.GetHash(), theirs.GetHash())
	}
	follower.MustCommit(t, key)
	checkSame(t, s.Client, follower.Client)
	follower.Stop(t)
	checkClean(t, home)
}

// checkSame compares what two nodes say of a chain.
func checkSame(t *testing.T, a, b *nodetest.Client) {
	t.Helper()
	ours := nodetest.Call(t, a.GetChainStats, &pb.GetChainStatsRequest{})
	theirs := nodetest.Call(t, b.GetChainStats, &pb.GetChainStatsRequest{})
	if ours.String() != theirs.String() {
		t.Errorf("one node counts %v, the other %v", ours, theirs)
	}
}

// checkPlanted asks a node that has a state and no blocks.
func checkPlanted(t *testing.T, n *nodetest.Node, height uint64) {
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
	person := nodetest.NewAccount(t)
	key := person.AddKey()
	n.Submit(t, key)
	if pending := nodetest.Call(t, n.GetMempoolInfo, &pb.GetMempoolInfoRequest{}).GetTotal(); pending != 1 {
		t.Errorf("%d messages wait, want 1", pending)
	}
}

// TestImportGoesOn moves a chain of one validator to another home, where it goes on although the blocks after the copy
// are lost. It does so only when it is told to, and a second time after a stop.
func TestImportGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network")
	}
	t.Parallel()
	s := newSource(t)
	s.Stop(t)
	home := t.TempDir()
	for _, name := range []string{"config/priv_validator_key.json", "data/priv_validator_state.json", "config/attester_key.hex"} {
		copyFile(t, filepath.Join(s.home, name), filepath.Join(home, name))
	}
	options := node.ImportOptions{Genesis: s.genesis, Log: slog.New(slog.DiscardHandler)}
	if _, err := node.Import(t.Context(), home, bytes.NewReader(s.file), options); !errors.Is(err, comet.ErrSigned) {
		t.Fatalf("a validator that signed more: %v", err)
	}
	s.imported(t, home, node.ImportOptions{SignAgain: true})
	for range 2 {
		n := nodetest.Start(t, home)
		person := nodetest.NewAccount(t)
		for _, hash := range n.Register(person, 1, "u"+person.Address().String()[2:10]) {
			if fate := n.AwaitStatus(t, hash); fate.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
				t.Errorf("a message after the import: %v", fate)
			}
		}
		n.Stop(t)
		checkClean(t, home)
	}
	if _, err := node.Import(t.Context(), home, bytes.NewReader(s.file), options); !errors.Is(err, node.ErrNotEmpty) {
		t.Errorf("into a home with a chain: %v", err)
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

// TestImportRefused refuses files that are not whole, were changed, or are of a chain that nobody vouches for, and
// leaves the home without a chain.
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
	good := node.ImportOptions{Genesis: s.genesis}
	trust := func(number uint64, hash ident.Hash) node.ImportOptions {
		return node.ImportOptions{Trust: &node.TrustedBlock{Number: number, Hash: hash}}
	}
	for _, test := range []struct {
		name    string
		file    []byte
		options node.ImportOptions
		want    string
	}{
		{"empty", nil, good, "it does not begin like one"},
		{"another file", []byte(strings.Repeat("not a snapshot\n", 10)), good, "it does not begin like one"},
		{"torn in the middle", s.file[:len(s.file)/2], good, "it ends too early"},
		{"torn before its end", s.file[:len(s.file)-5], good, "it ends too early"},
		{"one byte short", s.file[:len(s.file)-1], good, "it ends too early"},
		{"something behind it", append(bytes.Clone(s.file), 0), good, "something follows its end"},
		{"a changed chunk", s.changed(len(s.file) - 20), good, "not the chunk of the manifest"},
		{"a changed root", s.replaced(s.carried.Manifest.Root[:], 1), good, "not the state of the chain"},
		{"a changed header", s.replaced(s.carried.Manifest.Root[:], 0), good, comet.ErrCheckpoint.Error()},
		{"another chain", s.file, node.ImportOptions{Genesis: foreign}, "the file is of another chain: it has another genesis"},
		{"nobody to trust", s.file, node.ImportOptions{}, node.ErrNoTrust.Error()},
		{"another hash", s.file, trust(s.carried.CertifyingBlock, ident.Hash{1}), "trusted is"},
		{"another block", s.file, trust(s.carried.CertifyingBlock+7, s.carried.Hash), "there is none of block"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			test.options.Log = slog.New(slog.DiscardHandler)
			_, err := node.Import(t.Context(), home, bytes.NewReader(test.file), test.options)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want an error that says %q", err, test.want)
			}
			if entries, err := os.ReadDir(filepath.Join(home, "data")); err == nil && len(entries) > 0 {
				t.Errorf("the home has %v", entries)
			}
		})
	}
	home := t.TempDir()
	s.genesis = nil
	s.imported(t, home, trust(s.carried.CertifyingBlock, s.carried.Hash))
	checkClean(t, home)
}

// changed is the file with one bit turned.
func (s *source) changed(at int) []byte {
	file := bytes.Clone(s.file)
	file[at] ^= 1
	return file
}

// replaced is the file with one bit turned where some bytes come for the nth time, counted from 0.
func (s *source) replaced(what []byte, nth int) []byte {
	at := 0
	for range nth {
		at += bytes.Index(s.file[at:], what) + len(what)
	}
	return s.changed(at + bytes.Index(s.file[at:], what))
}

// TestImportBrokenOff imports again into a home in which an import died, and starts no node there before.
//
// Rules: T2/crash.
func TestImportBrokenOff(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	home := t.TempDir()
	s.imported(t, home, node.ImportOptions{})
	mark := filepath.Join(home, "data", "import-unfinished")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := node.New(t.Context(), nodetest.Config(home, slog.New(slog.DiscardHandler))); !errors.Is(err, node.ErrUnfinished) {
		t.Errorf("a node starts: %v", err)
	}
	if err := node.Check(home, node.CheckOptions{}); !errors.Is(err, node.ErrUnfinished) {
		t.Errorf("a check: %v", err)
	}
	s.imported(t, home, node.ImportOptions{})
	checkClean(t, home)
}

// TestExport exports from a node that has stopped the same copy as from one that runs, and says what it cannot export.
func TestExport(t *testing.T) {
	t.Parallel()
	s := newSource(t)
	s.Stop(t)
	list, err := node.Snapshots(s.home)
	if err != nil || len(list) == 0 || list[0].TakenAt.IsZero() || list[0].Size == 0 {
		t.Fatalf("snapshots %+v, %v", list, err)
	}
	var file bytes.Buffer
	if _, err := node.Export(t.Context(), s.home, node.ExportOptions{Height: s.carried.Manifest.Height}, &file); err != nil {
		t.Fatal(err)
	}
	if file.Len() != len(s.file) {
		t.Errorf("%d bytes from a stopped node, %d from a running one", file.Len(), len(s.file))
	}
	newest := node.ExportOptions{Height: list[0].Height}
	if newest.Height == s.carried.Manifest.Height {
		t.Fatal("the newest snapshot is certified, the chain is not at rest")
	}
	if _, err := node.Export(t.Context(), s.home, newest, &file); !errors.Is(err, node.ErrUncertified) {
		t.Errorf("the newest: %v", err)
	}
	if _, err := node.Export(t.Context(), s.home, node.ExportOptions{Height: 1 << 40}, &file); !errors.Is(err, node.ErrNoSnapshot) {
		t.Errorf("one that is not there: %v", err)
	}
	if _, err := node.Export(t.Context(), t.TempDir(), node.ExportOptions{}, &file); !errors.Is(err, comet.ErrNoChain) {
		t.Errorf("of an empty home: %v", err)
	}
}
