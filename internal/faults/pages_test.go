package faults_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"makechain/internal/node/nodetest"
)

const (
	// pagesPath is the directory of pages and checkpoints in a home, and checkpointName the file there that has no pages.
	pagesPath      = "data/state/pages"
	checkpointName = "checkpoint"
	// flipEvery is the distance of flipped bits in bytes: at least one in every page of more than some rows.
	flipEvery = 251
)

// pageFiles returns the paths of the files of pages of a node, and of its checkpoint. There are none before the first checkpoint.
func (n *network) pageFiles(i int) (files []string, checkpoint string) {
	n.t.Helper()
	dir := filepath.Join(n.nodes[i].role.Home, pagesPath)
	entries, err := os.ReadDir(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		n.must(err)
	}
	for _, entry := range entries {
		switch path := filepath.Join(dir, entry.Name()); {
		case entry.Name() == checkpointName:
			checkpoint = path
		case filepath.Ext(path) == "":
			files = append(files, path)
		}
	}
	if checkpoint == "" {
		return nil, ""
	}
	return files, checkpoint
}

// awaitPages waits until a node has written a checkpoint and pages.
func (n *network) awaitPages(i int) {
	n.t.Helper()
	nodetest.Await(n.t, n.nodes[i].name+" to write pages of its state tree", func() bool {
		files, _ := n.pageFiles(i)
		return len(files) > 0
	})
}

// tearPages overwrites bytes in the middle of each file of pages with zeros, as if the disk had not written them.
func (n *network) tearPages(i int, bytes int64) {
	n.t.Helper()
	files, _ := n.pageFiles(i)
	for _, path := range files {
		n.change(path, func(content []byte) {
			middle := content[len(content)/2:]
			clear(middle[:min(int64(len(middle)), bytes)])
		})
	}
}

// losePages removes the oldest file of pages.
func (n *network) losePages(i int) {
	n.t.Helper()
	files, _ := n.pageFiles(i)
	n.must(os.Remove(files[0]))
}

// flipBits flips bits in all files of pages and in the checkpoint while a node runs, and restarts it at the end.
func (n *network) flipBits(i int) ongoing {
	n.t.Helper()
	n.awaitPages(i)
	files, checkpoint := n.pageFiles(i)
	for _, path := range append(files, checkpoint) {
		n.change(path, func(content []byte) {
			for at := 0; at < len(content); at += flipEvery {
				content[at] ^= 1 << (at % 8)
			}
		})
	}
	return ongoing{undo: func() {
		n.kill(i)
		n.start(i)
	}}
}

// change changes the content of a file in place. A running node may have removed the file.
func (n *network) change(path string, with func(content []byte)) {
	n.t.Helper()
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	n.must(err)
	with(content)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	n.must(err)
	_, err = file.WriteAt(content, 0)
	n.must(errors.Join(err, file.Close()))
}
