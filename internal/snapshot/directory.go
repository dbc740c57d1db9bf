package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/statesync"
)

// DefaultKeep is the number of snapshots that are kept: a peer that started with one can finish it after the next is
// taken.
const DefaultKeep = 2

// Names in a directory. A snapshot is a subdirectory named by its height. It is written under a temporary name and
// renamed, so a subdirectory with the name of a snapshot is complete.
const (
	manifestFile  = "manifest"
	unfinished    = "unfinished-" // prefix of temporary names
	dirPermission = 0o700
	permission    = 0o600
)

// Snapshot is a snapshot in a directory.
type Snapshot struct {
	*Manifest
	Size    uint64    // of its chunks, in bytes
	TakenAt time.Time // modification time of the manifest
}

// Directory holds the newest snapshots. Its methods may be called by several goroutines.
type Directory struct {
	path    string
	keep    int // 0 keeps all
	log     *slog.Logger
	taking  sync.WaitGroup
	closing context.Context //nolint:containedctx // ended by Close, with mu held; a read-only directory starts closed
	cancel  context.CancelFunc

	mu        sync.Mutex // guards what follows; not held while files are written
	busy      bool       // a snapshot is being taken
	throttle  throttle
	snapshots []Snapshot // ascending by height
}

// Open opens a directory and creates it if necessary. It removes snapshots that are incomplete or unreadable, and all but
// the newest ones.
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

// OpenReadOnly opens a directory in which another program may be taking snapshots. It changes nothing, ignores incomplete
// snapshots, and treats a missing directory as an empty one. Take returns ErrClosed.
func OpenReadOnly(path string) (*Directory, error) {
	closed, cancel := context.WithCancel(context.Background())
	cancel()
	d := &Directory{path: path, log: slog.New(slog.DiscardHandler), closing: closed, cancel: cancel}
	err := d.load()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open snapshots in %s: %w", path, err)
	}
	return d, nil
}

// load reads the snapshots in the directory. Unless it is read-only, it removes incomplete ones.
func (d *Directory) load() error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		height, err := strconv.ParseUint(entry.Name(), 10, 64)
		if err != nil && !strings.HasPrefix(entry.Name(), unfinished) {
			continue // not a snapshot
		}
		var snapshot Snapshot
		if err == nil {
			snapshot, err = d.read(height)
		}
		switch {
		case err == nil:
			err = d.add(snapshot)
		case d.closing.Err() != nil: // read-only
			err = nil
		default:
			d.log.Warn("removed an incomplete snapshot", "name", entry.Name(), "reason", err)
			err = os.RemoveAll(filepath.Join(d.path, entry.Name()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add adds a published snapshot to the list and removes the oldest ones beyond d.keep.
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

// read reads the manifest of a published snapshot and checks that its chunks exist.
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
		return Snapshot{}, fmt.Errorf("%w of height %d: it has height %d", ErrManifest, height, manifest.Height)
	}
	snapshot := Snapshot{Manifest: manifest}
	if snapshot.TakenAt, err = takenAt(d.dir(height)); err != nil {
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

// takenAt returns the modification time of a manifest, the last file of a snapshot to be written.
func takenAt(dir string) (time.Time, error) {
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

// List returns the snapshots, newest first.
func (d *Directory) List() []Snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := slices.Clone(d.snapshots)
	slices.Reverse(list)
	return list
}

// Offers returns the snapshots as they are offered to peers, newest first.
func (d *Directory) Offers() []statesync.Offer {
	var offers []statesync.Offer
	for _, s := range d.List() {
		offers = append(offers, s.Offer())
	}
	return offers
}

// Oldest returns the height of the oldest snapshot, 0 when there is none.
func (d *Directory) Oldest() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.snapshots) == 0 {
		return 0
	}
	return d.snapshots[0].Height
}

// Newest describes the newest snapshot for the API, nil when there is none.
func (d *Directory) Newest() *pb.GetSnapshotInfoResponse {
	list := d.List()
	if len(list) == 0 {
		return nil
	}
	newest := list[0]
	return &pb.GetSnapshotInfoResponse{
		BlockNumber: newest.Height, StateRoot: newest.Root[:],
		EntryCount: uint32(min(newest.Rows, math.MaxUint32)), EstimatedSizeBytes: newest.Size,
	}
}

// Chunk returns a compressed chunk. It returns statesync.ErrNotFound when the directory does not have it, and
// statesync.ErrChunk when the file is damaged.
func (d *Directory) Chunk(height uint64, format, index uint32) ([]byte, error) {
	d.mu.Lock()
	at := slices.IndexFunc(d.snapshots, func(s Snapshot) bool { return s.Height == height })
	if at < 0 || format != Format || uint64(index) >= uint64(len(d.snapshots[at].Chunks)) {
		d.mu.Unlock()
		return nil, fmt.Errorf("%w: chunk %d of height %d in format %d", statesync.ErrNotFound, index, height, format)
	}
	want := d.snapshots[at].Chunks[index]
	d.mu.Unlock()
	chunk, err := os.ReadFile(filepath.Join(d.dir(height), chunkFile(int(index))))
	switch {
	case errors.Is(err, fs.ErrNotExist): // removed since
		return nil, fmt.Errorf("%w: chunk %d of height %d was removed", statesync.ErrNotFound, index, height)
	case err != nil:
		return nil, fmt.Errorf("read chunk %d of height %d: %w", index, height, err)
	case blake3.Sum256(chunk) != want:
		return nil, fmt.Errorf("%w: the file of chunk %d of height %d is damaged", statesync.ErrChunk, index, height)
	}
	return chunk, nil
}

// Close aborts the snapshot that is being taken and waits for it.
func (d *Directory) Close() {
	d.mu.Lock()
	d.cancel()
	d.mu.Unlock()
	d.taking.Wait()
}
