package gitbundle_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"makechain/internal/gitbundle"
	"makechain/internal/gitrepo/gittest"
)

func TestMain(m *testing.M) {
	if err := gittest.Hermetic(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func parse(header string) (gitbundle.Header, error) {
	return gitbundle.Parse(bufio.NewReaderSize(strings.NewReader(header), 16), gitbundle.DefaultLimits())
}

// TestGit parses bundles that git writes, and git accepts the same pack behind a header that Append writes.
func TestGit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		init    []string
		options []string
		format  gitbundle.Format
		refs    []string
		bases   int
	}{
		{"version 2", nil, []string{"main"}, gitbundle.SHA1, []string{"refs/heads/main"}, 0},
		{"version 3", nil, []string{"--version=3", "--all"}, gitbundle.SHA1, []string{"HEAD", "refs/heads/main", "refs/tags/v1"}, 0},
		{"range", nil, []string{"main~1..main"}, gitbundle.SHA1, []string{"refs/heads/main"}, 1},
		{"sha256", []string{"--object-format=sha256"}, []string{"main"}, gitbundle.SHA256, []string{"refs/heads/main"}, 0},
		{"sha256 range", []string{"--object-format=sha256"}, []string{"v1", "^main~1"}, gitbundle.SHA256, []string{"refs/tags/v1"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.Init(t, test.init...)
			first := repo.Commit(t, "first")
			repo.Commit(t, "second, with a title that has more than sixteen bytes")
			repo.Git(t, "tag", "-a", "-m", "release", "v1")
			file := filepath.Join(t.TempDir(), "bundle")
			bundleOptions, revisions := []string{}, test.options
			if strings.HasPrefix(revisions[0], "--version") {
				bundleOptions, revisions = revisions[:1], revisions[1:]
			}
			repo.Git(t, append(append(append([]string{"bundle", "create", "--quiet"}, bundleOptions...), file), revisions...)...)
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			reader := bufio.NewReaderSize(bytes.NewReader(content), 16)
			header, err := gitbundle.Parse(reader, gitbundle.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			pack, err := io.ReadAll(reader)
			if err != nil || !bytes.HasPrefix(pack, []byte("PACK")) || !bytes.Equal(pack, content[header.Size:]) {
				t.Fatalf("the reader is not at the pack, which begins at %d: %v", header.Size, err)
			}
			var names []string
			for _, ref := range header.Refs {
				names = append(names, ref.Name)
				if got := repo.Git(t, "rev-parse", ref.Name); got != ref.ID {
					t.Errorf("%s is %s, want %s", ref.Name, ref.ID, got)
				}
			}
			if header.Format != test.format || len(header.Prerequisites) != test.bases || len(names) != len(test.refs) {
				t.Fatalf("got %+v", header)
			}
			if test.bases == 1 && header.Prerequisites[0] != first {
				t.Errorf("the prerequisite is %s, want %s", header.Prerequisites[0], first)
			}
			written, err := header.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, append(written, pack...), 0o600); err != nil {
				t.Fatal(err)
			}
			repo.Git(t, "bundle", "verify", "--quiet", file)
			again, err := parse(string(written))
			again.Size = header.Size
			if err != nil || !reflect.DeepEqual(again, header) {
				t.Errorf("got %+v, want %+v: %v", again, header, err)
			}
		})
	}
}

// TestFilter refuses a bundle that git made with a filter.
func TestFilter(t *testing.T) {
	t.Parallel()
	repo := gittest.Init(t)
	repo.Commit(t, "first")
	file := filepath.Join(t.TempDir(), "bundle")
	repo.Git(t, "bundle", "create", "--quiet", file, "--all", "--filter=blob:none")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(string(content)); err == nil || !strings.Contains(err.Error(), "filter") {
		t.Errorf("got %v", err)
	}
}

// TestMalformed refuses headers that are not those of a bundle, each with a reason.
func TestMalformed(t *testing.T) {
	t.Parallel()
	const v2, v3 = "# v2 git bundle\n", "# v3 git bundle\n"
	id, long := strings.Repeat("a1", 20), strings.Repeat("a1", 32)
	for _, test := range []struct{ name, header, want string }{
		{"empty", "", "line 1: the header is truncated"},
		{"version 1", "# v1 git bundle\n", "version 2 or 3"},
		{"version 4", "# v4 git bundle\n" + id + " refs/heads/a\n\n", "version 2 or 3"},
		{"another file", strings.Repeat("x", 100_000), "version 2 or 3"},
		{"carriage return", "# v2 git bundle\r\n" + id + " refs/heads/a\n\n", "version 2 or 3"},
		{"no end", v2 + id + " refs/heads/a\n", "line 3: the header is truncated"},
		{"cut in a line", v2 + id + " refs/he", "truncated"},
		{"no refs", v2 + "\n", "no refs"},
		{"prerequisites only", v2 + "-" + id + " \n\n", "no refs"},
		{"prerequisite after ref", v2 + id + " refs/heads/a\n-" + id + " \n\n", "after a ref"},
		{"capability in version 2", v2 + "@object-format=sha256\n" + long + " refs/heads/a\n\n", "not a sha1 id"},
		{"capability after ref", v3 + id + " refs/heads/a\n@object-format=sha1\n\n", "not a sha1 id"},
		{"unknown capability", v3 + "@mode=fast\n" + id + " refs/heads/a\n\n", `unknown capability "mode"`},
		{"unknown format", v3 + "@object-format=md5\n" + id + " refs/heads/a\n\n", `unknown object format "md5"`},
		{"format without value", v3 + "@object-format\n" + id + " refs/heads/a\n\n", "unknown object format"},
		{"id of another format", v3 + "@object-format=sha256\n" + id + " refs/heads/a\n\n", "not a sha256 id"},
		{"upper case", v2 + strings.ToUpper(id) + " refs/heads/a\n\n", "not a sha1 id"},
		{"short id", v2 + id[1:] + " refs/heads/a\n\n", "not a sha1 id"},
		{"no name", v2 + id + "\n\n", "not the name of a ref"},
		{"no space", v2 + id + "refs/heads/a\n\n", "not a sha1 id"},
		{"same ref", v2 + id + " refs/heads/a\n" + id + " refs/heads/a\n\n", "twice"},
		{"prerequisite", v2 + "-" + id[1:] + " \n" + id + " refs/heads/a\n\n", "not a sha1 id"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			header, err := parse(test.header)
			var refused *gitbundle.Error
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %+v, %v; want %q", header, err, test.want)
			}
		})
	}
}

// TestRefNames compares IsRefName with git check-ref-format.
func TestRefNames(t *testing.T) {
	t.Parallel()
	repo := gittest.Init(t)
	for _, name := range []string{
		"refs/heads/main", "refs/heads/größe", "refs/heads/a.b", "refs/heads/@", "refs/heads/-a", "refs/heads/a@b", "refs/heads/a{",
	} {
		repo.Git(t, "check-ref-format", name)
		if !gitbundle.IsRefName(name) {
			t.Errorf("%q was refused", name)
		}
	}
	for _, name := range []string{
		"", "main", "heads/main", "refs/", "refs/heads/", "/refs/heads/a", "refs//a", "refs/heads/.a", "refs/heads/a..b", "refs/../a",
		"refs/heads/a.", "refs/heads/a.lock", "refs/heads/a.lock/b", "refs/heads/a b", "refs/heads/a\tb", "refs/heads/a\x00", "refs/heads/a~1",
		"refs/heads/a^", "refs/heads/a:b", "refs/heads/a?", "refs/heads/*", "refs/heads/[a", `refs/heads/a\b`, "refs/heads/a@{1}",
		"refs/heads/\x7f", "refs/heads/" + strings.Repeat("a", 1100),
	} {
		if gitbundle.IsRefName(name) {
			t.Errorf("%q was accepted", name)
		}
	}
}

// endless is a header that never ends.
type endless struct {
	line string
	read int
}

func (e *endless) Read(to []byte) (int, error) {
	n := 0
	for n < len(to) {
		n += copy(to[n:], e.line[(e.read+n)%len(e.line):])
	}
	e.read += n
	return n, nil
}

// TestLimits stops reading a header without end at each limit.
func TestLimits(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("a1", 20)
	limits := gitbundle.Limits{Bytes: 100_000, Prerequisites: 10, Refs: 10}
	for _, test := range []struct {
		name, first, line, want string
		most                    int
	}{
		{"no line feed", "# v2 git bundle\n-" + id, "x", "more than 100000 bytes", 200_000},
		{"capabilities", "# v3 git bundle\n", "@object-format=sha1\n", "more than 100000 bytes", 200_000},
		{"prerequisites", "# v2 git bundle\n", "-" + id + " \n", "more than 10 prerequisites", 8_192},
		{"first line", "", "x", "version 2 or 3", 8_192},
	} {
		source := &endless{line: test.line}
		_, err := gitbundle.Parse(bufio.NewReader(io.MultiReader(strings.NewReader(test.first), source)), limits)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
		if source.read > test.most {
			t.Errorf("%s: read %d bytes", test.name, source.read)
		}
	}
	var refs strings.Builder
	refs.WriteString("# v2 git bundle\n")
	for i := range 11 {
		fmt.Fprintf(&refs, "%s refs/heads/%d\n", id, i)
	}
	if _, err := gitbundle.Parse(bufio.NewReader(strings.NewReader(refs.String())), limits); err == nil || !strings.Contains(err.Error(), "more than 10 refs") {
		t.Errorf("got %v", err)
	}
}

// TestAppendRefuses refuses to write headers that Parse would not accept.
func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("a1", 20)
	ref := gitbundle.Ref{Name: "refs/heads/a", ID: id}
	for name, header := range map[string]gitbundle.Header{
		"format":       {Format: "md5", Refs: []gitbundle.Ref{ref}},
		"no refs":      {Format: gitbundle.SHA1},
		"twice":        {Format: gitbundle.SHA1, Refs: []gitbundle.Ref{ref, ref}},
		"id":           {Format: gitbundle.SHA256, Refs: []gitbundle.Ref{ref}},
		"name":         {Format: gitbundle.SHA1, Refs: []gitbundle.Ref{{Name: "refs/heads/a\n\n", ID: id}}},
		"prerequisite": {Format: gitbundle.SHA1, Refs: []gitbundle.Ref{ref}, Prerequisites: []string{id + "\n"}},
	} {
		if written, err := header.Append(nil); err == nil {
			t.Errorf("%s: wrote %q", name, written)
		}
	}
}

// TestReaderError returns an error of the reader as it is.
func TestReaderError(t *testing.T) {
	t.Parallel()
	failure := errors.New("disk")
	reader := io.MultiReader(strings.NewReader("# v2 git bundle\n"), errorReader{failure})
	if _, err := gitbundle.Parse(bufio.NewReader(reader), gitbundle.DefaultLimits()); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

// FuzzParse parses any bytes. A header that is accepted is written and parsed again with the same result.
func FuzzParse(f *testing.F) {
	id, long := strings.Repeat("a1", 20), strings.Repeat("a1", 32)
	for _, seed := range []string{
		"", "# v2 git bundle\n", "# v2 git bundle\n" + id + " HEAD\n\nPACK",
		"# v2 git bundle\n-" + id + " title\n" + id + " refs/heads/a\n\nPACK",
		"# v3 git bundle\n@object-format=sha1\n" + id + " refs/heads/a\n\n",
		"# v3 git bundle\n@object-format=sha256\n-" + long + "\n" + long + " refs/tags/v1\n\n",
		"# v3 git bundle\n@filter=blob:none\n" + id + " refs/heads/a\n\n",
	} {
		f.Add([]byte(seed))
	}
	limits := gitbundle.Limits{Bytes: 4096, Prerequisites: 4, Refs: 4}
	f.Fuzz(func(t *testing.T, content []byte) {
		reader := bufio.NewReaderSize(bytes.NewReader(content), 16)
		header, err := gitbundle.Parse(reader, limits)
		if err != nil {
			return
		}
		rest, err := io.ReadAll(reader)
		if err != nil || !bytes.Equal(rest, content[header.Size:]) {
			t.Fatalf("the pack does not begin at %d", header.Size)
		}
		written, err := header.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := gitbundle.Parse(bufio.NewReader(bytes.NewReader(written)), gitbundle.DefaultLimits())
		again.Size = header.Size
		if err != nil || !reflect.DeepEqual(again, header) {
			t.Fatalf("%+v became %+v: %v", header, again, err)
		}
	})
}
