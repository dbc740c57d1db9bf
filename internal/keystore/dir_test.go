package keystore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func newDir(t *testing.T) Dir {
	t.Helper()
	return OpenDir(filepath.Join(t.TempDir(), "deep", "wallets"))
}

func mustCreate(t *testing.T, d Dir, name, content string) {
	t.Helper()
	if err := d.Create(name, []byte(content)); err != nil {
		t.Fatal(err)
	}
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// TestDir creates, replaces, reads and lists files, and checks their modes.
func TestDir(t *testing.T) {
	t.Parallel()
	d := newDir(t)
	if names, err := d.Names(); err != nil || len(names) != 0 {
		t.Errorf("names of a missing directory: %v, %v", names, err)
	}
	if _, err := d.Read("alice"); !errors.Is(err, ErrNotFound) {
		t.Errorf("missing file: %v", err)
	}
	mustCreate(t, d, "alice", "one")
	if err := d.Create("alice", []byte("two")); !errors.Is(err, ErrExists) {
		t.Errorf("a second file of one name: %v", err)
	}
	if data, err := d.Read("alice"); err != nil || string(data) != "one" {
		t.Errorf("read %q, %v", data, err)
	}
	for _, name := range []string{"alice", "bob"} {
		if err := d.Replace(name, []byte("three")); err != nil {
			t.Fatal(err)
		}
		if data, err := d.Read(name); err != nil || string(data) != "three" {
			t.Errorf("read %q, %v", data, err)
		}
		if got := mode(t, d.Path(name)); got != 0o600 {
			t.Errorf("mode %o", got)
		}
	}
	if got := mode(t, d.path); got != 0o700 {
		t.Errorf("mode of the directory %o", got)
	}
	if names, err := d.Names(); err != nil || !slices.Equal(names, []string{"alice", "bob"}) {
		t.Errorf("names %v, %v", names, err)
	}
	entries, err := os.ReadDir(d.path)
	if err != nil || len(entries) != 2 {
		t.Errorf("files %v, %v; want no temporary ones", entries, err)
	}
}

// TestDirPermissions checks that files and directories that others can access are refused with the chmod command.
func TestDirPermissions(t *testing.T) {
	t.Parallel()
	for _, loose := range []fs.FileMode{0o640, 0o604, 0o620, 0o601} {
		d := newDir(t)
		mustCreate(t, d, "alice", "one")
		if err := os.Chmod(d.Path("alice"), loose); err != nil {
			t.Fatal(err)
		}
		var open *PermissionError
		_, err := d.Read("alice")
		if !errors.As(err, &open) || open.Mode.Perm() != loose || !strings.Contains(err.Error(), "chmod 600 "+d.Path("alice")) {
			t.Errorf("mode %o: %v", loose, err)
		}
	}
	d := newDir(t)
	mustCreate(t, d, "alice", "one")
	if err := os.Chmod(d.path, 0o750); err != nil {
		t.Fatal(err)
	}
	_, err := d.Read("alice")
	for what, err := range map[string]error{"read": err, "create": d.Create("bob", nil), "replace": d.Replace("alice", nil)} {
		if err == nil || !strings.Contains(err.Error(), "chmod 700 "+d.path) {
			t.Errorf("%s in an open directory: %v", what, err)
		}
	}
}

// TestDirNames checks that invalid names are refused.
func TestDirNames(t *testing.T) {
	t.Parallel()
	d := newDir(t)
	for _, name := range []string{"", ".hidden", "-x", "../up", "a/b", `a\b`, "a b", "ä", "a\x00", strings.Repeat("a", MaxName+1)} {
		_, err := d.Read(name)
		for what, err := range map[string]error{"read": err, "create": d.Create(name, nil), "replace": d.Replace(name, nil)} {
			if err == nil || !strings.HasPrefix(err.Error(), "name ") {
				t.Errorf("%s %q: %v", what, name, err)
			}
		}
	}
	for _, name := range []string{"a", "Alice-2.b_c", strings.Repeat("a", MaxName)} {
		mustCreate(t, d, name, name)
	}
}

// TestDirRefusesOtherFiles checks that directories and large files are not read.
func TestDirRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	d := newDir(t)
	mustCreate(t, d, "large", strings.Repeat("x", MaxFile+1))
	if err := os.Mkdir(d.Path("directory"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"large", "directory"} {
		if _, err := d.Read(name); err == nil || !strings.Contains(err.Error(), "is not a file of at most") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCreateOnce checks that of concurrent calls of Create one succeeds, with a complete file.
func TestCreateOnce(t *testing.T) {
	t.Parallel()
	d := newDir(t)
	content := []byte(strings.Repeat("secret", 1000))
	failures := make([]error, 8)
	var group sync.WaitGroup
	for i := range failures {
		group.Go(func() { failures[i] = d.Create("alice", content) })
	}
	group.Wait()
	created := 0
	for _, err := range failures {
		if err == nil {
			created++
		} else if !errors.Is(err, ErrExists) {
			t.Error(err)
		}
	}
	if data, err := d.Read("alice"); err != nil || string(data) != string(content) || created != 1 {
		t.Errorf("created %d times, %d bytes, %v", created, len(data), err)
	}
}
