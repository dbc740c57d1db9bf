package faults_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

const (
	// roomLeft is how much a node can write before its disk is full: less than any plan has it write.
	roomLeft = 64 << 10
	// roomBeside is how large a small disk is beyond what it holds at first. It is filled up to roomLeft.
	roomBeside = 64 << 20

	dataName   = "data"
	asideName  = "data.aside"
	fillerName = "filler"
)

// canMount says why no small disk can be had, nil when it can.
func canMount(tb testing.TB) error {
	tb.Helper()
	dir := tb.TempDir()
	if err := mountSmall(dir, roomBeside); err != nil {
		return err
	}
	return unmount(dir)
}

// fillDisk starts a node anew with its data on a small disk, and fills that. The node ends by itself; with room again
// it goes on from what it has written.
func (n *network) fillDisk(i int) ongoing {
	n.t.Helper()
	n.kill(i)
	home := n.nodes[i].role.Home
	data, aside := filepath.Join(home, dataName), filepath.Join(home, asideName)
	n.must(os.Rename(data, aside))
	n.must(os.Mkdir(data, 0o700))
	size, err := sizeOf(aside)
	n.must(err)
	n.must(mountSmall(data, size+roomBeside))
	n.t.Cleanup(func() { _ = unmount(data) }) // it may have been done already
	n.must(os.CopyFS(data, os.DirFS(aside)))
	n.must(os.RemoveAll(aside))
	n.start(i)
	n.must(fill(filepath.Join(data, fillerName), data))
	return ongoing{
		took: func() bool { return n.hasEnded(i) },
		undo: func() {
			n.nodes[i].process.Kill()
			n.must(os.Remove(filepath.Join(data, fillerName)))
			n.must(os.CopyFS(aside, os.DirFS(data)))
			n.must(unmount(data))
			n.must(os.Remove(data))
			n.must(os.Rename(aside, data))
			n.start(i)
		},
	}
}

func (n *network) must(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

// hasEnded says whether a node has ended by itself.
func (n *network) hasEnded(i int) bool {
	select {
	case <-n.nodes[i].process.Done():
		return true
	default:
		return false
	}
}

// sizeOf is how much the files below a directory hold.
func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		return nil
	})
	return size, err
}

// fill writes a file so large that little room is left on the disk of a directory.
func fill(path, dir string) (err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = io.CopyN(file, zeroes{}, int64(disk.Bavail)*disk.Bsize-roomLeft)
	return err
}

type zeroes struct{}

func (zeroes) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
