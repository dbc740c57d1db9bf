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

// change is a change of a source file.
type change struct {
	path     string
	from, to string
}

// rebuild builds this program, which is also the node, with a clock that can be wrong and fsyncs that can be slow and are
// journaled, as environment variables request.
//
// The standard library is changed by an overlay. Pebble, as a module, cannot be, and is replaced by a changed copy.
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

// made returns the changed content of the file.
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
		t.Fatalf("%s does not contain %q", c.path, c.from)
	}
	return made
}

// withDatabase makes a changed copy of Pebble, and returns a go.mod that replaces Pebble with it.
func withDatabase(t *testing.T, dir string) (modfile string) {
	t.Helper()
	original, changed := output(t, "go", "list", "-m", "-f", "{{.Dir}}", databaseModule), filepath.Join(dir, "database")
	if err := os.CopyFS(changed, os.DirFS(original)); err != nil {
		t.Fatal(err)
	}
	c := databaseChange(changed)
	made := c.made(t)
	if err := os.Remove(c.path); err != nil { // files of a module are read-only
		t.Fatal(err)
	}
	write(t, c.path, made)
	root := filepath.Dir(output(t, "go", "env", "GOMOD"))
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

// library returns the directory of a package of the standard library.
func library(t *testing.T, name string) (dir string) {
	t.Helper()
	return filepath.Join(output(t, "go", "env", "GOROOT"), "src", name)
}

// output runs a program and returns its output.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	printed, err := exec.CommandContext(t.Context(), name, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(printed))
}
