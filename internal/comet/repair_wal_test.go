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

// TestEndOfLog finds the end of the last height in the log of votes after every start, also when the engine died
// before it wrote it: then it could not be found by the start after the next.
func TestEndOfLog(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	log := filepath.Join(home, "data", "cs.wal")
	app := newMemoryApp()
	for round := range 3 {
		engine := start(t, testConfig(home), app)
		number := submit(t, engine, accountMessage(t, round))
		stop(t, engine)
		if !hasEnd(t, filepath.Join(log, "wal"), int64(number)) {
			t.Fatalf("the log does not say that block %d is done", number)
		}
		if err := os.RemoveAll(log); err != nil {
			t.Fatal(err)
		}
		engine = start(t, testConfig(home), app)
		height := engine.Height()
		stop(t, engine)
		if !hasEnd(t, filepath.Join(log, "wal"), int64(height)) {
			t.Errorf("the new log does not say that block %d is done", height)
		}
	}
}

func hasEnd(t *testing.T, path string, height int64) bool {
	t.Helper()
	log, err := consensus.NewWAL(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Start(); err != nil {
		t.Fatal(err)
	}
	reader, found, err := log.SearchForEndHeight(height, &consensus.WALSearchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if found {
		_ = reader.Close() // nothing is read from it
	}
	if err := log.Stop(); err != nil {
		t.Fatal(err)
	}
	log.Wait()
	return found
}

// loseEnds takes the ends of heights out of a log.
func loseEnds(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	encoder := consensus.NewWALEncoder(&kept)
	for decoder := consensus.NewWALDecoder(bytes.NewReader(content)); ; {
		line, err := decoder.Decode()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := line.Msg.(consensus.EndHeightMessage); ok && end.Height > 0 {
			continue
		}
		if err := encoder.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, kept.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
