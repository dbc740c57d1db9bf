package store

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestPace checks that compactions pause for as long as they work, checkpoints for longer, and nothing else.
func TestPace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		category vfs.DiskWriteCategory
		full     bool // the pacer is not active
		unpaced  bool // files of the category never pause
		work     time.Duration
		want     time.Duration // of one pause
	}{
		"a compaction":             {category: compactedTables, work: paceQuantum, want: paceQuantum},
		"values of blob files":     {category: rewrittenBlobs, work: 2 * paceQuantum, want: 2 * paceQuantum},
		"a checkpoint":             {category: treeCheckpoint, work: paceQuantum, want: checkpointPause * paceQuantum},
		"after little work":        {category: compactedTables, work: paceQuantum - 1},
		"after waiting for a core": {category: compactedTables, work: time.Second, want: paceMaximum},
		"level 0 is behind":        {category: compactedTables, full: true, work: paceQuantum},
		"a flush":                  {category: "pebble-memtable-flush", unpaced: true, work: paceQuantum},
		"the log of the database":  {category: "pebble-wal", unpaced: true, work: paceQuantum},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				pacer := &pacer{}
				pacer.active.Store(!test.full)
				file, err := pacedFS{vfs.NewMem(), pacer}.Create("file", test.category)
				if err != nil {
					t.Fatal(err)
				}
				<-time.After(test.work)
				for _, want := range []time.Duration{test.want, 0} { // no work precedes the second write
					start := time.Now()
					if n, err := file.Write([]byte("row")); n != 3 || err != nil {
						t.Fatalf("%d bytes written: %v", n, err)
					}
					if paused := time.Since(start); paused != want {
						t.Errorf("a pause of %v after %v of work, want %v", paused, test.work, want)
					}
				}
				rows := &Rows{pacer: pacer}
				if rows.Busy() == test.unpaced {
					t.Errorf("busy while the file is open: %t", rows.Busy())
				}
				if err := file.Close(); err != nil {
					t.Error(err)
				}
				if rows.Busy() {
					t.Error("busy after the file was closed")
				}
			})
		})
	}
}

// TestPaceOfSeveralFiles checks that a compaction which writes a table and a blob file in turn pauses for as long as it works, and
// that both of its writers pause when one of them does.
func TestPaceOfSeveralFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pacer := &pacer{}
		pacer.active.Store(true)
		var files [2]vfs.File
		for i := range files {
			var err error
			if files[i], err = (pacedFS{vfs.NewMem(), pacer}).Create("file", compactedTables); err != nil {
				t.Fatal(err)
			}
		}
		write := func(file vfs.File) {
			if _, err := file.Write([]byte("row")); err != nil {
				t.Error(err)
			}
		}
		const rounds = 20
		start := time.Now()
		for range rounds {
			<-time.After(paceQuantum)
			write(files[0])
			write(files[1])
		}
		if took := time.Since(start); took != 2*rounds*paceQuantum {
			t.Errorf("%v of work take %v, want twice that", rounds*paceQuantum, took)
		}

		<-time.After(paceQuantum)
		start = time.Now()
		go write(files[0])
		synctest.Wait() // for its pause to begin
		write(files[1])
		if paused := time.Since(start); paused != paceQuantum {
			t.Errorf("a second writer pauses for %v, want %v", paused, paceQuantum)
		}
	})
}

// TestPacer checks that compactions of a store pause after its first block, and not while the store is being closed.
func TestPacer(t *testing.T) {
	t.Parallel()
	chain := newTestChain(4)
	s := open(t, vfs.NewMem())
	if s.pacer.active.Load() {
		t.Error("active before the first block")
	}
	commit(t, s, chain.height()+1, chain.block(10))
	if !s.pacer.active.Load() {
		t.Error("not active after the first block")
	}
	closeStore(t, s)
	if s.pacer.active.Load() {
		t.Error("active after the store was closed")
	}
}

// TestUrgentCompaction checks that compactions do not pause while level 0 has many overlapping files.
func TestUrgentCompaction(t *testing.T) {
	t.Parallel()
	options := Options{fs: vfs.NewMem()}.PebbleOptions()
	options.DisableAutomaticCompactions = true
	db, err := pebble.Open("state", options)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, db)
	for files := range l0Urgent + 2 {
		var p pacer
		if p.update(db); p.active.Load() != (files < l0Urgent) {
			t.Errorf("active: %t with %d files in level 0", p.active.Load(), files)
		}
		if err := errors.Join(db.Set([]byte("key"), []byte("value"), pebble.Sync), db.Flush()); err != nil {
			t.Fatal(err)
		}
	}
}

// categoryFS notes the categories of the files that are created.
type categoryFS struct {
	vfs.FS

	seen *sync.Map // from category to true
}

func (fs categoryFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	fs.seen.Store(category, true)
	return fs.FS.Create(name, category)
}

// TestPacedFiles checks that the tables of a compaction and checkpoints are created with the categories for which writers pause.
func TestPacedFiles(t *testing.T) {
	t.Parallel()
	var seen sync.Map
	s := openTiny(t, categoryFS{vfs.NewMem(), &seen})
	defer closeStore(t, s)
	chain := newTestChain(5)
	for range 2 {
		commit(t, s, chain.height()+1, chain.block(100))
		if err := s.db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if _, compacted := seen.Load(compactedTables); compacted {
		t.Error("a flush has the category of compactions")
	}
	if err := s.db.Compact(t.Context(), []byte{0}, rowsEnd(), false); err != nil {
		t.Fatal(err)
	}
	s.waitForCheckpoint()
	for _, category := range []vfs.DiskWriteCategory{compactedTables, treeCheckpoint} {
		if _, created := seen.Load(category); !created {
			t.Errorf("no file has the category %s", category)
		}
	}
	if _, paced := s.checkpoints.fs.(pacedFS); !paced {
		t.Error("the writer of checkpoints does not pause")
	}
}
