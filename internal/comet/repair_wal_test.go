package comet_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
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

// TestEmptyHead checks that a node which stopped after a rotation of its WAL continues the last file, instead of an empty one that
// CometBFT would start with an EndHeight record of height 0.
func TestEmptyHead(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	head := filepath.Join(home, "data", "cs.wal", "wal")
	app := newMemoryApp()
	engine := start(t, testConfig(home), app)
	first := submit(t, engine, accountMessage(t, 0))
	stop(t, engine)
	if err := os.Rename(head, head+".000"); err != nil {
		t.Fatal(err)
	}
	for round, prepare := range []func() error{
		func() error { return os.WriteFile(head, nil, 0o600) },
		func() error { return os.Rename(head, head+".000") }, // without a head
	} {
		if err := prepare(); err != nil {
			t.Fatal(err)
		}
		engine = start(t, testConfig(home), app)
		awaitBlock(t, engine, submit(t, engine, accountMessage(t, round+1)))
		stop(t, engine)
		if _, err := os.Stat(head + ".000"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("round %d: the last file was not continued: %v", round, err)
		}
		if !hasEndHeight(t, head, int64(first)) {
			t.Errorf("round %d: the WAL has no EndHeight record of block %d", round, first)
		}
		if recorded := endHeights(t, head); len(recorded) < 3+round || slices.Contains(recorded[1:], 0) {
			t.Errorf("round %d: EndHeight records %v", round, recorded)
		}
	}
}

func endHeights(t *testing.T, path string) (heights []int64) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	for decoder := consensus.NewWALDecoder(file); ; {
		m, err := decoder.Decode()
		if errors.Is(err, io.EOF) {
			return heights
		}
		if err != nil {
			t.Fatal(err)
		}
		if end, isEnd := m.Msg.(consensus.EndHeightMessage); isEnd {
			heights = append(heights, end.Height)
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
