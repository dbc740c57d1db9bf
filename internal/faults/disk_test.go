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
	// spaceLeft is how much a node can write before its disk is full: less than it writes during any plan.
	spaceLeft = 64 << 10
	// spareSpace is the size of a small disk beyond its initial content. It is filled up to spaceLeft.
	spareSpace = 64 << 20

	dataName   = "data"
	asideName  = "data.aside"
	fillerName = "filler"
)

// canMount returns an error if small disks cannot be mounted.
func canMount(tb testing.TB) error {
	tb.Helper()
	dir := tb.TempDir()
	if err := mountSmall(dir, spareSpace); err != nil {
		return err
	}
	return unmount(dir)
}

// fillDisk restarts a node with its data on a small disk, and fills that. The node exits; with free space it continues from its
// data.
func (n *network) fillDisk(i int) ongoing {
	n.t.Helper()
	n.kill(i)
	home := n.nodes[i].role.Home
	data, aside := filepath.Join(home, dataName), filepath.Join(home, asideName)
	n.must(os.Rename(data, aside))
	n.must(os.Mkdir(data, 0o700))
	size, err := sizeOf(aside)
	n.must(err)
	n.must(mountSmall(data, size+spareSpace))
	n.t.Cleanup(func() { _ = unmount(data) }) // may be done already
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

// hasEnded reports whether the process of a node has exited.
func (n *network) hasEnded(i int) bool {
	select {
	case <-n.nodes[i].process.Done():
		return true
	default:
		return false
	}
}

// sizeOf returns the total size of the files in a directory.
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

// fill writes a file that leaves little free space on the disk of a directory.
func fill(path, dir string) (err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return fmt.Errorf("read the free space of %s: %w", dir, err)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = io.CopyN(file, zeroes{}, int64(disk.Bavail)*disk.Bsize-spaceLeft)
	if errors.Is(err, syscall.ENOSPC) {
		return nil // the node has written meanwhile
	}
	return err
}

type zeroes struct{}

func (zeroes) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
