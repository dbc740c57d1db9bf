package vectors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the files under testdata/vectors")

// vectorRoot is the directory of the files, relative to this package.
const vectorRoot = "../../testdata/vectors"

// golden compares a value with a committed file, or writes the file with -update.
func golden(t *testing.T, name string, value any) {
	t.Helper()
	path := filepath.Join(vectorRoot, filepath.FromSlash(name))
	made := encodeFile(t, value)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	committed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if line, ok := firstDifference(made, committed); ok {
		t.Errorf("%s differs from line %d on; if the change is intended, run go test ./internal/vectors -update", name, line)
	}
}

func encodeFile(t *testing.T, value any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(value); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// firstDifference returns the number of the first line in which two files differ.
func firstDifference(a, b []byte) (line int, differ bool) {
	if bytes.Equal(a, b) {
		return 0, false
	}
	left, right := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(left), len(right)) {
		if !bytes.Equal(left[i], right[i]) {
			return i + 1, true
		}
	}
	return min(len(left), len(right)), true
}

// hexBytes is a byte slice that JSON represents as lower-case hex.
type hexBytes []byte

// MarshalText implements encoding.TextMarshaler.
func (h hexBytes) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h), nil }
