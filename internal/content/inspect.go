package content

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"makechain/internal/ident"
)

// Holding is what a directory of content has of a project.
type Holding struct {
	Project ident.Hash
	Bundles int
	Bytes   int64
	// Unnamed is the number of git bundles that the chain did not name yet.
	Unnamed int
	Removed bool // from the chain
}

// Inspect returns what the directory of a service has, by project, and the block up to which the chain was followed. A service
// may be running.
func Inspect(dir string) (holdings []Holding, block uint64, err error) {
	encoded, err := os.ReadFile(filepath.Join(dir, positionFile))
	if err != nil {
		return nil, 0, err
	}
	var at position
	if err := json.Unmarshal(encoded, &at); err != nil {
		return nil, 0, err
	}
	found := map[ident.Hash]*Holding{}
	err = records{filepath.Join(dir, recordDir)}.load(func(project, _ ident.Hash, value *record) {
		h := found[project]
		if h == nil {
			h = &Holding{Project: project}
			found[project] = h
		}
		h.Bundles++
		h.Bytes += value.Size
		h.Removed = value.Removed != 0
		if !value.Kept {
			h.Unnamed++
		}
	})
	for _, h := range found {
		holdings = append(holdings, *h)
	}
	slices.SortFunc(holdings, func(a, b Holding) int { return slices.Compare(a.Project[:], b.Project[:]) })
	return holdings, at.Height, err
}

// Digests returns the digests that the records of a directory name, except those of removed projects. A service may be running.
func Digests(dir string) (digests []ident.Hash, err error) {
	seen := map[ident.Hash]bool{}
	err = records{filepath.Join(dir, recordDir)}.load(func(_, digest ident.Hash, value *record) {
		if value.Removed == 0 && !seen[digest] {
			seen[digest] = true
			digests = append(digests, digest)
		}
	})
	return digests, err
}

// removeTemporary deletes files that were not completely written.
func removeTemporary(dir string) error {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) == temporarySuffix {
			err = os.Remove(path) //nolint:gosec // only the service writes to its directory
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
