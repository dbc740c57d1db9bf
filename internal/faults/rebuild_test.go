package faults_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// change is a difference between a source file that the program is made of and what it shall be.
type change struct {
	path     string
	from, to string
}

// rebuild builds this program, which is also the node, with a clock that can be wrong, and files that are slow and say
// how far they are flushed. What it needs to know for that it reads from its environment.
//
// The standard library is changed by an overlay, and the database, which as a module cannot be, by a copy.
func rebuild(t *testing.T) (program string) {
	t.Helper()
	dir := t.TempDir()
	replaced := map[string]string{}
	for i, c := range append(clockChanges(t), flushChanges(t)...) {
		replaced[c.path] = write(t, filepath.Join(dir, strconv.Itoa(i)+".go"), c.made(t))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "node")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-trimpath", "-o", program,
		"-overlay", write(t, filepath.Join(dir, "overlay.json"), string(overlay)), "-modfile", withDatabase(t, dir), ".")
	if printed, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	return program
}

// made is a file as it shall be.
func (c change) made(t *testing.T) string {
	t.Helper()
	if c.from == "" {
		return c.to
	}
	source, err := os.ReadFile(c.path)
	if err != nil {
		t.Fatal(err)
	}
	made := strings.ReplaceAll(string(source), c.from, c.to)
	if made == string(source) {
		t.Fatalf("%s is not as it was: it lacks %q", c.path, c.from)
	}
	return made
}

// withDatabase copies the module of the database, changes it, and writes a module file that has the copy in its place.
func withDatabase(t *testing.T, dir string) (modfile string) {
	t.Helper()
	original, changed := ask(t, "go", "list", "-m", "-f", "{{.Dir}}", databaseModule), filepath.Join(dir, "database")
	if err := os.CopyFS(changed, os.DirFS(original)); err != nil {
		t.Fatal(err)
	}
	c := databaseChange(changed)
	made := c.made(t)
	if err := os.Remove(c.path); err != nil { // the copy is as unwritable as a module is
		t.Fatal(err)
	}
	write(t, c.path, made)
	root := filepath.Dir(ask(t, "go", "env", "GOMOD"))
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			content = fmt.Appendf(content, "\nreplace %s => %s\n", databaseModule, changed)
		}
		write(t, filepath.Join(dir, name), string(content))
	}
	return filepath.Join(dir, "go.mod")
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// library is a package of the standard library.
func library(t *testing.T, name string) (dir string) {
	t.Helper()
	return filepath.Join(ask(t, "go", "env", "GOROOT"), "src", name)
}

// ask runs a program that prints one line.
func ask(t *testing.T, name string, args ...string) string {
	t.Helper()
	printed, err := exec.CommandContext(t.Context(), name, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(printed))
}
