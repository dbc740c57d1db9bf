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
	// noteSize is that of a note in a journal.
	noteSize = 16
	// sector is the least that a disk writes at a time.
	sector = 512
)

// parts are the databases and logs of a node, in its data directory, which a disk can lose one by one.
func parts() []string { return []string{"state", "blockstore.db", "state.db", "evidence.db", "cs.wal"} }

// flushes is how far the files of a node have reached its disk: as far as they were written before it started, and as
// far as it flushed them since.
type flushes struct {
	journal string
	data    string
	before  map[uint64]int64 // size of each file by its number on the disk
}

// note is that a file was flushed up to a place.
type note struct {
	file uint64
	end  int64
}

// startNoting starts a node that was killed, and has it note what it flushes.
func (n *network) startNoting(i int) *flushes {
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

// walk visits the files of a part, or of all. What a validator has signed is not among them: it is written through to
// the disk without being flushed.
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

// lose takes from the files of a part, or of all, what was not flushed, and the newest flushes besides. Of what is lost
// some bytes can survive, in each file, and then the last of them are torn.
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

// tearOff leaves of a file what was flushed, and some bytes more, of which the last are zero.
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

// cutPower ends a node together with what it has not flushed.
func (n *network) cutPower(i int, survive int64) ongoing {
	n.t.Helper()
	n.kill(i)
	written := n.startNoting(i)
	return ongoing{undo: func() {
		n.kill(i)
		n.must(written.lose("", 0, survive))
		n.start(i)
	}}
}

// loseFlushed ends a node whose disk has lost, of one of its parts, what it had said to have. The node goes on from what
// is left, or says why it cannot; then it fetches everything anew, but remembers what it has signed.
func (n *network) loseFlushed(i int, part string, newest int) ongoing {
	n.t.Helper()
	n.kill(i)
	written := n.startNoting(i)
	return ongoing{undo: func() {
		n.kill(i)
		n.must(written.lose(part, newest, 0))
		if n.tryStart(i) {
			n.t.Logf("%s goes on without the newest %d flushes of %s", n.nodes[i].name, newest, part)
			return
		}
		reason := n.nodes[i].process.Stderr()
		n.t.Logf("%s refuses to go on without the newest %d flushes of %s: %s", n.nodes[i].name, newest, part, lastLine(reason))
		if strings.Contains(reason, "goroutine ") || reason == "" {
			n.t.Errorf("%s does not say what is wrong: %s", n.nodes[i].name, reason)
		}
		n.forgetAll(i)
		n.start(i)
	}}
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndex(text, "\n")+1:]
}

// forgetAll empties the data of a node, but for what it has signed.
func (n *network) forgetAll(i int) {
	n.t.Helper()
	home := n.nodes[i].role.Home
	signed := n.file(home, validatorState)
	data := filepath.Join(home, dataName)
	n.must(os.RemoveAll(data))
	n.must(os.Mkdir(data, 0o700))
	n.overwrite(home, validatorState, signed)
}
