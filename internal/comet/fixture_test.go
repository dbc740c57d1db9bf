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
	"makechain/message"
)

const (
	chainID = "makechain-test"
	network = pb.Network_NETWORK_DEVNET
	// patience is far more than anything here takes.
	patience = 30 * time.Second
	interval = 10 * time.Millisecond
)

func testGenesis() genesis.Genesis {
	return genesis.Genesis{
		ChainID:    chainID,
		Network:    network,
		Settlement: genesis.Settlement{Attesters: []ident.PublicKey{{1}}, Threshold: 1},
	}
}

// newHome makes the home of a chain with one validator.
func newHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	if err := comet.Init(home, testGenesis()); err != nil {
		t.Fatal(err)
	}
	return home
}

// testLog goes to the output of the test.
func testLog(t *testing.T) *slog.Logger {
	t.Helper()
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func testConfig(home string) comet.Config {
	return comet.Config{Home: home, BlockInterval: interval, ListenAddress: "127.0.0.1:0"}
}

// start runs an engine until the test ends, unless it is stopped before.
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
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// awaitBlock waits until a block can be had.
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

// author signs test messages; this application asks for no account.
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

// accountMessage is a message of the account phase, another one for every number.
func accountMessage(t *testing.T, i int) *message.Envelope {
	t.Helper()
	return sign(t, uint32(i+1), accountData(i))
}

func accountData(i int) *pb.MessageData {
	return message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "number "+strconv.Itoa(i))
}

// projectMessage is a message of the project phase.
func projectMessage(t *testing.T, project byte, i int) *message.Envelope {
	t.Helper()
	id := ident.Hash(bytes.Repeat([]byte{project}, ident.HashSize))
	return sign(t, uint32(i+1), message.ProjectMetadata(id, pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, strconv.Itoa(i)))
}

// submit hands over messages and waits until all of them are in blocks. It gives the number of the last block.
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

// quiet is for tests in which errors are as they should be.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// loseSigningRecord makes it impossible to write down what is signed: a directory is in the way.
func loseSigningRecord(home string) error {
	path := filepath.Join(home, "data", "priv_validator_state.json")
	return errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "in the way"), 0o700))
}
