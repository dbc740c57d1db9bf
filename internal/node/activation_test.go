package node_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/validators"
	"makechain/message"
)

// queueChange signs a change with the validator key of a node, queues it there and waits until it is decided.
func queueChange(t *testing.T, n *nodetest.Node, sequence uint64, content validators.Content) {
	t.Helper()
	change := &validators.Change{ChainID: n.ChainID(), Sequence: sequence, Content: content}
	if _, err := comet.SignChange(n.Home(), change); err != nil {
		t.Fatal(err)
	}
	if err := node.QueueChange(n.Home(), change); err != nil {
		t.Fatal(err)
	}
	if refused := decided(t, n); refused != "" {
		t.Fatal(refused)
	}
}

// advance makes blocks with messages of an account until the chain has reached a height.
func advance(t *testing.T, n *nodetest.Node, account *nodetest.Account, height uint64) {
	t.Helper()
	for i := byte(1); nodetest.Call(t, n.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock() < height; i++ {
		m := account.Sign(message.Follow(ident.Address{i}))
		n.Submit(t, m)
		n.MustCommit(t, m)
	}
}

// TestActivateRules activates rules version 4 on a chain of version 3, in a home that the release of version 3 wrote. It checks the app version of
// the headers around the height, which claims apply before and after it, proofs, that the node continues after a restart and from a
// snapshot, that the settlement can be changed, and a replay.
//
// Rules: P8.2, P11.2, P11.3, I1.
func TestActivateRules(t *testing.T) {
	t.Parallel()
	home := nodetest.Rules3Home(t)
	config := nodetest.Config(home, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	config.SnapshotEvery = 1
	n, alice := nodetest.StartWith(t, config), nodetest.Rules3Account(t)
	checkRules3Claims(t, n, alice)
	height := awaitIdle(t, n.Client) + 13
	queueChange(t, n, 1, validators.Activation{Version: 4, Height: height})
	status := nodetest.Call(t, n.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if pending := status.GetPendingRules(); status.GetRulesVersion() != 3 || pending.GetVersion() != 4 || pending.GetHeight() != height {
		t.Errorf("before the height the status is %v", status)
	}
	old, err := n.SettlementDomain()
	if err != nil {
		t.Fatal(err)
	}
	advance(t, n, alice, height)
	newest := awaitIdle(t, n.Client)
	for number := height - 3; number < newest; number++ {
		want := uint64(3)
		if number+1 >= height {
			want = 4
		}
		if version := headerVersion(t, n.Client, number); version != want {
			t.Errorf("the header of block %d has app version %d, want %d; version 4 is activated at %d", number+1, version, want, height)
		}
	}
	checkActivated(t, n, alice, old)
	n.Stop(t)
	if err := node.Check(home, node.CheckOptions{Replay: true}); err != nil {
		t.Fatal(err)
	}
	restoreActivated(t, home, height)

	again := nodetest.Start(t, home)
	checkActivated(t, again, alice, old)
	settlement := ledger.Settlement{ChainID: 42, Contract: ident.Address{7}, Threshold: 1, Attesters: []ledger.Attester{{Key: ident.PublicKey{3}}}}
	queueChange(t, again, 1, validators.Settlement(settlement))
	if domain, err := again.SettlementDomain(); err != nil || domain.V1 || domain.Contract != settlement.Contract || domain.SettlementChainID != 42 {
		t.Errorf("after the change of the settlement: %+v, %v", domain, err)
	}
	again.Stop(t)
	if err := node.Check(home, node.CheckOptions{Replay: true}); err != nil {
		t.Error(err)
	}
}

// checkActivated checks that claims of version 4 apply and those of version 3 are refused, and that the state is proven up to headers of
// version 4.
func checkActivated(t *testing.T, n *nodetest.Node, alice *nodetest.Account, old message.SettlementDomain) {
	t.Helper()
	status := nodetest.Call(t, n.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if status.GetRulesVersion() != 4 || status.GetPendingRules().GetVersion() != 0 {
		t.Errorf("after the height the status is %v", status)
	}
	domain, err := n.SettlementDomain()
	if err != nil || domain.V1 || domain.Contract != (ident.Address{}) || domain.SettlementChainID != old.SettlementChainID || !old.V1 {
		t.Errorf("attestations are for %+v, before for %+v, %v", domain, old, err)
	}
	if state := n.AwaitStatus(t, n.Claim(alice, 1)).GetState(); state != pb.MessageState_MESSAGE_STATE_COMMITTED {
		t.Errorf("the claim of the faucet is %v", state)
	}
	payment := message.Settlement{Units: 1, TxHash: nodetest.Random(t), Actor: alice.Address(), Timestamp: uint64(alice.Now())}
	claim := alice.Must(alice.StorageClaim(alice.Now(), old, payment, attesterSeed(t, n.Home())))
	answer := nodetest.Call(t, n.SubmitMessage, &pb.SubmitMessageRequest{Message: claim.Proto()})
	if answer.GetAccepted() || answer.GetCode() != string(message.CodeInsufficientAttestations) {
		t.Errorf("a claim of version 3 is answered with %v", answer)
	}
	newest := awaitIdle(t, n.Client)
	certified(t, n.Client, trustIn(t, n.Home()), newest-1)
	if version := headerVersion(t, n.Client, newest-1); version != 4 {
		t.Errorf("block %d has app version %d", newest, version)
	}
}

// restoreActivated restores the newest snapshot of a home with an activation at a height.
func restoreActivated(t *testing.T, home string, height uint64) {
	t.Helper()
	var file bytes.Buffer
	if _, err := node.Export(t.Context(), home, node.ExportOptions{}, &file); err != nil {
		t.Fatal(err)
	}
	document, err := comet.GenesisDocument(home)
	if err != nil {
		t.Fatal(err)
	}
	restored := filepath.Join(t.TempDir(), "restored")
	options := node.ImportOptions{Genesis: document, Log: slog.New(slog.DiscardHandler)}
	if _, err := node.Import(t.Context(), restored, &file, options); err != nil {
		t.Fatal(err)
	}
	n := nodetest.Start(t, restored)
	status := nodetest.Call(t, n.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if status.GetCurrentBlock() < height || status.GetRulesVersion() != 4 {
		t.Errorf("the restored node has version %d after block %d, activated was %d", status.GetRulesVersion(), status.GetCurrentBlock(), height)
	}
	n.Stop(t)
}

// TestUnsupportedRules activates a version that this program does not have, and checks that the node stops after the block before the height
// with an error that names the version, that it refuses to start again with the same error, and that the home is complete.
//
// Rules: P11.3.
func TestUnsupportedRules(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	n := nodetest.Start(t, home)
	alice := nodetest.NewAccount(t)
	hashes := n.Register(alice, storageUnits, "alice")
	n.AwaitStatus(t, hashes[len(hashes)-1])
	height := awaitIdle(t, n.Client) + 12
	queueChange(t, n, 1, validators.Activation{Version: ledger.RulesVersion + 1, Height: height})
	n.Stop(t)

	config := nodetest.Config(home, slog.New(slog.DiscardHandler))
	config.Heartbeat = 10 * time.Millisecond // the blocks up to the height
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	running, err := node.New(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	stopped := running.Run(ctx)
	_, refused := node.New(ctx, config)
	for name, err := range map[string]error{"run": stopped, "start": refused} {
		unsupported := (*ledger.UnsupportedRulesError)(nil)
		if !errors.As(err, &unsupported) || unsupported.Height != height || !strings.Contains(err.Error(), "needs rules version 5") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := node.Check(home, node.CheckOptions{Replay: true, Report: func(line string) { t.Log(line) }}); err != nil {
		t.Error(err)
	}
}
