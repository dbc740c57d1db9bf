// Package dirstore keeps git bundles in a directory, as files named <2 hex>/<64 hex> after the BLAKE3 digest of their bytes.
// Any web server that serves the directory is a store to read from.
//
// A file appears under its name by a rename, after its bytes were written, compared with the digest and flushed to disk. So a
// crash leaves either nothing or the complete file, and a file in .tmp that a later Open deletes.
package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/zeebo/blake3"

	"makechain/internal/content/digest"
	"makechain/internal/ident"
)

// tmpDir has the files that are being written. No digest has this name.
const tmpDir = ".tmp"

// Modes of directories and files: what is stored may be private.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// staleAge is how long nothing was written to a temporary file that Open deletes.
const staleAge = time.Hour

// Dir is a store in a directory. Its methods may be called concurrently, and several processes may have it open.
type Dir struct {
	path string
	// step is called before each change of the file system. Tests use it to see what a crash would leave.
	step func(name string)
}

// Open opens or creates the store in a directory, and deletes files that were not completely written and to which nothing was
// written for an hour: other processes may be writing newer ones.
func Open(path string) (*Dir, error) {
	d := &Dir{path: path, step: func(string) {}}
	tmp := filepath.Join(path, tmpDir)
	if err := os.MkdirAll(tmp, dirMode); err != nil {
		return nil, fmt.Errorf("open the content directory: %w", err)
	}
	files, err := os.ReadDir(tmp)
	if err != nil {
		return nil, fmt.Errorf("open the content directory: %w", err)
	}
	for _, file := range files {
		info, err := file.Info()
		if err == nil && time.Since(info.ModTime()) > staleAge {
			err = os.Remove(filepath.Join(tmp, file.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may have completed it
			return nil, fmt.Errorf("open the content directory: %w", err)
		}
	}
	return d, syncDir(path)
}

func (d *Dir) file(hash ident.Hash) string {
	return filepath.Join(d.path, filepath.FromSlash(digest.Path(hash)))
}

// Has returns the size of the bytes with a digest. The error wraps fs.ErrNotExist if there are none.
func (d *Dir) Has(_ context.Context, hash ident.Hash) (int64, error) {
	info, err := os.Stat(d.file(hash))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Get returns length bytes from an offset on, all of them from there if length is negative. The error wraps fs.ErrNotExist
// if there are none.
func (d *Dir) Get(_ context.Context, hash ident.Hash, offset, length int64) (io.ReadCloser, error) {
	file, err := os.Open(d.file(hash))
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, errors.Join(fmt.Errorf("read content %s: %w", hash, err), file.Close())
	}
	if length < 0 {
		return file, nil
	}
	return &section{io.LimitReader(file, length), file}, nil
}

// A section is a part of a file.
type section struct {
	io.Reader
	io.Closer
}

// Put stores the bytes of a reader durably, or returns a *digest.Error if they have another digest. It does not read if the
// digest is stored already.
func (d *Dir) Put(ctx context.Context, hash ident.Hash, r io.Reader) error {
	path := d.file(hash)
	if _, err := os.Stat(path); err == nil {
		// The directory may not have been flushed by the process that stored it.
		return syncDir(filepath.Dir(path))
	}
	d.step("create the temporary file")
	file, err := os.CreateTemp(filepath.Join(d.path, tmpDir), "")
	if err != nil {
		return fmt.Errorf("store content %s: %w", hash, err)
	}
	if err := d.write(ctx, file, hash, r); err != nil {
		return errors.Join(fmt.Errorf("store content %s: %w", hash, err), os.Remove(file.Name()))
	}
	if err := d.publish(file.Name(), path); err != nil {
		return fmt.Errorf("store content %s: %w", hash, err)
	}
	return nil
}

// write writes the bytes to a file, checks their digest, flushes and closes the file.
func (d *Dir) write(ctx context.Context, file *os.File, hash ident.Hash, r io.Reader) (err error) {
	defer func() { err = errors.Join(err, file.Close()) }()
	d.step("write the bytes")
	hasher := blake3.New()
	if _, err := io.Copy(io.MultiWriter(file, hasher), contextReader{ctx, r}); err != nil {
		return err
	}
	if err := digest.Check(hash, hasher); err != nil {
		return err
	}
	if err := file.Chmod(fileMode); err != nil {
		return err
	}
	d.step("flush the file")
	return file.Sync()
}

// publish moves a flushed file to its place and flushes the directories.
func (d *Dir) publish(from, to string) error {
	parent := filepath.Dir(to)
	d.step("create the directory")
	if err := os.Mkdir(parent, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return errors.Join(err, os.Remove(from))
	}
	d.step("flush the store")
	if err := syncDir(d.path); err != nil {
		return errors.Join(err, os.Remove(from))
	}
	d.step("rename")
	if err := os.Rename(from, to); err != nil {
		return errors.Join(err, os.Remove(from))
	}
	d.step("flush the directory")
	return syncDir(parent)
}

// Delete deletes the bytes with a digest. It returns nil if there are none.
func (d *Dir) Delete(_ context.Context, hash ident.Hash) error {
	path := d.file(hash)
	d.step("delete")
	if err := os.Remove(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("delete content: %w", err)
	}
	d.step("flush the deletion")
	return syncDir(filepath.Dir(path))
}

// syncDir makes the entries of a directory durable.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := dir.Sync(); err != nil {
		return errors.Join(fmt.Errorf("flush directory %s: %w", path, err), dir.Close())
	}
	return dir.Close()
}

// A contextReader stops reading when its context ends.
type contextReader struct {
	ctx context.Context //nolint:containedctx // of one call of Put
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
