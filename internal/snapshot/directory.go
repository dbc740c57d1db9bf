package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/blake3"
)

// DefaultKeep is how many snapshots are kept: a peer that began with one can finish while the next is there already.
const DefaultKeep = 2

// Names in a directory. A snapshot has a directory of its own, named by its height. It is written under another name
// and published by renaming, so whatever has the name of a snapshot is whole.
const (
	manifestFile  = "manifest"
	unfinished    = "unfinished-"
	dirPermission = 0o700
	permission    = 0o600
)

// ErrNotFound says that there is no such snapshot or chunk, perhaps no more.
var ErrNotFound = errors.New("no such snapshot or chunk")

// Snapshot is a snapshot in a directory.
type Snapshot struct {
	*Manifest
	Size  uint64    // of its chunks, in bytes
	TakenAt time.Time // as the file system knows it
}

// Directory holds the newest snapshots. Its methods may be called by several goroutines.
type Directory struct {
	path   string
	keep   int // 0 keeps all
	log    *slog.Logger
	taking sync.WaitGroup

	closing context.Context //nolint:containedctx // it ends when the directory closes, with mu held
	cancel  context.CancelFunc

	mu        sync.Mutex // guards what follows, and is never held while files are written
	busy      bool       // a snapshot is being taken
	throttle      throttle
	snapshots []Snapshot // by height, the newest last
}

// Open opens a directory, or makes one. It removes what was not finished or cannot be read, and all but the newest
// snapshots.
func Open(path string, keep int, log *slog.Logger) (*Directory, error) {
	if err := os.MkdirAll(path, dirPermission); err != nil {
		return nil, fmt.Errorf("open snapshots: %w", err)
	}
	closing, cancel := context.WithCancel(context.Background())
	d := &Directory{path: path, keep: max(keep, 1), log: log, closing: closing, cancel: cancel}
	if err := d.load(); err != nil {
		return nil, fmt.Errorf("open snapshots in %s: %w", path, err)
	}
	return d, nil
}

// Look opens a directory in which another program may be taking snapshots: it changes nothing, and takes none. What is
// not whole is left out, and a directory that is not there has no snapshots.
func OpenReadOnly(path string) (*Directory, error) {
	closed, cancel := context.WithCancel(context.Background())
	cancel()
	d := &Directory{path: path, log: slog.New(slog.DiscardHandler), closing: closed, cancel: cancel}
	err := d.load()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for snapshots in %s: %w", path, err)
	}
	return d, nil
}

func (d *Directory) load() error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		height, err := strconv.ParseUint(entry.Name(), 10, 64)
		if err != nil && !strings.HasPrefix(entry.Name(), unfinished) {
			continue // not ours
		}
		var snapshot Snapshot
		if err == nil {
			snapshot, err = d.read(height)
		}
		if err != nil {
			err = d.remove(entry.Name(), err)
		} else {
			err = d.add(snapshot)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// remove removes what is not whole, unless the directory is only looked at.
func (d *Directory) remove(name string, reason error) error {
	if d.closing.Err() != nil {
		return nil
	}
	d.log.Warn("removed a snapshot that is not whole", "name", name, "reason", reason)
	return os.RemoveAll(filepath.Join(d.path, name))
}

// add takes a published snapshot in, and removes the oldest when there are too many.
func (d *Directory) add(snapshot Snapshot) error {
	d.mu.Lock()
	d.snapshots = append(d.snapshots, snapshot)
	slices.SortFunc(d.snapshots, func(a, b Snapshot) int { return cmp.Compare(a.Height, b.Height) })
	var surplus []Snapshot
	if d.keep > 0 {
		surplus = d.snapshots[:max(0, len(d.snapshots)-d.keep)]
	}
	d.snapshots = slices.Clone(d.snapshots[len(surplus):])
	d.mu.Unlock()
	for _, old := range surplus {
		if err := os.RemoveAll(d.dir(old.Height)); err != nil {
			return err
		}
	}
	return nil
}

// read reads the manifest of a published snapshot and looks at its chunks.
func (d *Directory) read(height uint64) (Snapshot, error) {
	encoded, err := os.ReadFile(filepath.Join(d.dir(height), manifestFile))
	if err != nil {
		return Snapshot{}, err
	}
	manifest, err := ParseManifest(encoded)
	if err != nil {
		return Snapshot{}, err
	}
	if manifest.Height != height {
		return Snapshot{}, fmt.Errorf("%w: it is one of height %d", ErrManifest, manifest.Height)
	}
	snapshot := Snapshot{Manifest: manifest}
	if snapshot.TakenAt, err = taken(d.dir(height)); err != nil {
		return Snapshot{}, err
	}
	for i := range manifest.Chunks {
		chunk, err := os.Stat(filepath.Join(d.dir(height), chunkFile(i)))
		if err != nil {
			return Snapshot{}, err
		}
		snapshot.Size += uint64(chunk.Size())
	}
	return snapshot, nil
}

// taken is when the manifest of a snapshot, which comes last, was written.
func taken(dir string) (time.Time, error) {
	manifest, err := os.Stat(filepath.Join(dir, manifestFile))
	if err != nil {
		return time.Time{}, err
	}
	return manifest.ModTime(), nil
}

func (d *Directory) dir(height uint64) string {
	return filepath.Join(d.path, strconv.FormatUint(height, 10))
}

func chunkFile(i int) string { return fmt.Sprintf("chunk-%06d", i) }

// List gives the snapshots that can be served, the newest first.
func (d *Directory) List() []Snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := slices.Clone(d.snapshots)
	slices.Reverse(list)
	return list
}

// Newest gives the newest snapshot, if there is one.
func (d *Directory) Newest() (newest Snapshot, found bool) {
	list := d.List()
	if len(list) == 0 {
		return Snapshot{}, false
	}
	return list[0], true
}

// Chunk gives a chunk as it travels, ErrNotFound when it is not there. One that the disk has spoilt is not handed out.
func (d *Directory) Chunk(height uint64, format, index uint32) ([]byte, error) {
	d.mu.Lock()
	at := slices.IndexFunc(d.snapshots, func(s Snapshot) bool { return s.Height == height })
	if at < 0 || format != Format || uint64(index) >= uint64(len(d.snapshots[at].Chunks)) {
		d.mu.Unlock()
		return nil, fmt.Errorf("%w: chunk %d of height %d in format %d", ErrNotFound, index, height, format)
	}
	want := d.snapshots[at].Chunks[index]
	d.mu.Unlock()
	chunk, err := os.ReadFile(filepath.Join(d.dir(height), chunkFile(int(index))))
	switch {
	case errors.Is(err, fs.ErrNotExist): // pruned meanwhile
		return nil, fmt.Errorf("%w: chunk %d of height %d is gone", ErrNotFound, index, height)
	case err != nil:
		return nil, fmt.Errorf("read chunk %d of height %d: %w", index, height, err)
	case blake3.Sum256(chunk) != want:
		return nil, fmt.Errorf("%w: chunk %d of height %d on disk", ErrChunk, index, height)
	}
	return chunk, nil
}

// Close stops what is being taken and waits for it.
func (d *Directory) Close() {
	d.mu.Lock()
	d.cancel()
	d.mu.Unlock()
	d.taking.Wait()
}
