package content

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"makechain/internal/ident"
)

// A record says that the bytes with a digest were uploaded or imported for a project. It is a file
// records/<project>/<digest>, written before the bytes are stored: a record without bytes is deleted when the service starts.
type record struct {
	Size int64 `json:"size"`
	// Owner is the owner of the project, and Uploader the account that is charged until the chain names the digest.
	Owner    string `json:"owner"`
	Uploader string `json:"uploader"`
	// Added orders the records of a project: git bundles build on earlier ones. Unix nanoseconds, distinct within a project.
	Added int64 `json:"added"`
	// Renewed is when the bytes were uploaded, or last asked for by an uploader, in Unix seconds.
	Renewed int64 `json:"renewed"`
	// Kept is set once the chain has named the digest, and for imports.
	Kept bool `json:"kept,omitempty"`
	// Fetched is set for content that the service has fetched from a store that the project names on the chain.
	Fetched bool `json:"fetched,omitempty"`
	// Complete is set for a git bundle that builds on no other one.
	Complete bool `json:"complete,omitempty"`
	// Replaced is the block time in Unix seconds at which a later complete git bundle was found, 0 if there is none.
	Replaced int64 `json:"replaced,omitempty"`
	// Removed is the block time in Unix seconds at which the project was found to be removed, 0 if it is not.
	Removed int64 `json:"removed,omitempty"`

	removing bool // the record is being deleted
}

// Modes of directories and files: what is stored may be private.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// recordDir is the directory of records in that of a service.
const recordDir = "records"

// HasRecords reports whether the directory of a service has records.
func HasRecords(dir string) (bool, error) {
	projects, err := os.ReadDir(filepath.Join(dir, recordDir))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return len(projects) > 0, err
}

// records are the files of records.
type records struct{ dir string }

func (r records) path(project, digest ident.Hash) string {
	return filepath.Join(r.dir, project.String(), digest.String())
}

// save writes a record durably.
func (r records) save(project, digest ident.Hash, value *record) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.dir, project.String())
	if err := os.Mkdir(dir, dirMode); err == nil {
		err = syncDir(r.dir)
		if err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	return writeFile(r.path(project, digest), encoded)
}

// remove deletes a record durably. It returns nil if there is none.
func (r records) remove(project, digest ident.Hash) error {
	path := r.path(project, digest)
	if err := os.Remove(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return syncDir(filepath.Dir(path))
}

// load calls visit with every record.
func (r records) load(visit func(project, digest ident.Hash, value *record)) error {
	projects, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	for _, entry := range projects {
		project, err := ident.ParseHash(entry.Name())
		if err != nil {
			return fmt.Errorf("the directory of content records has a foreign file %s", entry.Name())
		}
		dir := filepath.Join(r.dir, entry.Name())
		files, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, file := range files {
			if strings.HasSuffix(file.Name(), temporarySuffix) {
				continue
			}
			digest, err := ident.ParseHash(file.Name())
			if err != nil {
				return fmt.Errorf("the directory of content records has a foreign file %s", file.Name())
			}
			value, err := readRecord(filepath.Join(dir, file.Name()))
			if errors.Is(err, fs.ErrNotExist) {
				continue // deleted by a running service
			}
			if err != nil {
				return err
			}
			visit(project, digest, value)
		}
	}
	return nil
}

func readRecord(path string) (*record, error) {
	encoded, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	value := &record{}
	if err := json.Unmarshal(encoded, value); err != nil {
		return nil, fmt.Errorf("content record %s: %w", path, err)
	}
	return value, nil
}

// temporarySuffix is the end of the name of a file that is being written.
const temporarySuffix = ".tmp"

// writeFile replaces a file durably. Two calls for the same path must not run at a time.
func writeFile(path string, data []byte) error {
	temporary := path + temporarySuffix
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return errors.Join(err, file.Close(), os.Remove(temporary))
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the entries of a directory durable.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
