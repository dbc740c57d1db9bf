package node_test

import (
	"bytes"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
	"makechain/internal/settlement"
	"makechain/message"
	"makechain/proof"
)

// TestRules3Home checks that a node continues a chain of rules version 3 from a home that the release of that version wrote: the
// project is read with proofs, messages apply by the rules of version 3, and the headers keep their version.
//
// Rules: P11.3, P8.2.
func TestRules3Home(t *testing.T) {
	t.Parallel()
	home := nodetest.Rules3Home(t)
	if err := node.Check(home, node.CheckOptions{Replay: true}); err != nil {
		t.Fatalf("before it is opened: %v", err)
	}
	document, err := comet.GenesisDocument(home)
	if err != nil {
		t.Fatal(err)
	}
	n := nodetest.Start(t, home)
	hello, alice := rules3Project(t), nodetest.Rules3Account(t)
	checkRules3Claims(t, n, alice)
	move := alice.Sign(message.RefUpdate(hello, "topic", message.RefMove{New: nodetest.Rules3Commit(), Nonce: 1}))
	n.Submit(t, move)
	n.MustCommit(t, move)
	checkRules3Project(t, n.Client, home, 2)
	forks := nodetest.Call(t, n.ListForks, &pb.ListForksRequest{ProjectId: hello[:]}).GetProjects()
	if len(forks) != 1 || forks[0].GetName() != "fork" {
		t.Errorf("the forks are %v", forks)
	}
	n.Stop(t)

	if err := node.Check(home, node.CheckOptions{Replay: true}); err != nil {
		t.Errorf("after it was used: %v", err)
	}
	if after, err := comet.GenesisDocument(home); err != nil || string(after) != string(document) {
		t.Errorf("the genesis file was changed: %v", err)
	}
	again := nodetest.Start(t, home)
	checkRules3Project(t, again.Client, home, 2)
}

// rules3Project returns the project of the home.
func rules3Project(t *testing.T) (project ident.Hash) {
	t.Helper()
	if n, err := hex.Decode(project[:], []byte(nodetest.Rules3Project)); err != nil || n != len(project) {
		t.Fatal(err)
	}
	return project
}

// checkRules3Claims claims storage from the faucet, which attests by the rules of version 3, and checks that claims of version 4 are
// refused.
func checkRules3Claims(t *testing.T, n *nodetest.Node, alice *nodetest.Account) {
	t.Helper()
	if state := n.AwaitStatus(t, n.Claim(alice, 2)).GetState(); state != pb.MessageState_MESSAGE_STATE_COMMITTED {
		t.Fatalf("the claim of the faucet is %v", state)
	}
	refused := func(code message.Code, text string, edit func(*message.SettlementDomain)) {
		t.Helper()
		domain, err := n.SettlementDomain()
		if err != nil {
			t.Fatal(err)
		}
		if !domain.V1 {
			t.Error("the domain is not of version 3")
		}
		edit(&domain)
		payment := message.Settlement{Units: 1, TxHash: nodetest.Random(t), Actor: alice.Address(), Timestamp: uint64(alice.Now())}
		claim := alice.Must(alice.StorageClaim(alice.Now(), domain, payment, attesterSeed(t, n.Home())))
		answer := nodetest.Call(t, n.SubmitMessage, &pb.SubmitMessageRequest{Message: claim.Proto()})
		if answer.GetAccepted() || answer.GetCode() != string(code) || !strings.Contains(answer.GetError(), text) {
			t.Errorf("accepted %v with %s: %s, want %s: %s", answer.GetAccepted(), answer.GetCode(), answer.GetError(), code, text)
		}
	}
	refused(message.CodeInsufficientAttestations, "0 of 1", func(d *message.SettlementDomain) { d.V1 = false })
	refused(message.CodeInvalidField, "storage_claim.settlement_chain_id: 1, want 42431", func(d *message.SettlementDomain) { d.SettlementChainID = 1 })
}

// attesterSeed returns the key of the faucet in a home.
func attesterSeed(t *testing.T, home string) (seed message.Seed) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(home, settlement.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hex.Decode(seed[:], []byte(strings.TrimSpace(string(text)))); err != nil {
		t.Fatal(err)
	}
	return seed
}

// checkRules3Project reads the project with proofs up to signatures of the validators, in headers of version 3.
func checkRules3Project(t *testing.T, c *nodetest.Client, home string, refs int) {
	t.Helper()
	number, hello := awaitIdle(t, c), rules3Project(t)
	root := certified(t, c, trustIn(t, home), number-1)
	got := nodetest.Call(t, c.GetProjectProof, &pb.GetProjectProofRequest{ProjectId: hello[:]})
	for prefix, list := range map[string]*pb.CompactRangeProof{
		string(schema.ProjectKey(hello)): got.GetProject(), string(schema.RefKey(hello, nil)): got.GetRefs(),
	} {
		if err := proof.VerifyCompactRange(root, []byte(prefix), nil, true, list); err != nil {
			t.Error(err)
		}
	}
	if found := len(got.GetRefs().GetRows()); found != refs {
		t.Errorf("%d refs, want %d", found, refs)
	}
	if version := headerVersion(t, c, number-1); version != 3 {
		t.Errorf("block %d has app version %d", number, version)
	}
}

// headerVersion returns the app version in the header of the block after a block.
func headerVersion(t *testing.T, c *nodetest.Client, number uint64) uint64 {
	t.Helper()
	answer := nodetest.Call(t, c.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: number})
	var light cmtproto.LightBlock
	if err := light.Unmarshal(answer.GetLightBlock()); err != nil {
		t.Fatal(err)
	}
	return light.GetSignedHeader().GetHeader().Version.App
}

// TestRules3Snapshot checks that a snapshot of rules version 3 is restored.
//
// Rules: P11.3.
func TestRules3Snapshot(t *testing.T) {
	t.Parallel()
	home := nodetest.Rules3Home(t)
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
	nodetest.Start(t, restored).Stop(t)
	checkClean(t, restored)
}

// TestRules3Genesis checks that the genesis of the home is encoded as the release of rules version 3 did.
//
// Rules: P11.3.
func TestRules3Genesis(t *testing.T) {
	t.Parallel()
	home := nodetest.Rules3Home(t)
	document, err := comet.GenesisDocument(home)
	if err != nil {
		t.Fatal(err)
	}
	joined := t.TempDir()
	if err := comet.Join(joined, document); err != nil {
		t.Fatal(err)
	}
	copied, err := comet.GenesisDocument(joined)
	if err != nil || string(copied) != string(document) {
		t.Errorf("%v: written as\n%s\nwant\n%s", err, copied, document)
	}
	g, err := comet.ParseGenesis(document)
	if err != nil || g.Rules != 3 || g.Params().Rules != 3 {
		t.Fatalf("%v: %v", err, g)
	}
	g.Settlement.Contract[0]++
	if _, err := genesis.Encode(g); err == nil {
		t.Error("a contract was encoded, which version 3 does not have")
	}
}
