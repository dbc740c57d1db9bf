package gitcache

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"makechain/internal/gitbundle"
)

// packWriter writes packs that git does not write.
type packWriter struct {
	bytes.Buffer

	t     testing.TB
	count uint32
}

// entry appends an object of a type with any size in its header. extra follows the header of a delta.
func (w *packWriter) entry(kind byte, size uint64, extra, data []byte) int64 {
	w.t.Helper()
	if w.count == 0 {
		w.Write(make([]byte, 12))
	}
	w.count++
	offset := int64(w.Len())
	first := kind<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		w.WriteByte(first | 0x80)
		first = byte(size & 0x7f)
	}
	w.WriteByte(first)
	w.Write(extra)
	deflater := zlib.NewWriter(&w.Buffer)
	if _, err := deflater.Write(data); err != nil {
		w.t.Fatal(err)
	}
	if err := deflater.Close(); err != nil {
		w.t.Fatal(err)
	}
	return offset
}

func (w *packWriter) object(kind byte, data []byte) int64 {
	w.t.Helper()
	return w.entry(kind, uint64(len(data)), nil, data)
}

// offsetDelta appends a delta against the object at an offset.
func (w *packWriter) offsetDelta(base int64, delta []byte) int64 {
	w.t.Helper()
	distance := int64(w.Len()) - base
	encoded := []byte{byte(distance & 0x7f)}
	for distance >>= 7; distance > 0; distance >>= 7 {
		distance--
		encoded = append([]byte{byte(distance&0x7f) | 0x80}, encoded...)
	}
	return w.entry(entryOffset, uint64(len(delta)), encoded, delta)
}

// refDelta appends a delta against an object by its id.
func (w *packWriter) refDelta(base string, delta []byte) {
	w.t.Helper()
	id, err := hex.DecodeString(base)
	if err != nil {
		w.t.Fatal(err)
	}
	w.entry(entryRef, uint64(len(delta)), id, delta)
}

// bundle writes a bundle with the pack, one ref to an id, and prerequisites. claimed is the number of objects.
func (w *packWriter) bundle(claimed uint32, tip string, prerequisites ...string) string {
	w.t.Helper()
	if w.count == 0 {
		w.Write(make([]byte, 12))
	}
	pack := w.Bytes()
	copy(pack, "PACK\x00\x00\x00\x02")
	binary.BigEndian.PutUint32(pack[8:], claimed)
	sum := sha1.Sum(pack)
	header := gitbundle.Header{Format: gitbundle.SHA1, Prerequisites: prerequisites, Refs: []gitbundle.Ref{{Name: "refs/heads/main", ID: tip}}}
	content, err := header.Append(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return writeBundle(w.t, append(append(content, pack...), sum[:]...))
}

func writeBundle(t testing.TB, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bundle")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func objectID(kind string, data []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "%s %d\x00", kind, len(data)), data...))
	return hex.EncodeToString(sum[:])
}

// insertDelta returns a delta that replaces a base by a short text.
func insertDelta(baseSize int, text string) []byte {
	delta := binary.AppendUvarint(nil, uint64(baseSize))
	delta = binary.AppendUvarint(delta, uint64(len(text)))
	return append(append(delta, byte(len(text))), text...)
}

// copyDelta returns a delta whose result is a base of less than 64 KiB, many times.
func copyDelta(baseSize, times int) []byte {
	delta := binary.AppendUvarint(nil, uint64(baseSize))
	delta = binary.AppendUvarint(delta, uint64(baseSize*times))
	return append(delta, bytes.Repeat([]byte{0xb0, byte(baseSize), byte(baseSize >> 8)}, times)...)
}

const (
	someID    = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
	otherID   = "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2"
	entryBlob = 3
)

// bomb is a bundle that needs much more memory or time than its size, or that is malformed.
type bomb struct {
	name   string
	limits func(*Limits)
	make   func(w *packWriter) string
	want   string
	cause  error
}

// TestBombs refuses bombs. Nothing of them stays on disk.
func TestBombs(t *testing.T) {
	t.Parallel()
	for _, test := range append(bombs(), deltaBombs()...) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			if test.limits != nil {
				test.limits(&f.limits)
			}
			_, err := f.Add(t.Context(), project(1), test.make(&packWriter{t: t}), nil)
			checkRefused(t, err, test.want, test.cause)
			f.checkEmpty(t)
		})
	}
}

func bombs() []bomb {
	return []bomb{
		{"zeros", nil, func(w *packWriter) string {
			w.object(entryBlob, make([]byte, 100<<20))
			return w.bundle(1, someID)
		}, "inflate to more than 67108864 bytes", gitbundle.ErrLimit},
		{"object size", func(l *Limits) { l.ObjectBytes = 1 << 20 }, func(w *packWriter) string {
			w.object(entryBlob, make([]byte, 2<<20))
			return w.bundle(1, someID)
		}, "an object of the bundle has 2097152 bytes; at most 1048576 are accepted", gitbundle.ErrLimit},
		{"claimed size", nil, func(w *packWriter) string {
			w.entry(entryBlob, 100<<30, nil, []byte("short"))
			return w.bundle(1, someID)
		}, "an object of the bundle has 107374182400 bytes", gitbundle.ErrLimit},
		{"size beyond 64 bits", nil, func(w *packWriter) string {
			w.entry(entryBlob, 1<<63, nil, []byte("short"))
			return w.bundle(1, someID)
		}, "claims more than", gitbundle.ErrLimit},
		{"more than claimed", nil, func(w *packWriter) string {
			w.entry(entryBlob, 10, nil, make([]byte, 10<<20))
			return w.bundle(1, someID)
		}, "does not have the 10 bytes that it claims", nil},
		{"less than claimed", nil, func(w *packWriter) string {
			w.entry(entryBlob, 1<<20, nil, []byte("short"))
			return w.bundle(1, someID)
		}, "does not have the 1048576 bytes that it claims", nil},
		{"claimed objects", nil, func(w *packWriter) string {
			w.object(entryBlob, []byte("a"))
			return w.bundle(1<<32-1, someID)
		}, "4294967295 objects in the bundle; at most 2000000 are accepted", gitbundle.ErrLimit},
		{"tiny objects", func(l *Limits) { l.Objects = 10_000 }, func(w *packWriter) string {
			for i := range 10_001 {
				w.object(entryBlob, fmt.Append(nil, i))
			}
			return w.bundle(10_001, someID)
		}, "10001 objects in the bundle", gitbundle.ErrLimit},
		{"unknown type", nil, func(w *packWriter) string {
			w.object(5, []byte("a"))
			return w.bundle(1, someID)
		}, "has type 5", nil},
		{"absent tip", nil, func(w *packWriter) string {
			w.object(entryBlob, []byte("a"))
			return w.bundle(1, someID)
		}, "does not contain the object of a ref: " + someID, nil},
		{"no objects", nil, func(w *packWriter) string {
			return w.bundle(0, someID)
		}, "does not contain the object of a ref: " + someID, nil},
		{"bundle size", func(l *Limits) { l.BundleBytes = 100 }, func(w *packWriter) string {
			w.object(entryBlob, []byte("a"))
			return w.bundle(1, someID)
		}, "bytes; at most 100 are accepted", gitbundle.ErrLimit},
		{"time", func(l *Limits) { l.VerifyTime = time.Nanosecond }, func(w *packWriter) string {
			w.object(entryBlob, []byte("a"))
			return w.bundle(1, someID)
		}, "takes longer than 1ns", gitbundle.ErrLimit},
	}
}

func deltaBombs() []bomb {
	return []bomb{
		{"deltas", nil, func(w *packWriter) string {
			base := w.object(entryBlob, make([]byte, 60_000))
			for range 100 {
				w.offsetDelta(base, copyDelta(60_000, 500)) // 30 MB each
			}
			return w.bundle(101, someID)
		}, "inflate to more than", gitbundle.ErrLimit},
		{"delta result", nil, func(w *packWriter) string {
			base := w.object(entryBlob, []byte("base"))
			delta := binary.AppendUvarint(binary.AppendUvarint(nil, 4), 1<<39)
			w.offsetDelta(base, delta)
			return w.bundle(2, someID)
		}, "an object of the bundle has 549755813888 bytes", gitbundle.ErrLimit},
		{"delta without sizes", nil, func(w *packWriter) string {
			w.offsetDelta(w.object(entryBlob, []byte("base")), []byte{0x80, 0x80})
			return w.bundle(2, someID)
		}, "a delta without sizes", nil},
		{"deep chain by offset", func(l *Limits) { l.DeltaDepth = 50 }, func(w *packWriter) string {
			base := w.object(entryBlob, []byte("000"))
			for i := range 51 {
				base = w.offsetDelta(base, insertDelta(3, fmt.Sprintf("%03d", i+1)))
			}
			return w.bundle(52, objectID("blob", []byte("000")))
		}, "a chain of more than 50 deltas", gitbundle.ErrLimit},
		{"deep chain by id", func(l *Limits) { l.DeltaDepth = 50 }, func(w *packWriter) string {
			for i := 51; i > 0; i-- { // bases follow their deltas
				w.refDelta(objectID("blob", fmt.Appendf(nil, "%03d", i-1)), insertDelta(3, fmt.Sprintf("%03d", i)))
			}
			w.object(entryBlob, []byte("000"))
			return w.bundle(52, objectID("blob", []byte("000")))
		}, "a chain of more than 50 deltas", gitbundle.ErrLimit},
		{"cycle of deltas", nil, func(w *packWriter) string {
			w.refDelta(someID, insertDelta(1, "b"))
			w.refDelta(otherID, insertDelta(1, "a"))
			return w.bundle(2, someID)
		}, "unresolved deltas", nil},
		{"own base", nil, func(w *packWriter) string {
			w.object(entryBlob, []byte("a"))
			w.entry(entryOffset, 1, []byte{0}, []byte("a"))
			return w.bundle(2, someID)
		}, "has no base at", nil},
		{"base before the pack", nil, func(w *packWriter) string {
			w.entry(entryOffset, 1, []byte{0xff, 0xff, 0xff, 0x7f}, []byte("a"))
			return w.bundle(1, someID)
		}, "has no base at", nil},
		{"endless offset", nil, func(w *packWriter) string {
			w.entry(entryOffset, 1, bytes.Repeat([]byte{0xff}, 100), []byte("a"))
			return w.bundle(1, someID)
		}, "has no base", nil},
		{"missing base", nil, func(w *packWriter) string {
			w.refDelta(someID, insertDelta(1, "b"))
			return w.bundle(1, objectID("blob", []byte("b")))
		}, "unresolved delta", nil},
	}
}

// TestDeltaChains accepts chains up to the limit, with bases of both kinds.
func TestDeltaChains(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.limits.DeltaDepth = 50
	w := &packWriter{t: t}
	for i := 50; i > 25; i-- {
		w.refDelta(objectID("blob", fmt.Appendf(nil, "%03d", i-1)), insertDelta(3, fmt.Sprintf("%03d", i)))
	}
	base := w.object(entryBlob, []byte("000"))
	for i := 1; i <= 25; i++ {
		base = w.offsetDelta(base, insertDelta(3, fmt.Sprintf("%03d", i)))
	}
	report, err := f.Add(t.Context(), project(1), w.bundle(51, objectID("blob", []byte("050"))), nil)
	if err != nil || report.Objects != 51 || report.InflatedBytes != 51*3 {
		t.Errorf("got %+v, %v", report, err)
	}
}

// TestMemory ends git when it needs more memory than is allowed.
func TestMemory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.limits.ChildBytes = 48 << 20
	w := &packWriter{t: t}
	w.object(entryBlob, make([]byte, 60<<20))
	if _, err := f.Add(t.Context(), project(1), w.bundle(1, objectID("blob", make([]byte, 60<<20))), nil); err == nil {
		t.Error("the bundle was accepted")
	}
	f.checkEmpty(t)
}

// TestDamage changes, cuts and extends a bundle that git wrote. None of it is accepted, and nothing stays on disk.
func TestDamage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "a", strings.Repeat("some text\n", 20))
	f.write(t, "a", strings.Repeat("some text\n", 20)+"more\n")
	content, err := os.ReadFile(f.bundle(t, "main"))
	if err != nil {
		t.Fatal(err)
	}
	begin := bytes.Index(content, []byte("\n\nPACK")) + 2
	var refused *gitbundle.Error
	for i := begin; i < len(content); i += 7 {
		changed := bytes.Clone(content)
		changed[i] ^= 0x10
		_, err := f.Add(t.Context(), project(1), writeBundle(t, changed), nil)
		if !errors.As(err, &refused) {
			t.Errorf("with another byte at %d: got %v", i, err)
		}
	}
	for i := 0; i < len(content); i += 11 {
		_, err := f.Add(t.Context(), project(1), writeBundle(t, content[:i]), nil)
		if !errors.As(err, &refused) {
			t.Errorf("cut at %d: got %v", i, err)
		}
	}
	_, err = f.Add(t.Context(), project(1), writeBundle(t, append(bytes.Clone(content), "more"...)), nil)
	checkRefused(t, err, "bytes after the last object", nil)
	f.checkEmpty(t)
}

// TestIncomplete refuses bundles whose history is not complete.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "a", "one\n")
	f.write(t, "b", "two\n")
	content, err := os.ReadFile(f.bundle(t, "main", "^main~1"))
	if err != nil {
		t.Fatal(err)
	}
	// The same pack without the prerequisite in the header.
	start, end := bytes.IndexByte(content, '-'), bytes.Index(content, []byte(" refs/"))-40
	_, err = f.Add(t.Context(), project(1), writeBundle(t, append(bytes.Clone(content[:start]), content[end:]...)), nil)
	checkRefused(t, err, "not valid", nil)
	// A commit without its tree.
	w := &packWriter{t: t}
	commit := "tree " + someID + "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\ntitle\n"
	w.object(entryCommit, []byte(commit))
	_, err = f.Add(t.Context(), project(1), w.bundle(1, objectID("commit", []byte(commit))), nil)
	checkRefused(t, err, "not valid", nil)
	f.checkEmpty(t)
	// A blob where a tree is expected, and a prerequisite that is not a commit.
	f.add(t, 1, "main")
	blob := f.Git(t, "rev-parse", "main:a")
	w = &packWriter{t: t}
	commit = strings.Replace(commit, someID, blob, 1)
	w.object(entryCommit, []byte(commit))
	_, err = f.Add(t.Context(), project(1), w.bundle(1, objectID("commit", []byte(commit))), nil)
	checkRefused(t, err, "", nil)
	_, err = f.Add(t.Context(), project(1), w.bundle(1, objectID("commit", []byte(commit)), blob), nil)
	checkRefused(t, err, "missing", gitbundle.ErrMissing)
}

// TestMaliciousTrees refuses trees that are dangerous to check out.
func TestMaliciousTrees(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	blob := f.Feed(t, []byte("[submodule \"a\"]\n\tpath = a\n\turl = -u./payload\n"), "hash-object", "-w", "--stdin")
	id, err := hex.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	for name, entries := range map[string][]string{
		"hasDotgit":         {"100644 .git"},
		"hasDotdot":         {"100644 .."},
		"hasDot":            {"100644 ."},
		"fullPathname":      {"100644 a/b"},
		"duplicateEntries":  {"100644 a", "100644 a"},
		"treeNotSorted":     {"100644 b", "100644 a"},
		"gitmodulesUrl":     {"100644 .gitmodules"},
		"gitmodulesSymlink": {"120000 .gitmodules"},
		"hasDotgit on NTFS": {"100644 GIT~1"},
	} {
		var tree []byte
		for _, entry := range entries {
			tree = append(append(append(tree, entry...), 0), id...)
		}
		root := f.Feed(t, tree, "hash-object", "-w", "-t", "tree", "--literally", "--stdin")
		commit := f.Git(t, "commit-tree", "-m", "title", root)
		f.Git(t, "update-ref", "refs/heads/main", commit)
		_, err := f.Add(t.Context(), project(1), f.bundle(t, "main"), nil)
		word, _, _ := strings.Cut(name, " ")
		checkRefused(t, err, word, nil)
	}
	f.checkEmpty(t)
}
