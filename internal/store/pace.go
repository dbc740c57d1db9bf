package store

import (
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// paceQuantum is the time for which a compaction works before it pauses.
	paceQuantum = 5 * time.Millisecond
	// paceMaximum is the longest pause. A compaction that has to wait for a core works for longer than paceQuantum.
	paceMaximum = 50 * time.Millisecond
	// paceInterval is the time between two calls of pacer.update that look at level 0.
	paceInterval = time.Second
	// l0Urgent is the number of overlapping files in level 0 from which on compactions do not pause, and a second one may run at the
	// same time.
	l0Urgent = 20
)

// The categories of Pebble's files that compactions write.
const (
	compactedTables vfs.DiskWriteCategory = "pebble-compaction"
	rewrittenBlobs  vfs.DiskWriteCategory = "pebble-blob-file-rewrite"
)

// pacer makes compactions pause for as long as they work. A compaction of level 0 rewrites hundreds of megabytes. At full speed it
// left so little of two cores to blocks that they took a second each, for ten seconds and more.
type pacer struct {
	active atomic.Bool // false until the first block, while level 0 is behind, and when the store is being closed

	updated time.Time // guarded by Store.committing
}

// update looks at the number of files in level 0, after a block. Store.committing must be held.
func (p *pacer) update(db *pebble.DB) {
	if time.Since(p.updated) < paceInterval {
		return
	}
	p.active.Store(db.Metrics().Levels[0].Sublevels < l0Urgent)
	p.updated = time.Now()
}

// pacedFS is a file system whose pacer slows down the writers of compacted files.
type pacedFS struct {
	vfs.FS

	pacer *pacer
}

// Create implements vfs.FS.
func (fs pacedFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := fs.FS.Create(name, category)
	if err != nil || category != compactedTables && category != rewrittenBlobs {
		return file, err
	}
	return &pacedFile{File: file, pacer: fs.pacer, since: time.Now()}, nil
}

// pacedFile is a file that a compaction writes.
type pacedFile struct {
	vfs.File

	pacer *pacer
	since time.Time // creation of the file, or end of the last pause
}

// Write implements vfs.File. It returns after a pause if the compaction has worked for long enough.
func (f *pacedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if worked := time.Since(f.since); worked >= paceQuantum {
		if f.pacer.active.Load() {
			time.Sleep(min(worked, paceMaximum))
		}
		f.since = time.Now()
	}
	return n, err
}
