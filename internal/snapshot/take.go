package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"makechain/internal/backoff"
	"makechain/internal/index"
	"makechain/internal/schema"
)

// Errors of a snapshot that is not taken.
var (
	// ErrBusy says that another one is being taken.
	ErrBusy = errors.New("another snapshot is being taken")
	// ErrTaken says that there is one of that height already.
	ErrExists = errors.New("there is such a snapshot already")
	// ErrSoon says that the one before took so long that it is too soon for another.
	ErrTooSoon = errors.New("too soon after the snapshot before")
	// ErrClosed says that the directory was closed.
	ErrClosed = errors.New("the directory of snapshots is closed")
)

// State is the state after one block. It does not change while a snapshot of it is taken.
type State interface {
	index.View

	Height() uint64
	Root() Hash
	Close() error
}

// Offer starts a snapshot of a state, unless it is too soon for another. States must be offered every so many blocks, each
// at a height that is a multiple of them. It closes the state.
func (d *Directory) TakeIfDue(state State, every uint64) {
	d.mu.Lock()
	due := d.throttle.due(state.Height(), every, time.Now())
	d.mu.Unlock()
	if !due {
		d.report(state.Height(), errors.Join(ErrTooSoon, state.Close()))
		return
	}
	d.TakeAsync(state)
}

// Start takes a snapshot behind the caller's back, and closes the state when it is done. While another one is being
// taken it does nothing: the next height will do as well.
func (d *Directory) TakeAsync(state State) {
	err := d.acquire(state.Height())
	if err == nil {
		go func() { // ends with d.taking
			err := d.take(state)
			d.report(state.Height(), errors.Join(err, state.Close()))
			d.release()
		}()
		return
	}
	d.report(state.Height(), errors.Join(err, state.Close()))
}

func (d *Directory) report(height uint64, err error) {
	switch {
	case err == nil:
		d.log.Info("took a snapshot", "height", height)
	case errors.Is(err, ErrBusy), errors.Is(err, ErrExists), errors.Is(err, ErrTooSoon), errors.Is(err, ErrClosed):
		d.log.Debug("took no snapshot", "height", height, "reason", err)
	default:
		d.log.Error("took no snapshot", "height", height, "error", err)
	}
}

// Take takes a snapshot, and publishes it when it is whole and durable. The state stays the caller's.
func (d *Directory) Take(state State) error {
	if err := d.acquire(state.Height()); err != nil {
		return err
	}
	defer d.release()
	return d.take(state)
}

func (d *Directory) acquire(height uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closing.Err() != nil:
		return ErrClosed
	case d.busy:
		return ErrBusy
	case slices.ContainsFunc(d.snapshots, func(s Snapshot) bool { return s.Height == height }):
		return fmt.Errorf("%w: height %d", ErrExists, height)
	}
	d.busy = true
	d.taking.Add(1)
	return nil
}

func (d *Directory) release() {
	d.mu.Lock()
	d.busy = false
	d.mu.Unlock()
	d.taking.Done()
}

func (d *Directory) take(state State) error {
	dir := filepath.Join(d.path, unfinished+strconv.FormatUint(state.Height(), 10))
	snapshot, err := d.write(dir, state)
	if err == nil {
		err = d.publish(dir, snapshot)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("snapshot of height %d: %w", state.Height(), err), os.RemoveAll(dir))
	}
	return nil
}

// write writes a snapshot under a name of its own.
func (d *Directory) write(dir string, state State) (Snapshot, error) {
	if err := os.Mkdir(dir, dirPermission); err != nil {
		return Snapshot{}, err
	}
	stats, err := index.NewReader(state).Stats()
	if err != nil {
		return Snapshot{}, err
	}
	encoder, err := newEncoder()
	if err != nil {
		return Snapshot{}, err
	}
	w := &writer{
		dir: dir, encoder: encoder, closing: d.closing, resumed: time.Now(),
		snapshot: Snapshot{Manifest: &Manifest{Height: state.Height(), Root: state.Root(), Messages: stats.Messages}},
	}
	c := &cutter{write: w.chunk}
	if err := d.scan(state, c.add); err != nil {
		return Snapshot{}, err
	}
	if err := c.finish(); err != nil {
		return Snapshot{}, err
	}
	w.snapshot.Rows = c.rows
	if err := writeSynced(filepath.Join(dir, manifestFile), w.snapshot.Encode()); err != nil {
		return Snapshot{}, err
	}
	if w.snapshot.TakenAt, err = taken(dir); err != nil {
		return Snapshot{}, err
	}
	d.mu.Lock()
	d.throttle.lastDuration = w.worked + time.Since(w.resumed)
	d.mu.Unlock()
	return w.snapshot, syncDir(dir)
}

// scan visits the rows of the state tree in order, until an error or Close.
func (d *Directory) scan(state State, visit func(key, value []byte) error) error {
	for p := schema.PrefixTombstone; p <= schema.LastPrefix; p++ {
		if !p.Merkleized() {
			continue
		}
		var failed error
		err := state.Scan([]byte{byte(p)}, []byte{byte(p) + 1}, func(key, value []byte) bool {
			if d.closing.Err() != nil {
				failed = ErrClosed
			} else {
				failed = visit(key, value)
			}
			return failed == nil
		})
		if err := errors.Join(failed, err); err != nil {
			return err
		}
	}
	return nil
}

// publish gives a snapshot its name.
func (d *Directory) publish(dir string, snapshot Snapshot) error {
	if err := os.Rename(dir, d.dir(snapshot.Height)); err != nil {
		return err
	}
	if err := syncDir(d.path); err != nil {
		return err
	}
	return d.add(snapshot)
}

// writer writes the chunks of a snapshot.
type writer struct {
	dir        string
	encoder    *zstd.Encoder
	compressed []byte
	snapshot   Snapshot
	closing    context.Context //nolint:containedctx // it ends when the directory closes
	resumed    time.Time       // when it last began to work
	worked     time.Duration   // before that
}

func (w *writer) chunk(rows []byte) error {
	if len(w.snapshot.Chunks) > 0 {
		work := time.Since(w.resumed)
		w.worked += work
		_ = backoff.Sleep(w.closing, pauseFactor*work) // the scan stops when the directory closes
		w.resumed = time.Now()
	}
	w.compressed = w.encoder.EncodeAll(rows, w.compressed[:0])
	name := chunkFile(len(w.snapshot.Chunks))
	w.snapshot.Chunks = append(w.snapshot.Chunks, blake3.Sum256(w.compressed))
	w.snapshot.Size += uint64(len(w.compressed))
	return writeSynced(filepath.Join(w.dir, name), w.compressed)
}

func writeSynced(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permission)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// syncDir makes the names in a directory durable.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
