package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// testArchive returns an archive and its chunks, which are not those of a state.
func testArchive() (*Archive, [][]byte) {
	chunks := [][]byte{[]byte("one"), {}, []byte("three")}
	manifest := &Manifest{Height: 7, Rows: 3, Chunks: make([]Hash, len(chunks))}
	return &Archive{
		Genesis: []byte("{}"), LightBlocks: [][]byte{[]byte("light"), []byte("block")}, Manifest: manifest.Encode(),
	}, chunks
}

func writeArchive(t testing.TB, a *Archive, chunks [][]byte) []byte {
	t.Helper()
	var file bytes.Buffer
	err := a.Write(&file, func(index uint32) ([]byte, error) { return chunks[index], nil })
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// readArchive reads a whole file.
func readArchive(file []byte) (*Archive, [][]byte, error) {
	r, err := ReadArchive(bytes.NewReader(file))
	if err != nil {
		return nil, nil, err
	}
	var chunks [][]byte
	for {
		chunk, err := r.Next()
		if errors.Is(err, io.EOF) {
			return &r.Archive, chunks, nil
		}
		if err != nil {
			return nil, nil, err
		}
		chunks = append(chunks, chunk)
	}
}

// TestArchive checks that an archive can be read, and that it is refused when it is truncated at any byte.
func TestArchive(t *testing.T) {
	t.Parallel()
	want, wantChunks := testArchive()
	file := writeArchive(t, want, wantChunks)
	got, chunks, err := readArchive(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Genesis, want.Genesis) || !bytes.Equal(got.Manifest, want.Manifest) ||
		!slices.EqualFunc(got.LightBlocks, want.LightBlocks, bytes.Equal) || !slices.EqualFunc(chunks, wantChunks, bytes.Equal) {
		t.Errorf("read %+v and %q, want %+v", got, chunks, want)
	}
	for size := range file {
		if _, _, err := readArchive(file[:size]); !errors.Is(err, ErrArchive) {
			t.Errorf("%d bytes of %d: error %v, want %v", size, len(file), err, ErrArchive)
		}
	}
	failed := errors.New("no chunk")
	if err := want.Write(io.Discard, func(uint32) ([]byte, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("without chunks: error %v, want %v", err, failed)
	}
}

// TestArchiveOrder checks that unknown, oversized, surplus and misplaced parts are refused.
func TestArchiveOrder(t *testing.T) {
	t.Parallel()
	part := func(kind byte, size uint32, content string) string {
		return string(binary.BigEndian.AppendUint32([]byte{kind}, size)) + content
	}
	valid, _ := testArchive()
	genesis := part(partGenesis, 2, "{}")
	manifest := part(partManifest, uint32(len(valid.Manifest)), string(valid.Manifest))
	for name, parts := range map[string]string{
		"light block first": part(partLight, 1, "l") + genesis,
		"two genesis files": genesis + genesis,
		"many light blocks": genesis + strings.Repeat(part(partLight, 1, "l"), maxLightBlocks+1) + manifest,
		"no manifest":       genesis + part(partChunk, 1, "c"),
		"bad manifest":      genesis + part(partManifest, 4, "none"),
		"too few chunks":    genesis + manifest + part(partChunk, 1, "c") + part(partEnd, 0, ""),
		"too many chunks":   genesis + manifest + strings.Repeat(part(partChunk, 1, "c"), 4) + part(partEnd, 0, ""),
		"late light block":  genesis + manifest + part(partLight, 1, "l"),
		"unknown part":      part(77, 0, ""),
		"huge genesis":      part(partGenesis, maxGenesisSize+1, ""),
		"huge chunk":        genesis + manifest + part(partChunk, maxPackedChunk+1, ""),
		"end with content":  genesis + manifest + strings.Repeat(part(partChunk, 1, "c"), 3) + part(partEnd, 1, "e"),
	} {
		if _, _, err := readArchive([]byte(archiveMagic + parts)); !errors.Is(err, ErrArchive) {
			t.Errorf("%s: error %v, want %v", name, err, ErrArchive)
		}
	}
}

// FuzzArchive checks that reading never panics, and that an archive that can be read is written with the same bytes.
func FuzzArchive(f *testing.F) {
	archive, chunks := testArchive()
	file := writeArchive(f, archive, chunks)
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add([]byte(archiveMagic))
	f.Fuzz(func(t *testing.T, file []byte) {
		archive, chunks, err := readArchive(file)
		if err != nil {
			return
		}
		if again := writeArchive(t, archive, chunks); !bytes.Equal(again, file) {
			t.Errorf("%d bytes became %d", len(file), len(again))
		}
	})
}

// TestOpenReadOnly checks that a directory that is opened read-only lists its snapshots and changes nothing.
func TestOpenReadOnly(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	if d, err := OpenReadOnly(path + "/none"); err != nil || len(d.List()) != 0 {
		t.Errorf("a missing directory: %v", err)
	}
	d := openDir(t, path, 2)
	c := newChain(t, 1)
	c.commit(c.register("alice")...)
	take(t, d, c.store)
	c.commit(c.register("bob")...)
	newest := take(t, d, c.store)
	for _, name := range []string{"99", unfinished + "100"} { // incomplete
		if err := os.Mkdir(filepath.Join(path, name), dirPermission); err != nil {
			t.Fatal(err)
		}
	}
	before := names(t, path)
	readOnly, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := readOnly.List(); len(got) != 2 || got[0].Hash() != newest.Hash() || got[0].Size == 0 || got[0].TakenAt.IsZero() {
		t.Errorf("snapshots %+v, want two up to height %d", got, newest.Height)
	}
	if _, err := readOnly.Chunk(newest.Height, Format, 0); err != nil {
		t.Error(err)
	}
	latest := c.store.Rows()
	if err := readOnly.Take(latest); !errors.Is(err, ErrClosed) {
		t.Errorf("took a snapshot: %v", err)
	}
	if err := latest.Close(); err != nil {
		t.Error(err)
	}
	if after := names(t, path); len(after) != len(before) {
		t.Errorf("files %v, before %v", after, before)
	}
}
