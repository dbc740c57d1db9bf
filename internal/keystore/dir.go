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
	// MaxFile bounds a file, in bytes.
	MaxFile = 1 << 20
	// MaxName bounds the name of a file without its ending, in bytes.
	MaxName = 64

	fileEnding = ".json"
	fileMode   = 0o600
	dirMode    = 0o700
	// others masks the permissions of everybody but the owner.
	others = 0o077
)

// Errors of a directory.
var (
	ErrExists   = errors.New("already exists")
	ErrNotFound = errors.New("not found")
)

// TooOpenError is the refusal of a file or directory that others than its owner may use.
type PermissionError struct {
	Path string
	Mode fs.FileMode // what it has
	Want fs.FileMode
}

// Error says how the path is closed.
func (e *PermissionError) Error() string {
	return fmt.Sprintf("%s has mode %04o, so others may reach the keys in it: chmod %o %s", e.Path, e.Mode.Perm(), e.Want, e.Path)
}

// Dir is a directory of named JSON files that only their owner may read.
type Dir struct {
	path string
}

// OpenDir names a directory, which the first file will create.
func OpenDir(path string) Dir { return Dir{path: path} }

// Path is where a file of that name lies.
func (d Dir) Path(name string) string { return filepath.Join(d.path, name+fileEnding) }

// CheckName refuses names that would be no plain file of the directory.
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

// Create writes a new file. It answers ErrExists rather than replace one.
func (d Dir) Create(name string, data []byte) error {
	// Unlike a rename, a link fails when its target exists, and it is as atomic.
	err := d.write(name, data, os.Link)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", d.Path(name), ErrExists)
	}
	return err
}

// Replace writes a file whether or not there is one of that name.
func (d Dir) Replace(name string, data []byte) error { return d.write(name, data, os.Rename) }

// Read answers ErrNotFound for a name that is not there, and a TooOpenError for a file that others may use.
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
	return readBounded(file, info)
}

// Names lists the files in the order of their names.
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
		name, ok := strings.CutSuffix(entry.Name(), fileEnding)
		if ok && CheckName(name) == nil {
			names = append(names, name)
		}
	}
	return names, nil
}

// write makes a complete file under another name and then puts it in its place.
func (d Dir) write(name string, data []byte, place func(from, to string) error) error {
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
	err = place(temporary, d.Path(name))
	// After a rename there is nothing left to remove.
	if removed := os.Remove(temporary); removed != nil && !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	if err != nil {
		return err
	}
	return syncDir(d.path)
}

// writeTemporary writes a file that is on the disk when it returns. Such files have mode 0600 and a hidden name.
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

// CheckPrivate refuses a file that others than its owner may use.
func CheckPrivate(path string, info fs.FileInfo) error { return checkMode(path, info, fileMode) }

// checkClosed refuses what others may use. Windows has no such modes; there a profile's directory is private.
func checkMode(path string, info fs.FileInfo, want fs.FileMode) error {
	if info.Mode().Perm()&others != 0 && runtime.GOOS != "windows" {
		return &PermissionError{Path: path, Mode: info.Mode(), Want: want}
	}
	return nil
}

func readBounded(file *os.File, info fs.FileInfo) ([]byte, error) {
	if !info.Mode().IsRegular() || info.Size() > MaxFile {
		return nil, fmt.Errorf("%s is not a file of at most %d bytes", file.Name(), MaxFile)
	}
	return io.ReadAll(io.LimitReader(file, MaxFile))
}

// syncDir makes the names of a directory durable. Windows cannot open directories, and does not need it.
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
