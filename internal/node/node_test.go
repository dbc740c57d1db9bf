package node_test

import (
	"slices"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/node/nodetest"
	"makechain/internal/settlement"
	"makechain/message"
)

// TestScenario runs the scenario on a new chain and reads all of it with every method and with proofs up to the validator's
// signature, and again after a restart.
//
// Rules: P10.1, P10.3, P10.6, P10.7, P11.1, P11.2, T3.1, T3.2, T3.3, T3.4, T3.5.
//
//nolint:paralleltest,tparallel // the parts of the scenario are read in order
func TestScenario(t *testing.T) {
	t.Parallel()
	s := runScenario(t, nodetest.Start(t, t.TempDir()))
	s.read(t)
	t.Run("streams", s.readStreams)
	called := s.Called()
	methods := pb.File_makechain_service_proto.Services().ByName("MakechainService").Methods()
	for i := range methods.Len() {
		if name := "/makechain.MakechainService/" + string(methods.Get(i).Name()); !slices.Contains(called, name) {
			t.Errorf("%s was not called", name)
		}
	}

	number := awaitIdle(t, s.Client)
	before := blocksOf(t, s.Client)
	s.Stop(t)
	s.Node = nodetest.Start(t, s.Home())
	for i, block := range blocksOf(t, s.Client)[:number+1] {
		same(t, "block after a restart", block, before[i])
	}
	s.read(t)
	t.Run("streams", s.readStreams)
}

// read reads all parts of the scenario.
func (s *scenario) read(t *testing.T) {
	t.Helper()
	for _, chapter := range []struct {
		name string
		read func(*testing.T)
	}{
		{"projects", s.readProjects},
		{"refs", s.readRefs},
		{"commits", s.readCommits},
		{"collaborators", s.readCollaborators},
		{"merge requests", s.readMergeRequests},
		{"account", s.readAccount},
		{"keys", s.readKeys},
		{"social", s.readSocial},
		{"node", s.readNode},
		{"blocks", s.readBlocks},
		{"messages", s.readMessages},
		{"proofs", s.readProofs},
	} {
		t.Run(chapter.name, chapter.read)
	}
}

// TestSubmitStatus checks the results of submitting with wait, twice, with a conflict, and as a dry run.
//
// Rules: P10.1, P10.2, P10.4.
func TestSubmitStatus(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	first, second := nodetest.NewAccount(t), nodetest.NewAccount(t)
	key := first.AddKey()
	dry := nodetest.Call(t, n.DryRunMessage, &pb.DryRunMessageRequest{Message: key.Proto()})
	if status := n.AwaitStatus(t, key.Hash); !dry.GetWouldAccept() || status.GetState() != pb.MessageState_MESSAGE_STATE_UNKNOWN {
		t.Errorf("dry run: %v, then %v", dry, status)
	}
	wait := &pb.SubmitMessageRequest{Message: key.Proto(), Wait: pb.SubmitWait_SUBMIT_WAIT_COMMITTED}
	answer := nodetest.Call(t, n.SubmitMessage, wait)
	if status := n.AwaitStatus(t, key.Hash); !answer.GetAccepted() || answer.GetBlockNumber() == 0 || answer.GetBlockNumber() != status.GetBlockNumber() {
		t.Errorf("waited for %v, which is %v", answer, status)
	}
	if again := nodetest.Call(t, n.SubmitMessage, wait); again.GetAccepted() || again.GetCode() != string(message.CodeDuplicate) {
		t.Errorf("submitted again: %v", again)
	}
	bio := first.Sign(message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "one"))
	other := first.Sign(message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "two"))
	n.Submit(t, bio)
	if stale := nodetest.Call(t, n.SubmitMessage, &pb.SubmitMessageRequest{Message: other.Proto()}); stale.GetCode() != string(message.CodeStaleWrite) {
		t.Errorf("older than a pending message: %v", stale)
	}
	n.Submit(t, second.AddKey())
	refused := raceForName(t, n, first, second)
	n.MustCommit(t, bio)
	// The refusal becomes durable with the next block.
	first.AdvanceClock()
	next := first.Sign(message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "three"))
	n.Submit(t, next)
	n.MustCommit(t, next)
	home := n.Home()
	n.Stop(t)
	n = nodetest.Start(t, home)
	if status := n.AwaitStatus(t, refused); status.GetState() != pb.MessageState_MESSAGE_STATE_REFUSED || status.GetCode() == "" || status.GetStage() == "" {
		t.Errorf("the refusal after a restart: %v", status)
	}
}

// raceForName submits the same username for two accounts at once and returns the message that was refused.
func raceForName(t *testing.T, n *nodetest.Node, accounts ...*nodetest.Account) ident.Hash {
	t.Helper()
	for _, p := range accounts {
		n.Claim(p, 1)
	}
	for round := range 100 {
		var names []*message.Envelope
		var request pb.BatchSubmitRequest
		for _, p := range accounts {
			m := p.Sign(message.UsernameCreate("name" + string(rune('a'+round%26))))
			names = append(names, m)
			request.Messages = append(request.Messages, m.Proto())
		}
		if nodetest.Call(t, n.BatchSubmitMessages, &request).GetAcceptedCount() < 2 {
			continue // a block came in between, and the second one was told at once
		}
		for _, m := range names {
			if n.AwaitStatus(t, m.Hash).GetState() == pb.MessageState_MESSAGE_STATE_REFUSED {
				return m.Hash
			}
		}
		t.Fatal("two accounts have the same username")
	}
	t.Fatal("no block contained two messages")
	return ident.Hash{}
}

// TestOldGenesis checks that the first message of a chain with an old genesis is committed: the first block has the genesis
// time, which is before the time window of the message.
//
// Rules: P6.4.
func TestOldGenesis(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	err := comet.Init(home, genesis.Genesis{
		ChainID: "old", Network: pb.Network_NETWORK_DEVNET, Time: time.Now().Add(-1000 * time.Hour).Truncate(time.Second).UTC(),
		Settlement: settlement.FaucetSettlement(ident.PublicKey{3}),
	})
	if err != nil {
		t.Fatal(err)
	}
	n := nodetest.Start(t, home)
	key := nodetest.NewAccount(t).AddKey()
	n.Submit(t, key)
	n.MustCommit(t, key)
}

// TestIdle checks that a message after a pause is committed. The next block has a time before the pause, at which the message
// is not valid yet; the message waits for the block after it.
//
// Rules: P6.4.
func TestIdle(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	account := nodetest.NewAccount(t)
	n.Submit(t, account.AddKey())
	latest := nodetest.Call(t, n.GetBlock, &pb.GetBlockRequest{BlockNumber: awaitIdle(t, n.Client)})
	begun := int64(latest.GetBlock().GetHeader().GetTimestamp())
	nodetest.Await(t, "time to pass", func() bool { return time.Now().Unix() >= begun+3 })
	ahead := uint32(time.Now().Unix() + ledger.MaxDrift)
	m := account.Must(account.Author.Sign(ahead, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "from ahead")))
	n.Submit(t, m)
	n.MustCommit(t, m)
	before := n.AwaitStatus(t, m.Hash).GetBlockNumber() - 1
	waited := nodetest.Call(t, n.GetBlock, &pb.GetBlockRequest{BlockNumber: before})
	if before <= latest.GetBlock().GetHeader().GetHeight().GetBlockNumber() || len(messagesOf(waited)) > 0 {
		t.Errorf("the message did not wait for time to come forward: block %d is %v", before, waited)
	}
}
