package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// desk is a machine with the program, an account called alice, and a node within reach.
type desk struct {
	*nodetest.Node

	environment []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{Node: nodetest.Start(t, t.TempDir())}
	d.environment = append(append(os.Environ(), gittest.Environment()...), "TZ=UTC",
		"MAKECHAIN_NODE="+d.GRPCAddr(), "MAKECHAIN_CONFIG_DIR="+filepath.Join(t.TempDir(), "config"))
	d.must(t, ".", "account", "create", "alice", "--insecure-plaintext")
	return d
}

// command prepares the program, which is this very binary under its other name.
func (d *desk) command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), self)
	command.Args = append([]string{"makechain"}, args...)
	command.Dir, command.Env = dir, d.environment
	return command
}

// must runs the program, which has to succeed, and gives what it prints.
func (d *desk) must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	command := d.command(t, dir, args...)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("makechain %s: %v: %s", strings.Join(args, " "), err, complaints.String())
	}
	return string(printed)
}

// agrees compares the log of the chain with git's, commit by commit.
func (d *desk) agrees(t *testing.T, made *gittest.Repo, project, ref string) {
	t.Helper()
	got := strings.Split(strings.TrimSuffix(d.must(t, made.Dir, "commit", "log", project+"@"+ref, "--full"), "\n"), "\n")
	want := strings.Split(made.Git(t, "log", "--author-date-order", "--date=format:%Y-%m-%dT%H:%M:%SZ", "--format=%H  %at  %s", ref), "\n")
	if len(got) != len(want) {
		t.Fatalf("%s: %d commits, git logs %d", project, len(got), len(want))
	}
	for i := range want {
		var id, title string
		var seconds int64
		if _, err := fmt.Sscanf(want[i], "%s %d", &id, &seconds); err != nil {
			t.Fatal(err)
		}
		title = strings.SplitN(want[i], "  ", 3)[2]
		line := fmt.Sprintf("%s  %s  alice  %s", id, time.Unix(seconds, 0).UTC().Format(time.RFC3339), strings.ReplaceAll(title, "\t", `\x09`))
		if got[i] != line {
			t.Fatalf("%s: commit %d is %q, git has %q", project, i, got[i], line)
		}
	}
}

// TestPushAndLog pushes a history of several thousand commits with merges of all kinds, tags and names in many scripts, and
// reads it back. The log of the chain is that of git, for every ref.
func TestPushAndLog(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 42, Commits: 3_200, Lines: 6})
	began := time.Now()
	d.must(t, made.Dir, "push", "alice/large", "--create", "--all", "--tags")
	t.Logf("pushed in %v", time.Since(began))
	for _, ref := range []string{"main", "line-3", "annotated", "größe/v1"} {
		d.agrees(t, made, "alice/large", ref)
	}
	if again := d.must(t, made.Dir, "push", "--all", "--tags"); !strings.Contains(again, "is up to date") {
		t.Errorf("the second push says %q", again)
	}
}

// TestOwnHistory does the same with the history of this program, where it was built from a clone that has it. Elsewhere a
// made-up one takes its place.
func TestOwnHistory(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("pushes this repository")
	}
	d := newDesk(t)
	made := gittest.Init(t)
	const root = "../.."
	if own, err := gitrepo.Open(t.Context(), root); err == nil && !own.IsShallow() {
		absolute, err := filepath.Abs(root)
		if err != nil {
			t.Fatal(err)
		}
		made.Git(t, "fetch", "--quiet", "file://"+absolute, "HEAD")
		made.Git(t, "reset", "--quiet", "--hard", "FETCH_HEAD")
	} else {
		made.Grow(t, gittest.Shape{Seed: 1, Commits: 300, Lines: 3})
	}
	d.must(t, made.Dir, "push", "alice/own", "--create")
	d.agrees(t, made, "alice/own", "main")
}

// TestKilledPush kills the program at random moments of its pushes, in both ways, and repeats the push until one is done.
// After each death every ref points at a commit that is there; at the end the chain agrees with git, and no bundle was
// sent twice but those on their way when the program died.
//
// Rules: P9.3, P9.4.
func TestKilledPush(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("kills pushes")
	}
	d := newDesk(t)
	deaths, again := 0, 0
	for seed := range uint64(4) {
		made := gittest.Init(t)
		made.Grow(t, gittest.Shape{Seed: 500 + seed, Commits: 2_200, Lines: 4})
		project := fmt.Sprintf("alice/killed-%d", seed)
		for limit := 150 * time.Millisecond; !d.interrupt(t, made, project, rand.N(limit)); limit += limit / 3 {
			deaths++
			d.refsAreKnown(t, project)
		}
		d.agrees(t, made, project, "main")
		again += d.bundlesSentAgain(t, project)
	}
	t.Logf("%d pushes were killed, %d bundles sent again", deaths, again)
	if deaths < 4 || again > deaths {
		t.Errorf("%d pushes were killed, and %d bundles sent again", deaths, again)
	}
}

// interrupt runs a push and ends it after some time, unless it has ended by itself. It says whether the push is done.
func (d *desk) interrupt(t *testing.T, made *gittest.Repo, project string, after time.Duration) (done bool) {
	t.Helper()
	command := d.command(t, made.Dir, "push", project, "main", "--create")
	var complaints bytes.Buffer
	command.Stderr = &complaints
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	signal := syscall.SIGKILL
	if after%2 == 0 {
		signal = syscall.SIGINT
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("push: %v: %s", err, complaints.String())
		}
		return true
	case <-ctx.Done():
	}
	if err := command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	err := <-ended
	if err != nil && signal == syscall.SIGINT && command.ProcessState.Exited() && !strings.Contains(complaints.String(), "interrupted") {
		t.Errorf("a push that was interrupted says %q", complaints.String())
	}
	return err == nil
}

// refsAreKnown checks that every ref of a project points at a commit that the chain has. The project need not be there.
func (d *desk) refsAreKnown(t *testing.T, name string) {
	t.Helper()
	project, found := d.find(t, name)
	if !found {
		return
	}
	for _, ref := range nodetest.Call(t, d.ListRefs, &pb.ListRefsRequest{ProjectId: project[:], Limit: 200}).GetRefs() {
		nodetest.Call(t, d.GetCommit, &pb.GetCommitRequest{ProjectId: project[:], CommitHash: ref.GetHash()})
	}
}

func (d *desk) find(t *testing.T, name string) (message.Hash, bool) {
	t.Helper()
	c, err := client.New(d.GRPCAddr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	project, err := c.Project(t.Context(), name)
	if missing := (*client.NotFoundError)(nil); err != nil && !errors.As(err, &missing) {
		t.Fatal(err)
	}
	return project, err == nil
}

// bundlesSentAgain counts the bundles that brought commits which another one had brought.
func (d *desk) bundlesSentAgain(t *testing.T, name string) int {
	t.Helper()
	project, _ := d.find(t, name)
	answer := nodetest.Call(t, d.GetProjectActivity, &pb.GetProjectActivityRequest{
		ProjectId: project[:], Limit: 200, Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE},
	})
	seen, again := map[string]bool{}, 0
	for _, entry := range answer.GetMessages() {
		repeated := false
		for _, commit := range entry.GetMessage().GetData().GetCommitBundle().GetCommits() {
			repeated = repeated || seen[string(commit.GetHash())]
			seen[string(commit.GetHash())] = true
		}
		if repeated {
			again++
		}
	}
	return again
}
