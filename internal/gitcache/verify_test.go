package gitcache

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"makechain/internal/gitbundle"
	"makechain/internal/gitrepo/gittest"
)

// TestAdd adds a history in several bundles and compares all refs and objects with the original, in both formats.
func TestAdd(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "--object-format="+format)
			f.Grow(t, gittest.Shape{Seed: 1, Commits: 300, Lines: 5})
			first := f.add(t, 1, "main~40")
			if want := f.Git(t, "rev-list", "--count", "main~40"); want != itoa(first.Commits) || first.Format != gitbundle.Format(format) {
				t.Errorf("got %+v, want %s commits", first, want)
			}
			second := f.add(t, 1, "main", "^main~40")
			if len(second.Prerequisites) == 0 || second.Objects == 0 || second.Commits == 0 || second.Bytes == 0 || second.InflatedBytes < second.Bytes/4 {
				t.Errorf("got %+v", second)
			}
			if again := f.add(t, 1, "main", "^main~40"); again.Objects != second.Objects {
				t.Errorf("the second time got %+v, want %+v", again, second)
			}
			f.add(t, 1, "--all", "^main")
			f.set(t, 1)
			if err := f.SetRefs(t.Context(), project(1), f.refs(t), "refs/heads/line-1"); err != nil {
				t.Fatal(err)
			}
			cached := f.cached(1)
			cached.Git(t, "fsck", "--full", "--strict")
			for _, args := range [][]string{
				{"for-each-ref", "--format=%(objectname) %(*objectname) %(refname)"}, {"rev-list", "--objects", "--all"},
			} {
				if got, want := cached.Git(t, args...), f.Git(t, args...); got != want {
					t.Errorf("git %s differs", args[0])
				}
			}
			if head := cached.Git(t, "symbolic-ref", "HEAD"); head != "refs/heads/line-1" {
				t.Errorf("HEAD is %s", head)
			}
		})
	}
}

// TestVerifyAddsNothing verifies a bundle without adding it.
func TestVerifyAddsNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "a", "text\n")
	report, err := f.Verify(t.Context(), project(1), f.bundle(t, "main"))
	if err != nil || report.Commits != 1 || report.Objects != 3 {
		t.Fatalf("got %+v, %v", report, err)
	}
	f.checkEmpty(t)
	if f.Exists(project(1)) {
		t.Error("there is a repository")
	}
}

// TestPrerequisites refuses a bundle until the bundle that it builds on was added.
func TestPrerequisites(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "a", "one\n")
	f.write(t, "a", "two\n")
	f.write(t, "a", "three\n")
	second, third := f.bundle(t, "main~1", "^main~2"), f.bundle(t, "main", "^main~1")
	_, err := f.Add(t.Context(), project(1), third, nil)
	checkRefused(t, err, "commits that the bundle builds on are missing", gitbundle.ErrMissing)
	f.checkEmpty(t)
	f.add(t, 1, "main~2")
	_, err = f.Add(t.Context(), project(1), third, nil)
	checkRefused(t, err, "commits that the bundle builds on are missing", gitbundle.ErrMissing)
	f.add(t, 2, "main~1") // another project has them
	_, err = f.Add(t.Context(), project(1), third, nil)
	checkRefused(t, err, "commits that the bundle builds on are missing", gitbundle.ErrMissing)
	for _, bundle := range []string{second, third} {
		if _, err := f.Add(t.Context(), project(1), bundle, nil); err != nil {
			t.Fatal(err)
		}
	}
	f.set(t, 1)
	if got, want := objects(t, f.cached(1)), objects(t, f.Repo); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestKeep adds nothing when the bundle cannot be stored.
func TestKeep(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "a", "text\n")
	full := errors.New("disk full")
	_, err := f.Add(t.Context(), project(1), f.bundle(t, "main"), func(gitbundle.Report) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	f.checkEmpty(t)
	var kept gitbundle.Report
	report, err := f.Add(t.Context(), project(1), f.bundle(t, "main"), func(r gitbundle.Report) error {
		kept = r
		if f.Exists(project(1)) {
			t.Error("added before it was kept")
		}
		return nil
	})
	if err != nil || !reflect.DeepEqual(kept, report) {
		t.Errorf("got %+v and %+v, %v", kept, report, err)
	}
}

// TestFormats refuses a bundle of another object format than the first, also when both arrive at the same time.
func TestFormats(t *testing.T) {
	t.Parallel()
	f, other := newFixture(t), gittest.Init(t, "--object-format=sha256")
	f.write(t, "a", "text\n")
	other.Commit(t, "first")
	bundles := []string{f.bundle(t, "main"), (&fixture{f.Cache, other}).bundle(t, "main")}
	errs := make([]error, len(bundles))
	var done sync.WaitGroup
	for i, bundle := range bundles {
		done.Go(func() { _, errs[i] = f.Add(t.Context(), project(1), bundle, nil) })
	}
	done.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("got %v and %v", errs[0], errs[1])
	}
	refused := 0
	if errs[0] == nil {
		refused = 1
	}
	checkRefused(t, errs[refused], "ids, and the repository has", nil)
	_, err := f.Verify(t.Context(), project(1), bundles[refused])
	checkRefused(t, err, "ids, and the repository has", nil)
}

// TestConcurrentAdds adds many bundles that build on one another at the same time, repeated until each is there.
func TestConcurrentAdds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const count = 8
	bundles := make([]string, count)
	for i := range bundles {
		f.write(t, "a", itoa(int64(i)))
		bundles[i] = f.bundle(t, "main")
		if i > 0 {
			bundles[i] = f.bundle(t, "main", "^main~1")
		}
	}
	var done sync.WaitGroup
	for _, bundle := range bundles {
		done.Go(func() {
			for {
				_, err := f.Add(t.Context(), project(1), bundle, nil)
				if err == nil || !errors.Is(err, gitbundle.ErrMissing) {
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	done.Wait()
	f.set(t, 1)
	f.cached(1).Git(t, "fsck", "--full")
	if got, want := objects(t, f.cached(1)), objects(t, f.Repo); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestImportLinks checks that a fork shares the packs of its source, and keeps them when the source is deleted.
func TestImportLinks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Commit(t, "first")
	file := f.bundle(t, "main")
	for n := range byte(2) {
		if _, err := f.Cache.Add(t.Context(), project(n), project(0), file, nil); err != nil {
			t.Fatal(err)
		}
	}
	f.Commit(t, "second")
	next := f.bundle(t, "main", "^main~1")
	for n := range byte(2) {
		if _, err := f.Cache.Add(t.Context(), project(n), project(0), next, nil); err != nil {
			t.Fatal(err)
		}
	}
	packs, err := filepath.Glob(filepath.Join(f.packDir(project(1)), "*.pack"))
	if err != nil || len(packs) != 2 {
		t.Fatalf("packs %v: %v", packs, err)
	}
	for _, pack := range packs {
		own, err := os.Stat(pack)
		if err != nil {
			t.Fatal(err)
		}
		shared, err := os.Stat(filepath.Join(f.packDir(project(0)), filepath.Base(pack)))
		if err != nil || !os.SameFile(own, shared) {
			t.Errorf("%s is not shared: %v", pack, err)
		}
	}
	tip := f.Git(t, "rev-parse", "main")
	if err := f.Remove(t.Context(), project(0)); err != nil {
		t.Fatal(err)
	}
	if err := f.SetRefs(t.Context(), project(1), []gitbundle.Ref{{Name: "refs/heads/main", ID: tip}}, "refs/heads/main"); err != nil {
		t.Errorf("after the source was deleted: %v", err)
	}
}
