package gitcache

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"makechain/internal/gitbundle"
	"makechain/internal/gitrepo/gittest"
)

// Variables of the process that crashes: the cache, two bundles, the id of the second's tip, and the number of the step.
const (
	crashDir    = "GITCACHE_TEST_DIR"
	crashFirst  = "GITCACHE_TEST_FIRST"
	crashSecond = "GITCACHE_TEST_SECOND"
	crashTip    = "GITCACHE_TEST_TIP"
	crashStep   = "GITCACHE_TEST_STEP"
)

// fill adds two bundles to a cache and sets a ref.
func fill(ctx context.Context, cache *Cache, first, second, tip string) error {
	for _, bundle := range []string{first, second} {
		if _, err := (&fixture{Cache: cache}).Add(ctx, project(1), bundle, nil); err != nil {
			return err
		}
	}
	return cache.SetRefs(ctx, project(1), []gitbundle.Ref{{Name: "refs/heads/main", ID: tip}}, "refs/heads/other")
}

// crashProcess fills the cache and kills the process before a step.
func crashProcess() error {
	cache, err := Open(os.Getenv(crashDir), DefaultLimits())
	if err != nil {
		return err
	}
	steps := 0
	cache.crash = func(string) error {
		if itoa(int64(steps)) == os.Getenv(crashStep) {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				return err
			}
			select {} // until the signal arrives
		}
		steps++
		return nil
	}
	return fill(context.Background(), cache, os.Getenv(crashFirst), os.Getenv(crashSecond), os.Getenv(crashTip))
}

// TestCrash kills a process with SIGKILL before every step that changes the cache. What is there afterwards is complete,
// and repeating the calls completes the rest.
func TestCrash(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "a", "one\n")
	first := f.bundle(t, "main")
	firstObjects := objects(t, f.Repo)
	tip := f.write(t, "a", "two\n")
	second := f.bundle(t, "main", "^main~1")
	completed := false
	for step := 0; !completed; step++ {
		if step > 100 {
			t.Fatal("the process does not complete")
		}
		dir := t.TempDir()
		command := exec.CommandContext(t.Context(), os.Args[0])
		command.Env = append(os.Environ(), crashDir+"="+dir, crashFirst+"="+first, crashSecond+"="+second, crashTip+"="+tip,
			crashStep+"="+itoa(int64(step)))
		printed, err := command.CombinedOutput()
		if completed = err == nil; !completed && command.ProcessState.ExitCode() != -1 {
			t.Fatalf("step %d: %v: %s", step, err, printed)
		}
		crashed := &fixture{openCache(t, dir, DefaultLimits()), f.Repo}
		for _, file := range files(t, dir) {
			if strings.HasPrefix(file, "tmp/") {
				t.Errorf("step %d: %s was left", step, file)
			}
		}
		if crashed.Exists(project(1)) {
			cached := crashed.cached(1)
			cached.Git(t, "fsck", "--full")
			if got := objects(t, cached); got != firstObjects && got != objects(t, f.Repo) {
				t.Errorf("step %d: objects are %s", step, got)
			}
			if ref := cached.Git(t, "for-each-ref", "--format=%(objectname)"); ref != "" && ref != tip {
				t.Errorf("step %d: main is %s", step, ref)
			}
		}
		if err := fill(t.Context(), crashed.Cache, first, second, tip); err != nil {
			t.Errorf("step %d: %v", step, err)
		}
		if got, want := crashed.cached(1).Git(t, "rev-parse", "refs/heads/main"), tip; got != want {
			t.Errorf("step %d: main is %s, want %s", step, got, want)
		}
		crashed.cached(1).Git(t, "fsck", "--full", "--strict")
	}
}

// TestFailingSteps lets each step fail with an error, such as a full disk. Nothing is left in the temporary directory.
func TestFailingSteps(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "a", "one\n")
	first := f.bundle(t, "main")
	tip := f.write(t, "a", "two\n")
	second := f.bundle(t, "main", "^main~1")
	full := errors.New("disk full")
	failing := ""
	for step := range 100 {
		at := 0
		f.crash = func(name string) error {
			if at++; at-1 == step {
				failing = name
				return full
			}
			return nil
		}
		err := fill(t.Context(), f.Cache, first, second, tip)
		if err == nil {
			f.cached(1).Git(t, "fsck", "--full", "--strict")
			return
		}
		if !errors.Is(err, full) {
			t.Fatalf("%s: %v", failing, err)
		}
		if left := files(t, f.temporary()); len(left) > 0 {
			t.Errorf("%s: %v were left", failing, left)
		}
	}
	t.Error("it never succeeds")
}

// fakeGit returns a program that does something else in place of one command of git. See testdata/fake-git.
func fakeGit(t *testing.T, name string) string {
	t.Helper()
	script, err := filepath.Abs("testdata/fake-git")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(script, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// TestKilledGit kills git in each of the commands that verify a bundle. The bundle is not refused for it, nothing is left,
// and the next attempt succeeds.
func TestKilledGit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "a", "one\n")
	bundle := f.bundle(t, "main")
	for _, command := range []string{"index-pack", "cat-file", "rev-list"} {
		f.program = fakeGit(t, "kill-"+command)
		_, err := f.Add(t.Context(), project(1), bundle, nil)
		var failed *Error
		if !errors.As(err, &failed) || failed.Command != command {
			t.Errorf("%s: got %v", command, err)
		}
		f.checkEmpty(t)
	}
	f.program = "git"
	f.add(t, 1, "main")
}

// TestCanceled ends git and its children when the caller gives up, and when the time is over.
func TestCanceled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "a", "one\n")
	f.program = fakeGit(t, "hang-index-pack")
	bundle := f.bundle(t, "main")
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := f.Verify(ctx, project(1), bundle)
		result <- err
	}()
	for started := false; !started; {
		_, err := os.Stat(f.program + ".started")
		started = err == nil
		select {
		case err := <-result:
			t.Fatalf("ended with %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	f.limits.VerifyTime = time.Second
	_, err := f.Verify(t.Context(), project(1), bundle)
	checkRefused(t, err, "takes longer than 1s", gitbundle.ErrLimit)
	f.checkEmpty(t)
}

// TestEnvironment ignores the variables of git that this process may have been started with.
func TestEnvironment(t *testing.T) {
	other := gittest.Init(t)
	secret := other.Commit(t, "secret")
	t.Setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", filepath.Join(other.Dir, ".git", "objects"))
	t.Setenv("GIT_OBJECT_DIRECTORY", filepath.Join(other.Dir, ".git", "objects"))
	t.Setenv("GIT_DIR", filepath.Join(other.Dir, ".git"))
	cache := openCache(t, t.TempDir(), DefaultLimits())
	dir := cache.path(project(1))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := writeRepository(dir, gitbundle.SHA1); err != nil {
		t.Fatal(err)
	}
	if missing, err := cache.Missing(t.Context(), project(1), []string{secret}); err != nil || len(missing) != 1 {
		t.Errorf("got %v, %v", missing, err)
	}
}
