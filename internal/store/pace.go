package store

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// paceQuantum is the time for which a writer works before it pauses.
	paceQuantum = 5 * time.Millisecond
	// checkpointPause is how long a checkpoint pauses, in multiples of the time for which it works. Nothing waits for one, and it
	// often runs during a compaction.
	checkpointPause = 3
	// paceMaximum is the longest pause. A writer that has to wait for a core works for longer than paceQuantum.
	paceMaximum = 50 * time.Millisecond
	// paceInterval is the time between two calls of pacer.update that look at level 0.
	paceInterval = time.Second
	// l0Urgent is the number of overlapping files in level 0 from which on nothing pauses, and a second compaction may run at the
	// same time.
	l0Urgent = 20
)

// The categories of files whose writers pause.
const (
	compactedTables vfs.DiskWriteCategory = "pebble-compaction"
	rewrittenBlobs  vfs.DiskWriteCategory = "pebble-blob-file-rewrite"
	treeCheckpoint  vfs.DiskWriteCategory = "tree-checkpoint"
)

// pacer makes compactions pause for as long as they work, and checkpoints for longer. A compaction of level 0 rewrites hundreds of
// megabytes. At full speed it left so little of two cores to blocks that they took a second each, for ten seconds and more.
type pacer struct {
	active  atomic.Bool  // false until the first block, while level 0 is behind, and when the store is being closed
	writing atomic.Int32 // open files whose writers pause

	compactions, checkpoints pace

	updated time.Time // guarded by Store.committing
}

// pace is when the writers of one kind of file pause. They all pause at the same time: a compaction writes tables and blob files in
// turn, and if each file had its own pauses, each would take those of the other for work and pause for as long again.
type pace struct {
	mu      sync.Mutex
	resumed time.Time // end of the last pause, which may be in the future; guarded by mu
}

// begin starts the work of a writer: the time before does not count.
func (p *pace) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.After(p.resumed) {
		p.resumed = now
	}
}

// pause returns how long a writer has to pause now, given the length of a pause in multiples of the work before it.
func (p *pace) pause(factor int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	worked := now.Sub(p.resumed)
	if worked >= paceQuantum {
		p.resumed = now.Add(min(time.Duration(factor)*worked, paceMaximum))
	}
	return max(p.resumed.Sub(now), 0)
}

// update looks at the number of files in level 0, after a block. Store.committing must be held.
func (p *pacer) update(db *pebble.DB) {
	if time.Since(p.updated) < paceInterval {
		return
	}
	p.active.Store(db.Metrics().Levels[0].Sublevels < l0Urgent)
	p.updated = time.Now()
}

// pacedFS is a file system whose pacer slows down the writers of files of some categories.
type pacedFS struct {
	vfs.FS

	pacer *pacer
}

// Create implements vfs.FS.
func (fs pacedFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := fs.FS.Create(name, category)
	if err != nil {
		return nil, err
	}
	paced := &pacedFile{File: file, pacer: fs.pacer}
	switch category {
	case compactedTables, rewrittenBlobs:
		paced.pace, paced.factor = &fs.pacer.compactions, 1
	case treeCheckpoint:
		paced.pace, paced.factor = &fs.pacer.checkpoints, checkpointPause
	default:
		return file, nil
	}
	fs.pacer.writing.Add(1)
	paced.pace.begin()
	return paced, nil
}

// pacedFile is a file whose writer pauses.
type pacedFile struct {
	vfs.File

	pacer  *pacer
	pace   *pace
	factor int // length of a pause, in multiples of the work before it
	closed bool
}

// Close implements vfs.File.
func (f *pacedFile) Close() error {
	if !f.closed {
		f.closed = true
		f.pacer.writing.Add(-1)
	}
	return f.File.Close()
}

// Write implements vfs.File. It returns after a pause if its caller has worked for long enough.
func (f *pacedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if f.pacer.active.Load() {
		time.Sleep(f.pace.pause(f.factor))
	}
	return n, err
}
