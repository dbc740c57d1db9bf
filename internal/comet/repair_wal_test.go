package comet_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/cometbft/cometbft/consensus"
)

// TestRepairWAL checks that the WAL has the EndHeight record of the last height after every start, also when the WAL was lost.
func TestRepairWAL(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	wal := filepath.Join(home, "data", "cs.wal")
	app := newMemoryApp()
	for round := range 3 {
		engine := start(t, testConfig(home), app)
		number := submit(t, engine, accountMessage(t, round))
		awaitBlock(t, engine, number+1) // afterwards the validator signs nothing that the lost WAL would contain
		stop(t, engine)
		if !hasEndHeight(t, filepath.Join(wal, "wal"), int64(number)) {
			t.Fatalf("the WAL has no EndHeight record of block %d", number)
		}
		if err := os.RemoveAll(wal); err != nil {
			t.Fatal(err)
		}
		engine = start(t, testConfig(home), app)
		height := engine.Height()
		stop(t, engine)
		if !hasEndHeight(t, filepath.Join(wal, "wal"), int64(height)) {
			t.Errorf("the repaired WAL has no EndHeight record of block %d", height)
		}
	}
}

func hasEndHeight(t *testing.T, path string, height int64) bool {
	t.Helper()
	wal, err := consensus.NewWAL(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := wal.Start(); err != nil {
		t.Fatal(err)
	}
	reader, found, err := wal.SearchForEndHeight(height, &consensus.WALSearchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if found {
		_ = reader.Close() // nothing is read from it
	}
	if err := wal.Stop(); err != nil {
		t.Fatal(err)
	}
	wal.Wait()
	return found
}

// removeEndHeights removes the EndHeight records from a WAL.
func removeEndHeights(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	encoder := consensus.NewWALEncoder(&kept)
	for decoder := consensus.NewWALDecoder(bytes.NewReader(content)); ; {
		record, err := decoder.Decode()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := record.Msg.(consensus.EndHeightMessage); ok && end.Height > 0 {
			continue
		}
		if err := encoder.Encode(record); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, kept.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
