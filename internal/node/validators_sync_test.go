package node_test

import (
	"bytes"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/capture"
	"makechain/internal/comet"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/validators"
	"makechain/message"
)

// TestStateSyncAfterValidatorChange checks that a node can join a chain whose validators changed, by state sync and by import,
// and become a validator: its proposer priorities are correct. A stream has exactly the messages.
//
// Rules: P11.2, I1, P10.4.
func TestStateSyncAfterValidatorChange(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	s := &source{home: filepath.Join(t.TempDir(), "first")}
	config := nodetest.Config(s.home, slog.New(slog.DiscardHandler))
	config.SnapshotEvery = 1
	first := nodetest.StartWith(t, config)
	s.scenario = &scenario{Node: first}
	c := &changing{first: first}
	alice := nodetest.NewAccount(t)
	sent := first.Register(alice, storageUnits, "alice")
	c.grow(t)
	sent = append(sent, c.follow(t, alice, 1))
	c.importFile(t, s)

	trusted := nodetest.Call(t, first.GetBlock, &pb.GetBlockRequest{BlockNumber: 1}).GetBlock()
	home := filepath.Join(t.TempDir(), "third")
	key := keyOf(t, home)
	syncing := s.syncing(t, home, trusted)
	var log capture.Buffer
	syncing.Log = slog.New(slog.NewTextHandler(io.MultiWriter(&log, t.Output()), &slog.HandlerOptions{Level: slog.LevelError}))
	third := nodetest.StartWith(t, syncing)
	nodetest.Await(t, "state sync", func() bool {
		return nodetest.Call(t, third.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock() > 0
	})
	sent = append(sent, c.follow(t, alice, 2))
	awaitBlock(t, third.Client, awaitIdle(t, first.Client))
	c.change(t, third, 3, validators.Validator{Key: key, Power: 5}, first, c.second)
	sent = append(sent, c.follow(t, alice, 3)) // all three have the blocks that make the change take effect
	awaitBlock(t, third.Client, awaitIdle(t, first.Client))
	c.second.Stop(t) // 15 of 22 are left: without the third no block is made
	for i := range byte(2) {
		sent = append(sent, c.follow(t, alice, 4+i))
	}

	stream := subscribe(t, first.SubscribeMessages, &pb.SubscribeRequest{StartBlock: proto.Uint64(0)})
	for i, hash := range sent {
		if got := stream.next(); !bytes.Equal(got.GetHash(), hash[:]) {
			t.Fatalf("message %d of the stream is %v, want %v", i, got, hash)
		}
	}
	awaitBlock(t, third.Client, awaitIdle(t, first.Client))
	checkSame(t, first.Client, third.Client)
	third.Stop(t)
	checkClean(t, home)
	if strings.Contains(log.String(), "invalid proposal") {
		t.Error("the node that joined by state sync has different proposer priorities")
	}
}

// follow commits a message of an account at the first node.
func (c *changing) follow(t *testing.T, who *nodetest.Account, whom byte) ident.Hash {
	t.Helper()
	m := who.Sign(message.Follow(ident.Address{whom}))
	c.first.Submit(t, m)
	c.first.MustCommit(t, m)
	return m.Hash
}

// importFile imports a snapshot. Its validators are not those of genesis, so it needs a trusted block.
func (c *changing) importFile(t *testing.T, s *source) {
	t.Helper()
	newest := awaitIdle(t, c.first.Client)
	nodetest.Await(t, "a snapshot that the new validators certify", func() bool {
		var file bytes.Buffer
		var err error
		s.info, err = node.Export(t.Context(), s.home, node.ExportOptions{FetchLightBlock: s.lightBlock}, &file)
		s.file = file.Bytes()
		return err == nil && s.info.Manifest.Height+1 >= newest
	})
	var err error
	if s.genesis, err = comet.GenesisDocument(s.home); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "imported")
	untrusted := node.ImportOptions{Genesis: s.genesis, Log: slog.New(slog.DiscardHandler)}
	if _, err := node.Import(t.Context(), home, bytes.NewReader(s.file), untrusted); err == nil || !strings.Contains(err.Error(), "validators other than those of genesis") {
		t.Errorf("an import without a trusted block: %v", err)
	}
	s.mustImport(t, home, node.ImportOptions{Trust: &node.TrustedBlock{Number: s.info.CertifyingBlock, Hash: s.info.Hash}})
	checkClean(t, home)
	imported := joining(t, home, c.first)
	awaitBlock(t, imported.Client, newest)
	checkSame(t, c.first.Client, imported.Client)
	imported.Stop(t)
	checkClean(t, home)
}
