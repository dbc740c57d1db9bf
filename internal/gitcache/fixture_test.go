package gitcache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"makechain/internal/gitbundle"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
)

func TestMain(m *testing.M) {
	if err := gittest.Hermetic(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv(crashDir) != "" {
		if err := crashProcess(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fixture is a cache and a repository whose bundles are added to it.
type fixture struct {
	*Cache
	*gittest.Repo
}

func newFixture(t testing.TB, options ...string) *fixture {
	t.Helper()
	return &fixture{openCache(t, t.TempDir(), DefaultLimits()), gittest.Init(t, options...)}
}

func openCache(t testing.TB, dir string, limits Limits) *Cache {
	t.Helper()
	cache, err := Open(dir, limits)
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func project(n byte) ident.Hash { return ident.Hash{n, 0xab} }

// bundle returns the file of a bundle of revisions.
func (f *fixture) bundle(t testing.TB, revisions ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bundle")
	for i, revision := range revisions { // a bundle needs refs
		if strings.Contains(revision, "~") && revision[0] != '^' {
			revisions[i] = "refs/temporary/" + itoa(int64(i))
			f.Git(t, "update-ref", revisions[i], revision)
			defer f.Git(t, "update-ref", "-d", revisions[i])
		}
	}
	f.Git(t, append([]string{"bundle", "create", "--quiet", file}, revisions...)...)
	return file
}

// Add adds a bundle that no other repository has.
func (f *fixture) Add(ctx context.Context, project ident.Hash, file string, keep func(gitbundle.Report) error) (gitbundle.Report, error) {
	return f.Cache.Add(ctx, project, ident.Hash{}, file, keep)
}

func (f *fixture) add(t testing.TB, n byte, revisions ...string) gitbundle.Report {
	t.Helper()
	report, err := f.Add(t.Context(), project(n), f.bundle(t, revisions...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// write commits a file with the given content.
func (f *fixture) write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(f.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Git(t, "add", "--all")
	f.Git(t, "commit", "--quiet", "--message", name)
	return f.Git(t, "rev-parse", "HEAD")
}

// refs returns the branches and tags of the repository.
func (f *fixture) refs(t testing.TB) []gitbundle.Ref {
	t.Helper()
	var refs []gitbundle.Ref
	for line := range strings.SplitSeq(f.Git(t, "for-each-ref", "--format=%(objectname) %(refname)"), "\n") {
		id, name, _ := strings.Cut(line, " ")
		refs = append(refs, gitbundle.Ref{Name: name, ID: id})
	}
	return refs
}

func (f *fixture) set(t testing.TB, n byte) {
	t.Helper()
	if err := f.SetRefs(t.Context(), project(n), f.refs(t), "refs/heads/main"); err != nil {
		t.Fatal(err)
	}
}

// cached returns the repository of a project in the cache.
func (f *fixture) cached(n byte) *gittest.Repo { return &gittest.Repo{Dir: f.path(project(n))} }

// objects returns the ids of all objects of a repository, whether or not a ref reaches them.
func objects(t testing.TB, repo *gittest.Repo) string {
	t.Helper()
	return repo.Git(t, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
}

// files returns the files below a directory.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = append(found, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// checkEmpty fails when something of a refused bundle is on disk.
func (f *fixture) checkEmpty(t testing.TB) {
	t.Helper()
	for _, file := range files(t, f.dir) {
		if !strings.HasPrefix(file, "empty.git/") {
			t.Errorf("%s was left", file)
		}
	}
}

// checkRefused fails unless an error refuses a bundle with a text.
func checkRefused(t testing.TB, err error, want string, cause error) {
	t.Helper()
	var refused *gitbundle.Error
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) || !errors.Is(refused.Cause, cause) {
		t.Errorf("got %v, want %q", err, want)
	}
}
