package faults_test

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

const (
	// napVariable is how many milliseconds longer a program takes to flush a file, and journalVariable names a file in
	// which it notes how far each was flushed.
	napVariable     = "MAKECHAIN_FAULTS_NAP"
	journalVariable = "MAKECHAIN_FAULTS_JOURNAL"

	databaseModule = "github.com/cockroachdb/pebble/v2"

	// flushSource does so. A note is the file's number on its disk and the place up to which it was written when the
	// flushing began; files of databases and logs are only ever appended to.
	flushSource = `package syscall

import "internal/byteorder"

var flushNap, flushJournal = func() (nap int64, journal int) {
	value, _ := Getenv("` + napVariable + `")
	for _, c := range value {
		nap = 10*nap + int64(c-'0')
	}
	path, named := Getenv("` + journalVariable + `")
	if !named {
		return nap * 1e6, -1
	}
	journal, err := Open(path, O_WRONLY|O_CREAT|O_APPEND|O_CLOEXEC, 0o600)
	if err != nil {
		panic(err)
	}
	return nap * 1e6, journal
}()

func FlushWith(fd int, flush func(fd int) error) error {
	end, _ := Seek(fd, 0, 1)
	for left := NsecToTimespec(flushNap); flushNap > 0 && Nanosleep(&left, &left) == EINTR; {
	}
	if err := flush(fd); err != nil || flushJournal < 0 {
		return err
	}
	var stat Stat_t
	if err := Fstat(fd, &stat); err != nil {
		return err
	}
	var note [16]byte
	byteorder.LEPutUint64(note[:8], stat.Ino)
	byteorder.LEPutUint64(note[8:], uint64(end))
	_, err := Write(flushJournal, note[:])
	return err
}
`
)

// flushChanges have the standard library flush files by way of flushSource.
func flushChanges(t *testing.T) []change {
	t.Helper()
	return []change{
		{path: filepath.Join(library(t, "syscall"), "flush.go"), to: flushSource},
		{
			path: filepath.Join(library(t, "internal/poll"), "fd_fsync_posix.go"),
			from: "syscall.Fsync(fd.Sysfd)", to: "syscall.FlushWith(fd.Sysfd, syscall.Fsync)",
		},
	}
}

// databaseChange has the database do so too, where it does not flush by way of the standard library.
func databaseChange(dir string) change {
	return change{
		path: filepath.Join(dir, "vfs", "default_linux.go"),
		from: "unix.Fdatasync(int(f.fd))", to: "syscall.FlushWith(int(f.fd), unix.Fdatasync)",
	}
}

// slowDisk starts a node anew that takes long to flush what it writes.
func (n *network) slowDisk(i int, nap time.Duration) ongoing {
	n.t.Helper()
	n.kill(i)
	n.startRebuilt(i, napVariable+"="+strconv.FormatInt(nap.Milliseconds(), 10))
	return ongoing{undo: func() {
		n.kill(i)
		n.start(i)
	}}
}
