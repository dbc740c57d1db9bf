package comet_test

import (
	"bytes"
	"testing"

	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	"github.com/cometbft/cometbft/types"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/message"
	"makechain/proof"
	"makechain/proof/finality"
)

// trust returns the trusted validators of a chain with one validator.
func trust(t *testing.T, engine *comet.Engine) finality.Trust {
	t.Helper()
	message := new(cmtproto.LightBlock)
	if err := message.Unmarshal(lightBlock(t, engine, 1)); err != nil {
		t.Fatal(err)
	}
	light, err := types.LightBlockFromProto(message)
	if err != nil {
		t.Fatal(err)
	}
	only := light.ValidatorSet.Validators
	if len(only) != 1 || !bytes.Equal(only[0].PubKey.Bytes(), engine.Status().ValidatorKey) {
		t.Fatalf("validators %v", only)
	}
	return finality.Trust{ChainID: chainID, ValidatorsHash: light.ValidatorSet.Hash()}
}

func lightBlock(t *testing.T, engine *comet.Engine, number uint64) []byte {
	t.Helper()
	encoded, err := engine.LightBlock(number)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// TestRoots compares the root of each block with the root of the application and with the root that the validators signed,
// while the chain grows and after a restart.
//
// Rules: P11.1, P11.2, P11.3.
func TestRoots(t *testing.T) {
	t.Parallel()
	config := testConfig(newHome(t))
	app := newMemoryApp()
	engine := start(t, config, app)
	check := func(last uint64) {
		t.Helper()
		trusted := trust(t, engine)
		for number := range last + 1 {
			root := awaitBlock(t, engine, number).GetBlock().GetHeader().GetStateRoot()
			if !bytes.Equal(root, app.rootAfter(number)) {
				t.Errorf("block %d of %d has root %x, want %x", number, last, root, app.rootAfter(number))
			}
			if number == last {
				continue // the header with its root does not exist yet
			}
			certified, err := finality.Verify(lightBlock(t, engine, number+1), number, trusted)
			if err != nil || !bytes.Equal(certified[:], root) {
				t.Errorf("block %d: validators signed root %x, block has %x: %v", number, certified, root, err)
			}
		}
	}
	for i := range 5 {
		last := submit(t, engine, accountMessage(t, i))
		awaitBlock(t, engine, last+1)
		check(engine.Height())
	}
	empty := proof.EmptyRoot()
	if !bytes.Equal(app.rootAfter(0), empty[:]) || bytes.Equal(app.rootAfter(engine.Height()), empty[:]) {
		t.Error("roots do not change")
	}
	stop(t, engine)
	engine = start(t, config, app)
	check(engine.Height())
}

// TestRootAtCommit checks that a block can be read when the application commits it, as observers do.
//
// Rules: P11.1.
func TestRootAtCommit(t *testing.T) {
	t.Parallel()
	app := newMemoryApp()
	var engine *comet.Engine
	ready := make(chan struct{})
	read := make(chan *pb.GetBlockResponse, 1)
	app.hook = func(call string, height int64) error {
		if call != "commit" || height != 2 {
			return nil
		}
		<-ready
		block, err := engine.Block(2)
		read <- block
		return err
	}
	engine = start(t, testConfig(newHome(t)), app)
	close(ready)
	awaitBlock(t, engine, 1)
	submit(t, engine, accountMessage(t, 0))
	block := <-read
	if !bytes.Equal(block.GetBlock().GetHeader().GetStateRoot(), app.rootAfter(2)) {
		t.Errorf("block 2 during its commit is %v", block)
	}
}

// TestMissingBlocks checks that reads of blocks after the newest one return nil.
func TestMissingBlocks(t *testing.T) {
	t.Parallel()
	engine := start(t, testConfig(newHome(t)), newMemoryApp())
	awaitBlock(t, engine, 1)
	for _, number := range []uint64{engine.Height() + 1, 1 << 40, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		block, err := engine.Block(number)
		transactions, errTransactions := engine.Transactions(number)
		light, errLight := engine.LightBlock(number)
		included, root, errProof := engine.InclusionProof(number, 0)
		if block != nil || transactions != nil || light != nil || included != nil || root != nil {
			t.Errorf("block %d exists", number)
		}
		for _, err := range []error{err, errTransactions, errLight, errProof} {
			if err != nil {
				t.Errorf("block %d: %v", number, err)
			}
		}
	}
	if light, err := engine.LightBlock(0); light != nil || err != nil {
		t.Errorf("genesis has a light block: %x, %v", light, err)
	}
	if transactions, err := engine.Transactions(0); transactions == nil || len(transactions) != 0 || err != nil {
		t.Errorf("genesis has transactions %v: %v", transactions, err)
	}
	if engine.Base() != 0 {
		t.Errorf("base %d", engine.Base())
	}
}

// TestInclusionProof verifies the proof of every transaction of a block against the root in its header.
//
// Rules: P11.1.
func TestInclusionProof(t *testing.T) {
	t.Parallel()
	engine := start(t, testConfig(newHome(t)), newMemoryApp())
	number := submit(t, engine, accountMessage(t, 0), accountMessage(t, 1), projectMessage(t, 1, 0))
	block := awaitBlock(t, engine, number)
	transactions, err := engine.Transactions(number)
	if err != nil || len(transactions) == 0 {
		t.Fatal(transactions, err)
	}
	for i, transaction := range transactions {
		included, root, err := engine.InclusionProof(number, uint32(i))
		if err != nil || !bytes.Equal(root, block.GetBlock().GetHeader().GetTransactionsRoot()) {
			t.Fatalf("root %x: %v", root, err)
		}
		if err := proof.VerifyInclusion([32]byte(root), uint32(i), transaction, included); err != nil {
			t.Errorf("transaction %d: %v", i, err)
		}
	}
	for _, of := range []struct {
		number uint64
		index  uint32
	}{{number, uint32(len(transactions))}, {number, 1<<32 - 1}, {0, 0}} {
		if _, _, err := engine.InclusionProof(of.number, of.index); err == nil {
			t.Errorf("block %d has a transaction %d", of.number, of.index)
		}
	}
}

// TestBlockEndsWithChange checks that the messages of a block that ends with a validator change have the same positions as
// without it, and proofs against the root of all transactions.
//
// Rules: P11.1.
func TestBlockEndsWithChange(t *testing.T) {
	t.Parallel()
	home, app := newHome(t), newMemoryApp()
	app.end = []byte{0, 1, 2} // the first byte makes it a validator change
	engine := start(t, testConfig(home), app)
	awaitBlock(t, engine, 1)
	envelopes := []*message.Envelope{accountMessage(t, 0), projectMessage(t, 1, 0)}
	number := submitTogether(t, engine, app, envelopes)
	for range 2 {
		checkMessages(t, engine, number, envelopes)
		stop(t, engine)
		engine = start(t, testConfig(home), app) // with an empty cache
	}
	stop(t, engine)
	blocks, err := comet.OpenBlocks(home)
	if err != nil {
		t.Fatal(err)
	}
	messages, change, err := blocks.Content(number)
	if err != nil || len(messages) != len(envelopes) || !bytes.Equal(change, app.end) {
		t.Errorf("%d messages, change %x, %v", len(messages), change, err)
	}
	if err := blocks.Close(); err != nil {
		t.Error(err)
	}
}

// checkMessages checks the messages of a block that ends with a validator change.
func checkMessages(t *testing.T, engine *comet.Engine, number uint64, envelopes []*message.Envelope) {
	t.Helper()
	transactions, err := engine.Transactions(number)
	if err != nil || len(transactions) != len(envelopes) {
		t.Fatalf("%d messages, %v", len(transactions), err)
	}
	uncached := comet.UncachedBlocks{Engine: engine}
	if stored, err := uncached.Transactions(number); err != nil || len(stored) != len(envelopes) {
		t.Errorf("%d messages without the cache, %v", len(stored), err)
	}
	block := awaitBlock(t, engine, number)
	payload := block.GetExecutionPayload()
	listed := append(payload.GetAccountMessages(), payload.GetProjectMessages()[0].GetMessages()...)
	if len(listed) != len(envelopes) || len(payload.GetProjectMessages()) != 1 {
		t.Fatalf("the block has %v", payload)
	}
	for i, envelope := range envelopes {
		if listed[i].GetIndex() != uint32(i) || !bytes.Equal(listed[i].GetHash(), envelope.Hash[:]) {
			t.Errorf("message %d is %v", i, listed[i])
		}
		included, root, err := engine.InclusionProof(number, uint32(i))
		if err != nil || !bytes.Equal(root, block.GetBlock().GetHeader().GetTransactionsRoot()) {
			t.Fatalf("root %x: %v", root, err)
		}
		if err := proof.VerifyInclusion([32]byte(root), uint32(i), envelope.Transaction(), included); err != nil {
			t.Errorf("message %d: %v", i, err)
		}
	}
}
