package gitcache

import (
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"makechain/internal/gitrepo/gittest"
)

// BenchmarkClone clones a repository with 10,000 commits from the cache, and the same repository from git http-backend.
func BenchmarkClone(b *testing.B) {
	f := newFixture(b)
	f.Grow(b, gittest.Shape{Seed: 1, Commits: 10_000, Lines: 8})
	f.add(b, 1, "--all")
	f.set(b, 1)
	program, err := exec.LookPath("git")
	if err != nil {
		b.Fatal(err)
	}
	backend := httptest.NewServer(&cgi.Handler{
		Path: program, Args: []string{"http-backend"}, Dir: f.dir,
		Env: append(gittest.Environment(), "GIT_PROJECT_ROOT="+filepath.Dir(f.path(project(1))), "GIT_HTTP_EXPORT_ALL=1", "PATH="+os.Getenv("PATH")),
	})
	b.Cleanup(backend.Close)
	for name, url := range map[string]string{
		"cache": serve(b, f.Cache).url(1), "http-backend": backend.URL + "/" + filepath.Base(f.path(project(1))),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f.Git(b, "clone", "--quiet", "--mirror", url, filepath.Join(b.TempDir(), "clone"))
			}
		})
	}
}

// BenchmarkVerify verifies a bundle of 10,000 commits, next to git index-pack alone.
func BenchmarkVerify(b *testing.B) {
	f := newFixture(b)
	f.Grow(b, gittest.Shape{Seed: 1, Commits: 10_000, Lines: 8})
	bundle := f.bundle(b, "--all")
	f.Git(b, "gc", "--quiet")
	packs, err := filepath.Glob(filepath.Join(f.Dir, ".git", "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		b.Fatalf("got %v, %v", packs, err)
	}
	b.Run("cache", func(b *testing.B) {
		for b.Loop() {
			if _, err := f.Verify(b.Context(), project(1), bundle); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("index-pack", func(b *testing.B) {
		for b.Loop() {
			f.Git(b, "index-pack", "--strict", "--threads=2", "-o", filepath.Join(b.TempDir(), "idx"), packs[0])
		}
	})
}
