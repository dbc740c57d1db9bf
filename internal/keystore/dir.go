package keystore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	// MaxFile is the maximum size of a file in bytes.
	MaxFile = 1 << 20
	// MaxName is the maximum length of a name, without the suffix, in bytes.
	MaxName = 64

	fileSuffix = ".json"
	fileMode   = 0o600
	dirMode    = 0o700
	// others is the mask of the permissions of group and others.
	others = 0o077
)

// Errors of a Dir.
var (
	ErrExists   = errors.New("already exists")
	ErrNotFound = errors.New("not found")
)

// PermissionError is returned for a file or directory that is accessible to others than its owner.
type PermissionError struct {
	Path string
	Mode fs.FileMode // the mode it has
	Want fs.FileMode
}

func (e *PermissionError) Error() string {
	return fmt.Sprintf("%s has mode %04o, which gives others access to its keys: chmod %o %s", e.Path, e.Mode.Perm(), e.Want, e.Path)
}

// Dir is a directory of JSON files that only their owner can read.
type Dir struct {
	path string
}

// OpenDir returns a directory. It is created with the first file.
func OpenDir(path string) Dir { return Dir{path: path} }

// Path returns the path of the file with a name.
func (d Dir) Path(name string) string { return filepath.Join(d.path, name+fileSuffix) }

// CheckName checks that a name is a valid file name without directories.
func CheckName(name string) error {
	if name == "" || len(name) > MaxName {
		return fmt.Errorf("name %q has %d bytes, want 1 to %d", name, len(name), MaxName)
	}
	for i := range len(name) {
		c := name[i]
		alphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alphanumeric && (i == 0 || c != '-' && c != '_' && c != '.') {
			return fmt.Errorf("name %q: only letters, digits and, after the first, any of ._-", name)
		}
	}
	return nil
}

// Create writes a new file. It returns ErrExists if there is one of that name.
func (d Dir) Create(name string, data []byte) error {
	// A link is as atomic as a rename, and fails when its target exists.
	err := d.write(name, data, os.Link)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", d.Path(name), ErrExists)
	}
	return err
}

// Replace writes a file, whether or not there is one of that name.
func (d Dir) Replace(name string, data []byte) error { return d.write(name, data, os.Rename) }

// Remove removes a file durably. It returns nil if there is none of that name.
func (d Dir) Remove(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := os.Remove(d.Path(name)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return syncDir(d.path)
}

// Read returns the content of a file. It returns ErrNotFound if there is no such file, and a PermissionError if others
// can access it.
func (d Dir) Read(name string) ([]byte, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := d.checkMode(); err != nil {
		return nil, err
	}
	file, err := os.Open(d.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", d.Path(name), ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := CheckPrivate(d.Path(name), info); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxFile {
		return nil, fmt.Errorf("%s is not a file of at most %d bytes", file.Name(), MaxFile)
	}
	return io.ReadAll(io.LimitReader(file, MaxFile))
}

// Names returns the names of the files, sorted.
func (d Dir) Names() ([]string, error) {
	entries, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), fileSuffix)
		if ok && CheckName(name) == nil {
			names = append(names, name)
		}
	}
	return names, nil
}

// write writes a temporary file and moves it to its name with the function move.
func (d Dir) write(name string, data []byte, move func(from, to string) error) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := os.MkdirAll(d.path, dirMode); err != nil {
		return err
	}
	if err := d.checkMode(); err != nil {
		return err
	}
	temporary, err := writeTemporary(d.path, data)
	if err != nil {
		return fmt.Errorf("write %s: %w", d.Path(name), err)
	}
	err = move(temporary, d.Path(name))
	// After a rename the temporary file no longer exists.
	if removed := os.Remove(temporary); removed != nil && !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	if err != nil {
		return err
	}
	return syncDir(d.path)
}

// writeTemporary writes a file with mode 0600 and a hidden name, and syncs it.
func writeTemporary(dir string, data []byte) (path string, err error) {
	file, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

func (d Dir) checkMode() error {
	info, err := os.Stat(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return checkMode(d.path, info, dirMode)
}

// CheckPrivate returns a PermissionError if a file is accessible to others than its owner.
func CheckPrivate(path string, info fs.FileInfo) error { return checkMode(path, info, fileMode) }

// checkMode returns a PermissionError if others have access. Windows has no such modes; there the directory of a profile
// is private.
func checkMode(path string, info fs.FileInfo, want fs.FileMode) error {
	if info.Mode().Perm()&others != 0 && runtime.GOOS != "windows" {
		return &PermissionError{Path: path, Mode: info.Mode(), Want: want}
	}
	return nil
}

// syncDir makes the entries of a directory durable. Windows cannot open directories and does not need it.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
