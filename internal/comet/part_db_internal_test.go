package comet

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	dbm "github.com/cometbft/cometbft-db"
	cmtstore "github.com/cometbft/cometbft/proto/tendermint/store"
)

// testPart returns a part of a block, which begins like an encoded part.
func testPart(height, index int) []byte {
	random := rand.NewChaCha8([32]byte{byte(height), byte(height >> 8), byte(index)})
	part := make([]byte, 1000+index)
	_, _ = random.Read(part) // never fails
	part[0] = 0x12
	return part
}

func testPartKey(height, index int) []byte { return fmt.Appendf(nil, "P:%d:%d", height, index) }

// openTestParts opens a database of blocks with small part files.
func openTestParts(t *testing.T, directory string) *partDB {
	t.Helper()
	opened, err := openDatabase(directory, blockDatabase)
	if err != nil {
		t.Fatal(err)
	}
	d := opened.(*partDB)
	d.parts.maxBytes = 10_000
	return d
}

// saveTestBlock stores a block as CometBFT does, with base as the first block that is not pruned.
func saveTestBlock(t *testing.T, d dbm.DB, base, height int) {
	t.Helper()
	batch := d.NewBatch()
	for index := range 3 {
		set := batch.Set
		if height%2 == 0 { // parts of large blocks are not in the batch
			set = d.Set
		}
		if err := set(testPartKey(height, index), testPart(height, index)); err != nil {
			t.Fatal(err)
		}
	}
	state, err := (&cmtstore.BlockStoreState{Base: int64(base), Height: int64(height)}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string][]byte{"blockStore": state, fmt.Sprintf("H:%d", height): []byte("meta")} { // order: different keys
		if err := batch.Set([]byte(key), value); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.WriteSync(); err != nil {
		t.Fatal(err)
	}
	if err := batch.Close(); err != nil {
		t.Fatal(err)
	}
}

func checkTestBlock(t *testing.T, d dbm.DB, height int) {
	t.Helper()
	for index := range 3 {
		part, err := d.Get(testPartKey(height, index))
		if err != nil || !bytes.Equal(part, testPart(height, index)) {
			t.Errorf("part %d of block %d: %d bytes, %v", index, height, len(part), err)
		}
	}
}

func countPartFiles(t *testing.T, directory string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, blockDatabase+databaseSuffix, partFilePrefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// TestPartFiles checks that parts are found in several files, also after the database was closed or its process crashed, that
// a block can be stored again, and that LevelDB does not contain them.
func TestPartFiles(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	d := openTestParts(t, directory)
	for height := 1; height <= 40; height++ {
		saveTestBlock(t, d, 1, height)
		if height%16 == 0 {
			crashed := t.TempDir()
			if err := os.CopyFS(crashed, os.DirFS(directory)); err != nil {
				t.Fatal(err)
			}
			copied := openTestParts(t, crashed)
			checkTestBlock(t, copied, height)
			saveTestBlock(t, copied, 1, height)
			saveTestBlock(t, copied, 1, height+1)
			for stored := 1; stored <= height+1; stored++ {
				checkTestBlock(t, copied, stored)
			}
			if err := copied.Close(); err != nil {
				t.Fatal(err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			d = openTestParts(t, directory)
		}
	}
	for height := 1; height <= 40; height++ {
		checkTestBlock(t, d, height)
	}
	if n := countPartFiles(t, directory); n < 10 {
		t.Errorf("%d files", n)
	}
	if value, err := d.GoLevelDB.Get(testPartKey(40, 0)); err != nil || len(value) != partPositionSize {
		t.Errorf("LevelDB has %d bytes for a part, %v", len(value), err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOldParts checks that parts that an older version stored in LevelDB are read from there, next to those in files.
func TestOldParts(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	old, err := dbm.NewGoLevelDB(blockDatabase, directory)
	if err != nil {
		t.Fatal(err)
	}
	saveTestBlock(t, old, 1, 1)
	saveTestBlock(t, old, 1, 2)
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	d := openTestParts(t, directory)
	saveTestBlock(t, d, 1, 3)
	for height := 1; height <= 3; height++ {
		checkTestBlock(t, d, height)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestPrunedParts checks that the files of pruned blocks are removed with the blocks, or at the next start, and that later
// blocks remain.
func TestPrunedParts(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	d := openTestParts(t, directory)
	for height := 1; height <= 40; height++ {
		saveTestBlock(t, d, 1, height)
	}
	before := countPartFiles(t, directory)
	first := append([]int64(nil), d.parts.first...)
	saveTestBlock(t, d, 21, 41)
	if after := countPartFiles(t, directory); after > before/2+1 || after < 2 {
		t.Errorf("%d of %d files remain", after, before)
	}
	for height := 21; height <= 41; height++ {
		checkTestBlock(t, d, height)
	}
	if part, err := d.Get(testPartKey(1, 0)); err == nil {
		t.Errorf("a part whose file is lost: %d bytes", len(part))
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.parts.path(first[0]), []byte("left by a crash"), secretMode); err != nil {
		t.Fatal(err)
	}
	d = openTestParts(t, directory)
	if _, err := os.Stat(d.parts.path(first[0])); err == nil {
		t.Error("a pruned file remains after a start")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedParts checks that changed and missing bytes of a part are detected.
func TestDamagedParts(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string, content []byte) error{ // order: subtests
		"flipped bit": func(path string, content []byte) error {
			content[len(content)/2] ^= 1
			return os.WriteFile(path, content, secretMode)
		},
		"truncated": func(path string, content []byte) error { return os.Truncate(path, int64(len(content)/2)) },
		"lost":      func(path string, _ []byte) error { return os.Remove(path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := openTestParts(t, t.TempDir())
			saveTestBlock(t, d, 1, 1)
			path := d.parts.path(1)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(path, content); err != nil {
				t.Fatal(err)
			}
			if part, err := d.Get(testPartKey(1, 1)); err == nil {
				t.Errorf("a damaged part is returned with %d bytes", len(part))
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
