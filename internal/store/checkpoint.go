package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"makechain/internal/merkle"
)

const (
	// pagesDir is the directory of pages and checkpoints in that of the store. The database ignores it.
	pagesDir = "pages"
	// checkpointFile is the last checkpoint, and checkpointTemp one that is being written.
	checkpointFile = "checkpoint"
	checkpointTemp = "checkpoint.tmp"
	// checkpointMagic is at the start of a checkpoint. The last byte is the version of the format.
	checkpointMagic = "mkctree\x01"
)

// errNoCheckpoint is returned by open when there is no checkpoint.
var errNoCheckpoint = errors.New("no checkpoint")

// errCheckpoint is the reason for which a checkpoint is not used.
var errCheckpoint = errors.New("invalid checkpoint")

// checkpoints writes checkpoints of the state tree: the part of one version that is in memory, from which Open restores
// the tree without reading all rows. Its methods are called with Store.committing held, or while no other goroutine uses the
// store.
type checkpoints struct {
	fs       vfs.FS
	dir      string
	segments *segments
	log      *slog.Logger
	minRows  int // smallest state of which checkpoints are written
	interval int // changed keys from one checkpoint to the next, if the state has more rows

	tried   bool           // one was started or loaded
	changed int            // keys since the last one was started
	running *checkpointRun // nil if none is being written
	durable uint64         // height of the last one, 0 if there is none

	logging  bool // blocks write their changed keys, because a checkpoint exists or is being written
	obsolete bool // the key log has rows of durable or before
}

// checkpointRun is a checkpoint that is being written.
type checkpointRun struct {
	height uint64
	done   chan struct{} // closed at the end; err is set before
	err    error
}

// due reports whether a checkpoint should be started, after a block that changed keys.
func (c *checkpoints) due(rows, keys int) bool {
	c.collect()
	c.changed += keys
	return c.running == nil && rows >= c.minRows && (!c.tried || c.changed >= min(c.interval, rows))
}

// start writes a checkpoint of a version in a goroutine of its own.
func (c *checkpoints) start(h head, version *merkle.Version) {
	c.tried, c.changed = true, 0
	if err := c.segments.seal(); err != nil {
		c.warn("cannot write a checkpoint of the state tree", err)
		return
	}
	c.logging = true
	run := &checkpointRun{height: h.height, done: make(chan struct{})}
	c.running = run
	version.Retain()
	go func() {
		defer close(run.done)
		defer version.Release()
		run.err = c.write(h, version)
	}()
}

// collect notes the result of a checkpoint that has ended.
func (c *checkpoints) collect() {
	if c.running == nil {
		return
	}
	select {
	case <-c.running.done:
	default:
		return
	}
	if c.running.err != nil {
		c.warn("cannot write a checkpoint of the state tree", c.running.err)
	} else {
		c.durable, c.obsolete = c.running.height, true
	}
	c.running = nil
}

// wait waits for a checkpoint that is being written.
func (c *checkpoints) wait() {
	if c.running != nil {
		<-c.running.done
		c.collect()
	}
}

func (c *checkpoints) warn(message string, err error) {
	if c.log != nil {
		c.log.Warn(message, "reason", err)
	}
}

// write makes a checkpoint and its pages durable. The pages of the version must be in complete segments.
func (c *checkpoints) write(h head, version *merkle.Version) error {
	if err := makeDir(c.fs, c.dir); err != nil {
		return err
	}
	if err := c.segments.sync(); err != nil {
		return err
	}
	records := c.segments.records(version)
	temporary := c.fs.PathJoin(c.dir, checkpointTemp)
	file, err := c.fs.Create(temporary, treeCheckpoint)
	if err != nil {
		return fmt.Errorf("create a checkpoint: %w", err)
	}
	file = vfs.NewSyncingFile(file, vfs.SyncingFileOptions{NoSyncOnClose: true, BytesPerSync: segmentSync})
	frames := newFrameWriter(file)
	header := checkpointHeader{head: h, rows: version.Len(), segments: records}
	_, err = frames.Write(header.encode())
	if err == nil {
		err = version.Encode(frames)
	}
	if err == nil {
		err = frames.Close()
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write a checkpoint: %w", err)
	}
	if err := c.fs.Rename(temporary, c.fs.PathJoin(c.dir, checkpointFile)); err != nil {
		return fmt.Errorf("rename a checkpoint: %w", err)
	}
	if err := syncDir(c.fs, c.dir); err != nil {
		return err
	}
	c.segments.pin(records)
	return nil
}

// checkpointHeader is the start of a checkpoint, followed by the encoded version.
type checkpointHeader struct {
	head

	rows     int
	segments []segmentRecord
}

const (
	checkpointFixed  = len(checkpointMagic) + 8 + merkle.HashSize + 8 + 8
	checkpointRecord = 3 * 8
)

func (h checkpointHeader) encode() []byte {
	b := []byte(checkpointMagic)
	b = binary.BigEndian.AppendUint64(b, h.height)
	b = append(b, h.root[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(h.rows))
	b = binary.BigEndian.AppendUint64(b, uint64(len(h.segments)))
	for _, s := range h.segments {
		b = binary.BigEndian.AppendUint64(b, uint64(s.number))
		b = binary.BigEndian.AppendUint64(b, uint64(s.size))
		b = binary.BigEndian.AppendUint64(b, uint64(s.pages))
	}
	return b
}

func readCheckpointHeader(r io.Reader) (checkpointHeader, error) {
	var fixed [checkpointFixed]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return checkpointHeader{}, fmt.Errorf("read the header: %w", err)
	}
	magic, b := fixed[:len(checkpointMagic)], fixed[len(checkpointMagic):]
	if string(magic) != checkpointMagic {
		return checkpointHeader{}, fmt.Errorf("%w: unknown format %x", errCheckpoint, magic)
	}
	h := checkpointHeader{head: head{height: binary.BigEndian.Uint64(b), root: merkle.Hash(b[8:])}}
	b = b[8+merkle.HashSize:]
	h.rows = int(binary.BigEndian.Uint64(b))
	count := binary.BigEndian.Uint64(b[8:])
	if count > maxSegments {
		return checkpointHeader{}, fmt.Errorf("%w: %d segments", errCheckpoint, count)
	}
	for range count {
		var b [checkpointRecord]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return checkpointHeader{}, fmt.Errorf("read the segments: %w", err)
		}
		h.segments = append(h.segments, segmentRecord{
			number: int64(binary.BigEndian.Uint64(b[:])), size: int64(binary.BigEndian.Uint64(b[8:])), pages: int64(binary.BigEndian.Uint64(b[16:])),
		})
	}
	return h, nil
}

// read returns the version of the last checkpoint, whose state must not be after latest. The caller must release it. It
// returns errNoCheckpoint if there is none.
func (c *checkpoints) read(tree *merkle.Tree, latest head) (head, *merkle.Version, error) {
	file, err := c.fs.Open(c.fs.PathJoin(c.dir, checkpointFile), vfs.SequentialReadsOption)
	if errors.Is(err, os.ErrNotExist) {
		return head{}, nil, errNoCheckpoint
	}
	if err != nil {
		return head{}, nil, fmt.Errorf("open the checkpoint: %w", err)
	}
	h, version, err := c.decode(tree, latest, newFrameReader(file))
	if err := errors.Join(err, file.Close()); err != nil {
		if version != nil {
			version.Release()
		}
		return head{}, nil, err
	}
	return h, version, nil
}

func (c *checkpoints) decode(tree *merkle.Tree, latest head, r io.Reader) (head, *merkle.Version, error) {
	header, err := readCheckpointHeader(r)
	if err != nil {
		return head{}, nil, err
	}
	if header.height > latest.height || header.height == latest.height && header.root != latest.root {
		return head{}, nil, fmt.Errorf("%w: it has height %d and root %x, the state has height %d and root %x",
			errCheckpoint, header.height, header.root, latest.height, latest.root)
	}
	if err := c.segments.load(header.segments); err != nil {
		return head{}, nil, err
	}
	version, err := tree.Decode(r)
	if err != nil {
		return head{}, nil, err
	}
	if version.Root() != header.root || version.Len() != header.rows {
		return head{}, version, fmt.Errorf("%w: %d rows with root %x, want %d rows with root %x",
			errCheckpoint, version.Len(), version.Root(), header.rows, header.root)
	}
	if _, err := io.Copy(io.Discard, r); err != nil { // the last frame
		return head{}, version, err
	}
	return header.head, version, c.segments.use(version)
}

// remove deletes the checkpoint and all pages. No version may be in use.
func (c *checkpoints) remove() error {
	for _, name := range []string{checkpointFile, checkpointTemp} {
		if err := c.fs.Remove(c.fs.PathJoin(c.dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("delete the checkpoint: %w", err)
		}
	}
	if _, err := c.fs.Stat(c.dir); err == nil {
		if err := syncDir(c.fs, c.dir); err != nil {
			return err
		}
	}
	return errors.Join(c.segments.close(), c.segments.removeUnused())
}
