package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"makechain/internal/backoff"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// Reasons for which a snapshot is not taken.
var (
	// ErrBusy is returned while another snapshot is being taken.
	ErrBusy = errors.New("another snapshot is being taken")
	// ErrExists is returned when there is a snapshot of the height already.
	ErrExists = errors.New("the snapshot exists already")
	// ErrTooSoon is logged when the previous snapshot took so long that the next one is skipped.
	ErrTooSoon = errors.New("too soon after the previous snapshot")
	// ErrClosed is returned after Close, and by a read-only directory.
	ErrClosed = errors.New("the snapshot directory is closed")
)

const (
	// minIntervalFactor is the minimum interval between two snapshots, in multiples of the duration of the last one: each
	// snapshot reads the whole state, however little has changed.
	minIntervalFactor = 20
	// minThrottledDuration is the duration of a snapshot below which the interval is not limited.
	minThrottledDuration = time.Second
	// pauseFactor is how long the writer pauses after a chunk, in multiples of the time the chunk took, so that a
	// snapshot does not delay blocks.
	pauseFactor = 3
	// busyPauseFactor is the same while the state is busy.
	busyPauseFactor = 12
	// yieldRows is the number of rows after which the scan of a state yields to other goroutines. Otherwise consensus, which waits
	// for the disk several times per block, would wait up to a time slice of 10 ms for a core each time.
	yieldRows = 256
)

// State is the state after one block. It does not change while a snapshot of it is taken, which can take minutes: it should
// retain nothing but rows.
type State interface {
	Height() uint64
	Root() Hash
	// Scan visits the rows with lower <= key < upper in ascending order until visit returns false. The arguments of visit are
	// valid only during the call.
	Scan(lower, upper []byte, visit func(key, value []byte) bool) error
	// Busy reports whether other work in the background needs the processor, too.
	Busy() bool
	Close() error
}

// Taker takes a snapshot after every Interval-th block. It observes commits.
type Taker struct {
	Directory *Directory
	Interval  uint64 // blocks; 0 takes no snapshots
	Latest    func() State
}

// Committed starts a snapshot of the latest state when one is due at the height of the block. It does not wait for it.
func (t *Taker) Committed(block *ledger.Committed) {
	if t.Interval == 0 || block.Height%t.Interval != 0 {
		return
	}
	d := t.Directory
	d.mu.Lock()
	due := d.throttle.due(block.Height, t.Interval, time.Now())
	d.mu.Unlock()
	if !due {
		d.report(block.Height, ErrTooSoon)
		return
	}
	d.TakeAsync(t.Latest())
}

// throttle limits how often snapshots that take long are taken.
type throttle struct {
	lastOffer    time.Time     // when due was last called
	lastDuration time.Duration // of the last snapshot, without pauses
}

// due reports whether to take a snapshot at a height, which is a multiple of interval. When blocks are too fast for the
// duration of a snapshot, the interval is doubled until it is long enough: doubling lets nodes of different speed have
// heights in common.
func (t *throttle) due(height, interval uint64, now time.Time) bool {
	passed := now.Sub(t.lastOffer)
	t.lastOffer = now
	if t.lastDuration >= minThrottledDuration {
		for passed = max(passed, 1); passed < minIntervalFactor*t.lastDuration; passed *= 2 {
			interval *= 2
		}
	}
	return height%interval == 0
}

// TakeAsync takes a snapshot in the background and closes the state afterwards. It does nothing but close the state while
// another snapshot is being taken.
func (d *Directory) TakeAsync(state State) {
	if err := d.acquire(state.Height()); err != nil {
		d.report(state.Height(), errors.Join(err, state.Close()))
		return
	}
	go func() { // Close waits for it
		err := d.take(state)
		d.report(state.Height(), errors.Join(err, state.Close()))
		d.release()
	}()
}

// report logs the result of a snapshot.
func (d *Directory) report(height uint64, err error) {
	switch {
	case err == nil:
		d.log.Info("took a snapshot", "height", height)
	case errors.Is(err, ErrBusy), errors.Is(err, ErrExists), errors.Is(err, ErrTooSoon), errors.Is(err, ErrClosed):
		d.log.Debug("skipped a snapshot", "height", height, "reason", err)
	default:
		d.log.Error("taking a snapshot failed", "height", height, "error", err)
	}
}

// Take takes a snapshot and publishes it when it is complete and durable. It does not close the state.
func (d *Directory) Take(state State) error {
	if err := d.acquire(state.Height()); err != nil {
		return err
	}
	defer d.release()
	return d.take(state)
}

// acquire reserves the directory for one snapshot, until release.
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

// take writes a snapshot under a temporary name and renames it. d must be acquired.
func (d *Directory) take(state State) error {
	temporary := filepath.Join(d.path, unfinished+strconv.FormatUint(state.Height(), 10))
	snapshot, err := d.write(temporary, state)
	if err == nil {
		err = os.Rename(temporary, d.dir(snapshot.Height))
	}
	if err == nil {
		err = syncDir(d.path)
	}
	if err == nil {
		err = d.add(snapshot)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("snapshot of height %d: %w", state.Height(), err), os.RemoveAll(temporary))
	}
	return nil
}

// write writes the files of a snapshot to a new directory.
func (d *Directory) write(dir string, state State) (Snapshot, error) {
	if err := os.Mkdir(dir, dirPermission); err != nil {
		return Snapshot{}, err
	}
	encoder, err := newEncoder()
	if err != nil {
		return Snapshot{}, err
	}
	w := &writer{
		dir: dir, encoder: encoder, busy: state.Busy, closing: d.closing, resumed: time.Now(),
		snapshot: Snapshot{Manifest: &Manifest{Height: state.Height(), Root: state.Root()}},
	}
	c := &chunker{write: w.chunk}
	if err := d.scan(state, c); err != nil {
		return Snapshot{}, err
	}
	if err := c.finish(); err != nil {
		return Snapshot{}, err
	}
	w.snapshot.Rows = c.rows
	if err := writeSynced(filepath.Join(dir, manifestFile), w.snapshot.Encode()); err != nil {
		return Snapshot{}, err
	}
	if w.snapshot.TakenAt, err = takenAt(dir); err != nil {
		return Snapshot{}, err
	}
	d.mu.Lock()
	d.throttle.lastDuration = w.worked + time.Since(w.resumed)
	d.mu.Unlock()
	return w.snapshot, syncDir(dir)
}

// scan passes the rows of the state tree to a chunker in order, until an error or Close. Each chunk is a scan of its own, which
// has ended when the chunk is written: the pauses after it must not keep an iterator open.
func (d *Directory) scan(state State, c *chunker) error {
	for p := schema.PrefixTombstone; p <= schema.LastPrefix; p++ {
		if !p.Merkleized() {
			continue
		}
		next, end := []byte{byte(p)}, []byte{byte(p) + 1}
		for complete := true; complete; {
			complete = false
			err := state.Scan(next, end, func(key, value []byte) bool {
				if c.rows%yieldRows == 0 {
					runtime.Gosched()
				}
				if complete = c.add(key, value); complete {
					next = append(append(next[:0], key...), 0)
				}
				return !complete && d.closing.Err() == nil
			})
			switch {
			case err != nil:
				return err
			case d.closing.Err() != nil:
				return ErrClosed
			case complete:
				if err := c.flush(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// writer writes the chunks of a snapshot.
type writer struct {
	dir        string
	encoder    *zstd.Encoder
	compressed []byte
	snapshot   Snapshot
	busy       func() bool
	closing    context.Context //nolint:containedctx // ended when the directory is closed
	resumed    time.Time       // end of the last pause
	worked     time.Duration   // before resumed, without pauses
}

// chunk compresses and writes the rows of one chunk, after a pause.
func (w *writer) chunk(rows []byte) error {
	if len(w.snapshot.Chunks) > 0 {
		work := time.Since(w.resumed)
		w.worked += work
		pause := pauseFactor * work
		if w.busy() {
			pause = busyPauseFactor * work
		}
		_ = backoff.Sleep(w.closing, pause) // scan stops when the directory is closed
		w.resumed = time.Now()
	}
	w.compressed = w.encoder.EncodeAll(rows, w.compressed[:0])
	name := chunkFile(len(w.snapshot.Chunks))
	w.snapshot.Chunks = append(w.snapshot.Chunks, blake3.Sum256(w.compressed))
	w.snapshot.Size += uint64(len(w.compressed))
	return writeSynced(filepath.Join(w.dir, name), w.compressed)
}

// writeSynced creates a file and makes its content durable.
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

// syncDir makes the entries of a directory durable.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
