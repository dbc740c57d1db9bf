package comet_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

const (
	chainID = "makechain-test"
	network = pb.Network_NETWORK_DEVNET
	// timeout is far longer than any wait of a test that passes.
	timeout  = 2 * time.Minute
	interval = 10 * time.Millisecond
)

func testGenesis() genesis.Genesis {
	return genesis.Genesis{
		ChainID:    chainID,
		Network:    network,
		Settlement: ledger.Settlement{ChainID: 31_337, Threshold: 1, Attesters: []ledger.Attester{{Key: ident.PublicKey{3}}}},
	}
}

// newHome initializes the home of a chain with one validator.
func newHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	if err := comet.Init(home, testGenesis()); err != nil {
		t.Fatal(err)
	}
	return home
}

// testLog returns a logger that writes to the output of the test.
func testLog(t *testing.T) *slog.Logger {
	t.Helper()
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func testConfig(home string) comet.Config {
	return comet.Config{Home: home, BlockInterval: interval, ListenAddress: "127.0.0.1:0"}
}

// start starts an engine, which is stopped when the test ends.
func start(t *testing.T, config comet.Config, app *memoryApp) *comet.Engine {
	t.Helper()
	engine, err := comet.Start(t.Context(), config, app, testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Stop() })
	return engine
}

func stop(t *testing.T, engine *comet.Engine) {
	t.Helper()
	if err := engine.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

// await polls until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("timeout waiting for %s", what)
		}
	}
}

// awaitBlock waits for a block.
func awaitBlock(t *testing.T, engine *comet.Engine, number uint64) *pb.GetBlockResponse {
	t.Helper()
	var block *pb.GetBlockResponse
	await(t, "block "+strconv.FormatUint(number, 10), func() bool {
		var err error
		if block, err = engine.Block(number); err != nil {
			t.Fatal(err)
		}
		return block != nil
	})
	return block
}

// author returns the author of test messages. memoryApp does not require an account.
func author() *message.Author {
	return message.NewAuthor(message.Seed{7}, network, ident.Address{7})
}

func sign(t *testing.T, timestamp uint32, data *pb.MessageData) *message.Envelope {
	t.Helper()
	envelope, err := author().Sign(timestamp, data)
	if err != nil {
		t.Fatal(err)
	}
	return envelope
}

// accountMessage returns a message of the account phase, a different one for every number.
func accountMessage(t *testing.T, i int) *message.Envelope {
	t.Helper()
	return sign(t, uint32(i+1), accountData(i))
}

func accountData(i int) *pb.MessageData {
	return message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "number "+strconv.Itoa(i))
}

// projectMessage returns a message of the project phase.
func projectMessage(t *testing.T, project byte, i int) *message.Envelope {
	t.Helper()
	id := ident.Hash(bytes.Repeat([]byte{project}, ident.HashSize))
	return sign(t, uint32(i+1), message.ProjectMetadata(id, pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, strconv.Itoa(i)))
}

// submit submits messages and waits until all of them are in blocks. It returns the number of the last block.
func submit(t *testing.T, engine *comet.Engine, envelopes ...*message.Envelope) uint64 {
	t.Helper()
	missing := make(map[string]bool)
	for _, envelope := range envelopes {
		missing[string(envelope.Transaction())] = true
	}
	number := engine.Height()
	for _, envelope := range envelopes {
		if err := engine.Submit(envelope.Transaction()); err != nil {
			t.Fatal(err)
		}
	}
	for len(missing) > 0 {
		number++
		awaitBlock(t, engine, number)
		transactions, err := engine.Transactions(number)
		if err != nil {
			t.Fatal(err)
		}
		for _, tx := range transactions {
			delete(missing, string(tx))
		}
	}
	return number
}

// quiet returns a logger that discards its output, for tests that expect errors.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// breakSignState replaces the file of the sign state by a directory, so that it cannot be written.
func breakSignState(home string) error {
	path := filepath.Join(home, "data", "priv_validator_state.json")
	return errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "directory"), 0o700))
}
