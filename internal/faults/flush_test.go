package faults_test

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

const (
	// flushDelayVariable is the delay of an fsync in milliseconds, and journalVariable the name of a file in which the
	// program records fsyncs.
	flushDelayVariable = "MAKECHAIN_FAULTS_FLUSH_DELAY"
	journalVariable    = "MAKECHAIN_FAULTS_JOURNAL"

	databaseModule = "github.com/cockroachdb/pebble/v2"

	// flushSource implements both. A record is the inode of the file and its end when the fsync started; files of databases
	// and logs are append-only. The end is the file offset, because some files are larger than what was written to them, or the
	// size of a file that is written without an offset.
	flushSource = `package syscall

import "internal/byteorder"

var flushDelay, flushJournal = func() (delay int64, journal int) {
	value, _ := Getenv("` + flushDelayVariable + `")
	for _, c := range value {
		delay = 10*delay + int64(c-'0')
	}
	path, named := Getenv("` + journalVariable + `")
	if !named {
		return delay * 1e6, -1
	}
	journal, err := Open(path, O_WRONLY|O_CREAT|O_APPEND|O_CLOEXEC, 0o600)
	if err != nil {
		panic(err)
	}
	return delay * 1e6, journal
}()

func FlushWith(fd int, flush func(fd int) error) error {
	var stat Stat_t
	if err := Fstat(fd, &stat); err != nil {
		return err
	}
	end, _ := Seek(fd, 0, 1)
	if end == 0 {
		end = stat.Size
	}
	for left := NsecToTimespec(flushDelay); flushDelay > 0 && Nanosleep(&left, &left) == EINTR; {
	}
	if err := flush(fd); err != nil || flushJournal < 0 {
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

// flushChanges make the standard library call flushSource.
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

// databaseChange makes Pebble call it too, where it does not use the standard library.
func databaseChange(dir string) change {
	return change{
		path: filepath.Join(dir, "vfs", "default_linux.go"),
		from: "unix.Fdatasync(int(f.fd))", to: "syscall.FlushWith(int(f.fd), unix.Fdatasync)",
	}
}

// slowDisk restarts a node with slow fsyncs.
func (n *network) slowDisk(i int, delay time.Duration) ongoing {
	n.t.Helper()
	n.kill(i)
	n.startRebuilt(i, flushDelayVariable+"="+strconv.FormatInt(delay.Milliseconds(), 10))
	return ongoing{undo: func() {
		n.kill(i)
		n.start(i)
	}}
}
