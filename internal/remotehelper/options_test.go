package remotehelper_test

import (
	"path/filepath"
	"strings"
	"testing"

	"makechain/internal/gitrepo/gittest"
)

// TestDepth clones a shallow history, deepens it and completes it.
func TestDepth(t *testing.T) {
	t.Parallel()
	f := newFixture(t, grown(t))
	f.chain.NodeURL = backend(t, f.origin).URL
	f.save(t)
	dir := f.clone(t, "--depth", "1")
	if got := f.must(t, dir, "rev-list", "--count", "HEAD"); got != "1" {
		t.Errorf("the shallow clone has %s commits", got)
	}
	f.must(t, dir, "fetch", "--quiet", "--deepen", "2")
	if got := f.must(t, dir, "rev-list", "--count", "--first-parent", "HEAD"); got != "3" {
		t.Errorf("the deepened clone has %s commits", got)
	}
	f.origin.Commit(t, "after the shallow clone")
	f.update(t)
	f.must(t, dir, "pull", "--quiet")
	f.must(t, dir, "fetch", "--quiet", "--unshallow", "--tags", "origin", "+refs/heads/*:refs/remotes/origin/*")
	f.equals(t, dir)
}

// TestDepthOfFiles checks that a shallow or partial clone of a store without git is refused.
func TestDepthOfFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t, grown(t))
	f.chain.NodeURL = f.store(t, "directory")
	f.save(t)
	for _, option := range []string{"--depth=1", "--filter=blob:none"} {
		printed, succeeded := f.git(t, f.dir, "clone", option, "makechain://alice/hello", "copy")
		if succeeded || !strings.Contains(printed, "a shallow or partial clone needs a store that serves git") {
			t.Errorf("git printed %q", printed)
		}
	}
}

// TestFilter clones without blobs, and fetches them when they are needed.
func TestFilter(t *testing.T) {
	t.Parallel()
	f := newFixture(t, grown(t))
	f.chain.NodeURL = backend(t, f.origin).URL
	f.save(t)
	dir := f.clone(t, "--filter=blob:none", "--no-checkout")
	missing := f.must(t, dir, "rev-list", "--objects", "--all", "--missing=print", "--no-object-names")
	if !strings.Contains(missing, "?") {
		t.Error("no object is missing in a clone without blobs")
	}
	f.must(t, dir, "checkout", "--quiet", "main")
	f.must(t, dir, "log", "--patch", "main", "--", "file-0")
	if got, want := f.must(t, dir, "rev-parse", "HEAD"), f.origin.Git(t, "rev-parse", "HEAD"); got != want {
		t.Errorf("HEAD is %s, want %s", got, want)
	}
}

// TestFilterUnsupported clones with a filter from a server without filters, which sends everything.
func TestFilterUnsupported(t *testing.T) {
	t.Parallel()
	f := newFixture(t, grown(t))
	f.chain.NodeURL = backend(t, f.origin).URL
	f.origin.Git(t, "config", "uploadpack.allowFilter", "false")
	f.save(t)
	f.equals(t, f.clone(t, "--filter=blob:none"))
}

// TestMirror clones all refs.
func TestMirror(t *testing.T) {
	t.Parallel()
	f := newFixture(t, grown(t))
	f.chain.NodeURL = backend(t, f.origin).URL
	f.save(t)
	dir := f.clone(t, "--mirror")
	f.equals(t, dir)
	const format = "--format=%(objectname) %(refname)"
	if got, want := f.must(t, dir, "for-each-ref", format), f.origin.Git(t, "for-each-ref", format); got != want {
		t.Errorf("the refs are\n%s\nwant\n%s", got, want)
	}
}

// TestListRemote lists refs outside of a repository, with HEAD and peeled tags, with both versions of the protocol.
func TestListRemote(t *testing.T) {
	t.Parallel()
	f := newFixture(t, grown(t))
	f.chain.NodeURL = backend(t, f.origin).URL
	f.save(t)
	want := f.must(t, f.dir, "ls-remote", "--symref", f.origin.Dir)
	if got := f.must(t, f.dir, "ls-remote", "--symref", "makechain://alice/hello"); got != want {
		t.Errorf("the refs are\n%s\nwant\n%s", got, want)
	}
	f.must(t, f.dir, "-c", "protocol.version=0", "ls-remote", "makechain://"+f.project.ID.String())
}

// TestProtocolZero clones when protocol version 2 is disabled.
func TestProtocolZero(t *testing.T) {
	t.Parallel()
	f := newFixture(t, grown(t))
	f.chain.NodeURL = backend(t, f.origin).URL
	f.save(t)
	dir := filepath.Join(t.TempDir(), "copy")
	f.must(t, f.dir, "-c", "protocol.version=0", "clone", "--quiet", "makechain://alice/hello", dir)
	f.equals(t, dir)
}

// TestEmpty clones a project without refs.
func TestEmpty(t *testing.T) {
	t.Parallel()
	f := newFixture(t, gittest.Init(t))
	f.project.DefaultBranch = "refs/heads/trunk"
	f.save(t)
	dir := f.clone(t)
	if got := f.must(t, dir, "symbolic-ref", "HEAD"); got != "refs/heads/trunk" {
		t.Errorf("HEAD is %s", got)
	}
}

// TestDefaultBranch clones a project with a default branch, and hides refs that git has no use for.
func TestDefaultBranch(t *testing.T) {
	t.Parallel()
	f := newFixture(t, grown(t))
	f.origin.Git(t, "update-ref", "refs/makechain/push/1234-56/1", "main")
	f.update(t)
	f.project.DefaultBranch = "refs/heads/line-1"
	f.project.Refs = append(f.project.Refs, f.project.Refs[0], f.project.Refs[0], f.project.Refs[0])
	for i, name := range []string{"refs/heads/a b", "HEAD", "refs/makechain/push/1234-56/1"} {
		f.project.Refs[len(f.project.Refs)-1-i].Name = name
	}
	f.chain.NodeURL = backend(t, f.origin).URL
	f.save(t)
	dir := f.clone(t, "--mirror")
	if got := f.must(t, dir, "symbolic-ref", "HEAD"); got != "refs/heads/line-1" {
		t.Errorf("HEAD is %s", got)
	}
	if refs := f.must(t, dir, "for-each-ref"); strings.Contains(refs, "refs/makechain") || strings.Contains(refs, "a b") {
		t.Errorf("the clone has the refs\n%s", refs)
	}
}
