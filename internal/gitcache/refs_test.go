package gitcache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"makechain/internal/gitbundle"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
)

// TestSetRefs replaces refs, and changes nothing when objects are missing or a name is not valid.
func TestSetRefs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.write(t, "a", "one\n")
	f.add(t, 1, "main")
	second := f.write(t, "a", "two\n")
	ref := func(name, id string) []gitbundle.Ref { return []gitbundle.Ref{{Name: name, ID: id}} }
	if err := f.SetRefs(t.Context(), project(1), ref("refs/heads/main", first), "refs/heads/main"); err != nil {
		t.Fatal(err)
	}
	before := f.cached(1).Git(t, "for-each-ref")
	for name, test := range map[string]struct {
		refs    []gitbundle.Ref
		head    string
		missing bool
	}{
		"missing commit":  {ref("refs/heads/main", second), "refs/heads/main", true},
		"another format":  {ref("refs/heads/main", strings.Repeat("a1", 32)), "refs/heads/main", true},
		"name":            {ref("refs/heads/../main", first), "refs/heads/main", false},
		"HEAD as a ref":   {ref("HEAD", first), "refs/heads/main", false},
		"twice":           {append(ref("refs/heads/a", first), ref("refs/heads/a", first)...), "refs/heads/main", false},
		"line feed":       {ref("refs/heads/a\n"+second+" refs/heads/b", first), "refs/heads/main", false},
		"HEAD elsewhere":  {nil, "refs/tags/v1", false},
		"HEAD line feed":  {nil, "refs/heads/a\nb", false},
		"without a head":  {nil, "", false},
		"option as an id": {ref("refs/heads/main", "--all"), "refs/heads/main", true},
	} {
		err := f.SetRefs(t.Context(), project(1), test.refs, test.head)
		if err == nil || errors.Is(err, gitbundle.ErrMissing) != test.missing {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if got := f.cached(1).Git(t, "for-each-ref"); got != before {
		t.Errorf("refs are %s, want %s", got, before)
	}
	if err := f.SetRefs(t.Context(), project(2), ref("refs/heads/main", first), "refs/heads/main"); !errors.Is(err, gitbundle.ErrMissing) {
		t.Errorf("without a repository: got %v", err)
	}
	if err := f.SetRefs(t.Context(), project(2), nil, "refs/heads/main"); err != nil {
		t.Errorf("without a repository and refs: got %v", err)
	}
	if err := f.SetRefs(t.Context(), project(1), nil, "refs/heads/main"); err != nil {
		t.Fatal(err)
	}
	if got := f.cached(1).Git(t, "for-each-ref"); got != "" {
		t.Errorf("refs are %s, want none", got)
	}
}

// TestManyRefs sets 5,000 refs, among them names that a directory could not have together.
func TestManyRefs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.write(t, "a", "one\n")
	f.add(t, 1, "main")
	refs := []gitbundle.Ref{{Name: "refs/heads/a", ID: id}, {Name: "refs/heads/a/b", ID: id}}
	for i := range 5_000 {
		refs = append(refs, gitbundle.Ref{Name: fmt.Sprintf("refs/tags/v%d", i), ID: id})
	}
	if err := f.SetRefs(t.Context(), project(1), refs, "refs/heads/a"); err != nil {
		t.Fatal(err)
	}
	s := serve(t, f.Cache)
	if got := strings.Count(f.Git(t, "ls-remote", s.url(1)), "\n"); got != len(refs) { // and HEAD
		t.Errorf("got %d refs, want %d", got, len(refs))
	}
}

// TestDamagedRepository reports a repository that lost a pack, which is then rebuilt from the bundles.
func TestDamagedRepository(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "a", "one\n")
	f.add(t, 1, "main")
	f.set(t, 1)
	f.write(t, "a", "two\n")
	f.add(t, 1, "main", "^main~1")
	packs, err := filepath.Glob(filepath.Join(f.path(project(1)), "objects", "pack", "*"))
	if err != nil || len(packs) == 0 {
		t.Fatalf("got %v, %v", packs, err)
	}
	for _, pack := range packs {
		if err := os.Remove(pack); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.SetRefs(t.Context(), project(1), f.refs(t), "refs/heads/main"); !errors.Is(err, gitbundle.ErrMissing) {
		t.Errorf("got %v", err)
	}
	if err := f.Remove(t.Context(), project(1)); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(t.Context(), project(1)); err != nil {
		t.Errorf("the second time: %v", err)
	}
	f.checkEmpty(t)
	f.add(t, 1, "main")
	f.set(t, 1)
	f.cached(1).Git(t, "fsck", "--full")
}

// TestObject reads objects by id.
func TestObject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	commit := f.write(t, "a", "one\n")
	f.Git(t, "tag", "-a", "-m", "note", "v1")
	f.add(t, 1, "--all")
	blob := f.Git(t, "rev-parse", "main:a")
	for _, id := range []string{commit, blob, f.Git(t, "rev-parse", "main^{tree}"), f.Git(t, "rev-parse", "v1")} {
		kind, content, err := f.Object(t.Context(), project(1), id, 1000)
		if err != nil || kind != f.Git(t, "cat-file", "-t", id) || objectID(kind, content) != id {
			t.Errorf("%s: got %s %q, %v", id, kind, content, err)
		}
	}
	if _, _, err := f.Object(t.Context(), project(1), blob, 3); !errors.Is(err, gitbundle.ErrLimit) {
		t.Errorf("got %v", err)
	}
	for _, id := range []string{someID, "", "main", "--all", strings.Repeat("a1", 32), blob[:10], strings.ToUpper(blob), blob + "\n" + blob} {
		if _, _, err := f.Object(t.Context(), project(1), id, 1000); !errors.Is(err, gitbundle.ErrMissing) {
			t.Errorf("%q: got %v", id, err)
		}
	}
	if _, _, err := f.Object(t.Context(), project(2), blob, 1000); !errors.Is(err, gitbundle.ErrMissing) {
		t.Errorf("another project: got %v", err)
	}
	missing, err := f.Missing(t.Context(), project(1), []string{commit, someID, blob, "main", otherID})
	if err != nil || strings.Join(missing, " ") != "main "+someID+" "+otherID {
		t.Errorf("got %v, %v", missing, err)
	}
	if missing, err := f.Missing(t.Context(), project(2), []string{commit}); err != nil || len(missing) != 1 {
		t.Errorf("another project: got %v, %v", missing, err)
	}
}

// TestMaintain combines packs while clones read them. No object is lost, also none that no ref reaches.
func TestMaintain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.limits.Packs = 3
	f.write(t, "a", "0")
	f.add(t, 1, "main")
	for i := range 8 {
		f.write(t, "a", itoa(int64(i+1)))
		f.add(t, 1, "main", "^main~1")
	}
	f.set(t, 1)
	f.Git(t, "checkout", "--quiet", "--orphan", "unnamed")
	f.write(t, "b", "text\n")
	f.add(t, 1, "unnamed")
	s := serve(t, f.Cache)
	before := objects(t, f.cached(1))
	var done sync.WaitGroup
	for range 3 {
		done.Go(func() {
			if printed, ok := tryGit(t, f.Dir, "clone", "--quiet", s.url(1), t.TempDir()); !ok {
				t.Error(printed)
			}
		})
	}
	if err := f.Maintain(t.Context(), project(1)); err != nil {
		t.Fatal(err)
	}
	done.Wait()
	if got := objects(t, f.cached(1)); got != before {
		t.Errorf("objects are %s, want %s", got, before)
	}
	packs, err := filepath.Glob(filepath.Join(f.path(project(1)), "objects", "pack", "*.pack"))
	if err != nil || len(packs) > 3 {
		t.Errorf("%d packs, %v", len(packs), err)
	}
	if err := f.Maintain(t.Context(), project(2)); err != nil {
		t.Errorf("without a repository: %v", err)
	}
	f.cached(1).Git(t, "fsck", "--full")
	outside := gittest.Init(t)
	outside.Git(t, "clone", "--quiet", s.url(1), t.TempDir())
}

// TestReplace checks that a repository replaces that of a project only when it is complete, and that nothing else is left.
func TestReplace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "a", "one")
	f.add(t, 1, "main")
	f.set(t, 1)
	tip := f.write(t, "b", "two")
	f.add(t, 2, "main")
	f.set(t, 2)
	replace := func(project, by ident.Hash, isComplete, want bool) {
		t.Helper()
		if replaced, err := f.Replace(t.Context(), project, by, func() bool { return isComplete }); replaced != want || err != nil {
			t.Errorf("Replace returns %t, %v", replaced, err)
		}
	}
	replace(project(1), project(2), false, false)
	if got := f.cached(1).Git(t, "rev-parse", "main"); got == tip {
		t.Error("a repository that was not complete was used")
	}
	replace(project(1), project(2), true, true)
	if got := f.cached(1).Git(t, "rev-parse", "main"); got != tip || f.Exists(project(2)) {
		t.Errorf("main is %s, want %s", got, tip)
	}
	replace(project(3), project(1), true, true) // which had none
	if got := f.cached(3).Git(t, "rev-parse", "main"); got != tip || f.Exists(project(1)) {
		t.Errorf("main is %s, want %s", got, tip)
	}
	replace(project(3), project(1), true, true) // by none
	f.checkEmpty(t)
}

// TestExchange checks both ways to exchange directories.
func TestExchange(t *testing.T) {
	t.Parallel()
	for name, exchange := range map[string]func(a, b string) error{"of the system": exchange, "in steps": exchangeInSteps} {
		dir := t.TempDir()
		for _, file := range []string{"a/1", "b/2", "b.aside/left"} {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o700),
				os.WriteFile(filepath.Join(dir, file), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if err := exchange(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, file := range []string{"a/2", "b/1"} {
			if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestBitmaps checks that bitmaps are written when refs have reached new packs, again after much was added, and after a process
// was killed while it wrote them; and that a repository with bitmaps can be cloned.
func TestBitmaps(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	maintain := func() string {
		t.Helper()
		if err := f.Maintain(t.Context(), project(1)); err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(f.packDir(project(1)), "*.bitmap"))
		if err != nil || len(found) > 1 {
			t.Fatalf("%v, %v", found, err)
		}
		return strings.Join(found, "")
	}
	f.Grow(t, gittest.Shape{Seed: 1, Commits: 1000, Lines: 3})
	f.add(t, 1, "main~1")
	if maintain() != "" {
		t.Error("bitmaps without refs")
	}
	f.add(t, 1, "--all", "^main~1")
	f.set(t, 1)
	if err := os.WriteFile(filepath.Join(f.packDir(project(1)), multiPackIndex+".lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first := maintain()
	if first == "" {
		t.Fatal("no bitmaps")
	}
	f.write(t, "a", "text")
	f.add(t, 1, "main", "^main~1")
	f.set(t, 1)
	if maintain() != first {
		t.Error("other bitmaps after a small change")
	}
	commit := "commit refs/heads/other\ncommitter A <a@example.com> 1 +0000\ndata 0\n\n"
	f.Feed(t, []byte(strings.Repeat(commit, 300)), "fast-import", "--quiet")
	f.add(t, 1, "other")
	f.set(t, 1)
	if second := maintain(); second == first || second == "" {
		t.Errorf("bitmaps after a large change: %q", second)
	}
	clone := &gittest.Repo{Dir: t.TempDir()}
	f.Git(t, "clone", "--quiet", "--mirror", serve(t, f.Cache).url(1), clone.Dir)
	const all = "--all"
	if got, want := clone.Git(t, "rev-list", "--objects", all), f.Git(t, "rev-list", "--objects", all); got != want {
		t.Error("a clone differs")
	}
	f.cached(1).Git(t, "multi-pack-index", "verify")
}
