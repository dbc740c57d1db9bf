package faults_test

import (
	"encoding/binary"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	journalName = ".journal"
	// noteSize is the size of a record in a journal.
	noteSize = 16
	// sector is the write unit of a disk.
	sector = 512
)

// parts returns the databases and logs in the data directory of a node.
func parts() []string { return []string{"state", "blockstore.db", "state.db", "evidence.db", "cs.wal"} }

// flushes is the durable size of the files of a node: their size before it started, and the fsyncs since.
type flushes struct {
	journal string
	data    string
	before  map[uint64]int64 // size of each file by inode
}

// note is a record of an fsync: the inode and the durable size.
type note struct {
	file uint64
	end  int64
}

// startJournaling starts a killed node with a journal of its fsyncs.
func (n *network) startJournaling(i int) *flushes {
	n.t.Helper()
	home := n.nodes[i].role.Home
	f := &flushes{journal: home + journalName, data: filepath.Join(home, dataName), before: map[uint64]int64{}}
	n.must(os.RemoveAll(f.journal))
	n.must(f.walk("", func(_ string, number uint64, size int64) error {
		f.before[number] = size
		return nil
	}))
	n.startRebuilt(i, journalVariable+"="+f.journal)
	return f
}

// walk visits the files of a part, or of all. The sign state of a validator is left out: it is written through to the disk
// without an fsync.
func (f *flushes) walk(part string, visit func(path string, number uint64, size int64) error) error {
	return filepath.WalkDir(filepath.Join(f.data, part), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || entry.Name() == filepath.Base(validatorState) {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return visit(path, info.Sys().(*syscall.Stat_t).Ino, info.Size())
	})
}

// lose removes data without fsync, and the newest fsyncs, from the files of a part, or of all. Some of the lost bytes of each
// file can survive, and then the last of them are torn.
func (f *flushes) lose(part string, newest int, survive int64) error {
	notes, err := f.notes()
	if err != nil {
		return err
	}
	inPart := map[uint64]bool{}
	if err := f.walk(part, func(_ string, number uint64, _ int64) error {
		inPart[number] = true
		return nil
	}); err != nil {
		return err
	}
	notes = slices.DeleteFunc(notes, func(n note) bool { return !inPart[n.file] })
	flushed := maps.Clone(f.before)
	for _, n := range notes[:max(len(notes)-newest, 0)] {
		flushed[n.file] = n.end
	}
	return f.walk(part, func(path string, number uint64, size int64) error {
		if lost := size - flushed[number]; lost > 0 {
			return tearOff(path, flushed[number], min(lost, survive))
		}
		return nil
	})
}

func (f *flushes) notes() ([]note, error) {
	written, err := os.ReadFile(f.journal)
	if err != nil {
		return nil, err
	}
	var notes []note
	for entry := range slices.Chunk(written, noteSize) {
		if len(entry) == noteSize {
			notes = append(notes, note{binary.LittleEndian.Uint64(entry), int64(binary.LittleEndian.Uint64(entry[noteSize/2:]))})
		}
	}
	return notes, nil
}

// tearOff truncates a file to its durable size plus some bytes, of which the last are zero.
func tearOff(path string, flushed, survive int64) error {
	if err := os.Truncate(path, flushed+survive); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	torn := min(survive, sector)
	if _, err := file.WriteAt(make([]byte, torn), flushed+survive-torn); err != nil {
		return err
	}
	return file.Close()
}

// cutPower kills a node and removes its data without fsync.
func (n *network) cutPower(i int, survive int64) ongoing {
	n.t.Helper()
	n.kill(i)
	written := n.startJournaling(i)
	return ongoing{undo: func() {
		n.kill(i)
		n.must(written.lose("", 0, survive))
		n.start(i)
	}}
}

// loseFlushes kills a node and removes fsynced data of one part. The node either continues with the remaining data or exits with a
// reason; then it fetches everything again, but keeps its sign state.
func (n *network) loseFlushes(i int, part string, newest int) ongoing {
	n.t.Helper()
	n.kill(i)
	written := n.startJournaling(i)
	return ongoing{undo: func() {
		n.kill(i)
		n.must(written.lose(part, newest, 0))
		if n.tryStart(i) {
			n.t.Logf("%s continues without the newest %d fsyncs of %s", n.nodes[i].name, newest, part)
			return
		}
		reason := n.nodes[i].process.Stderr()
		n.t.Logf("%s does not start without the newest %d fsyncs of %s: %s", n.nodes[i].name, newest, part, lastLine(reason))
		if strings.Contains(reason, "goroutine ") || reason == "" {
			n.t.Errorf("%s exited without a reason: %s", n.nodes[i].name, reason)
		}
		n.resetData(i)
		n.start(i)
	}}
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndex(text, "\n")+1:]
}

// resetData deletes the data of a node except its sign state.
func (n *network) resetData(i int) {
	n.t.Helper()
	home := n.nodes[i].role.Home
	signed := n.file(home, validatorState)
	data := filepath.Join(home, dataName)
	n.must(os.RemoveAll(data))
	n.must(os.Mkdir(data, 0o700))
	n.overwrite(home, validatorState, signed)
}
