package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// machine has the program, an account alice and a running node.
type machine struct {
	*nodetest.Node

	environment []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	config := nodetest.Config(t.TempDir(), slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	config.Content.Mode, config.Content.MaxBytes = node.ContentOn, maxContent
	m := &machine{Node: nodetest.StartWith(t, config)}
	m.environment = append(append(os.Environ(), gittest.Environment()...), "TZ=UTC",
		"MAKECHAIN_NODE="+m.GRPCAddr(), "MAKECHAIN_CONFIG_DIR="+filepath.Join(t.TempDir(), "config"))
	m.must(t, ".", "account", "create", "alice", "--insecure-plaintext")
	return m
}

// command returns a command that runs the program: this test binary under the name makechain.
func (m *machine) command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), self)
	command.Args = append([]string{"makechain"}, args...)
	command.Dir, command.Env = dir, m.environment
	return command
}

// must runs the program, which must succeed, and returns its output.
func (m *machine) must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	command := m.command(t, dir, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("makechain %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(printed)
}

// compareLog compares the commit log of the chain with that of git, commit by commit.
func (m *machine) compareLog(t *testing.T, made *gittest.Repo, project, ref string) {
	t.Helper()
	got := strings.Split(strings.TrimSuffix(m.must(t, made.Dir, "commit", "log", project+"@"+ref, "--full"), "\n"), "\n")
	want := strings.Split(made.Git(t, "log", "--author-date-order", "--date=format:%Y-%m-%dT%H:%M:%SZ", "--format=%H  %at  %an  %s", ref), "\n")
	if len(got) != len(want) {
		t.Fatalf("%s: %d commits, git has %d", project, len(got), len(want))
	}
	for i := range want {
		var id string
		var seconds int64
		if _, err := fmt.Sscanf(want[i], "%s %d", &id, &seconds); err != nil {
			t.Fatal(err)
		}
		fields := strings.SplitN(want[i], "  ", 4)
		author := cmp.Or(fields[2], "-")
		line := fmt.Sprintf("%s  %s  %-16s  alice  %s", id, time.Unix(seconds, 0).UTC().Format(time.RFC3339), author,
			strings.ReplaceAll(fields[3], "\t", `\x09`))
		if got[i] != line {
			t.Fatalf("%s: commit %d is %q, git has %q", project, i, got[i], line)
		}
	}
}

// TestPushAndLog pushes a history of several thousand commits with merges, tags and non-ASCII names, and checks that the
// commit log of each ref is that of git.
func TestPushAndLog(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("pushes a repository")
	}
	m := newMachine(t)
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 42, Commits: 3_200, Lines: 6})
	start := time.Now()
	m.must(t, made.Dir, "push", "alice/large", "--create", "--all", "--tags")
	t.Logf("pushed in %v", time.Since(start))
	for _, ref := range []string{"main", "line-3", "annotated", "größe/v1"} {
		m.compareLog(t, made, "alice/large", ref)
	}
	if again := m.must(t, made.Dir, "push", "--all", "--tags"); !strings.Contains(again, "is up to date") {
		t.Errorf("the second push printed %q", again)
	}
}

// TestOwnHistory pushes the history of this repository and compares the logs. Without a full clone it uses a generated
// history.
func TestOwnHistory(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("pushes this repository")
	}
	m := newMachine(t)
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
	m.must(t, made.Dir, "push", "alice/own", "--create")
	m.compareLog(t, made, "alice/own", "main")
}

// TestKilledPush ends pushes at random times with SIGKILL or SIGINT, and repeats them until one succeeds. It checks that
// every ref points to a commit of the chain after each attempt, that the log is that of git at the end, and that only
// bundles in flight at the time of the signal were submitted twice.
//
// Rules: P9.3, P9.4.
func TestKilledPush(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("kills pushes")
	}
	m := newMachine(t)
	kills, again := 0, 0
	for seed := range uint64(4) {
		made := gittest.Init(t)
		made.Grow(t, gittest.Shape{Seed: 500 + seed, Commits: 2_200, Lines: 4})
		project := fmt.Sprintf("alice/killed-%d", seed)
		for limit := 150 * time.Millisecond; !m.interrupt(t, made, project, rand.N(limit)); limit += limit / 3 {
			kills++
			m.checkRefs(t, project)
		}
		m.compareLog(t, made, project, "main")
		again += m.repeatedBundles(t, project)
	}
	t.Logf("%d pushes were ended, %d bundles submitted again", kills, again)
	if kills < 4 || again > kills {
		t.Errorf("%d pushes were ended, want at least 4; %d bundles were submitted again", kills, again)
	}
}

// interrupt runs a push and sends a signal after some time. It reports whether the push succeeded.
func (m *machine) interrupt(t *testing.T, made *gittest.Repo, project string, after time.Duration) (done bool) {
	t.Helper()
	command := m.command(t, made.Dir, "push", project, "main", "--create")
	var stderr bytes.Buffer
	command.Stderr = &stderr
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
			t.Fatalf("push: %v: %s", err, stderr.String())
		}
		return true
	case <-ctx.Done():
	}
	if err := command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	err := <-ended
	if err != nil && signal == syscall.SIGINT && command.ProcessState.Exited() && !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("an interrupted push printed %q", stderr.String())
	}
	return err == nil
}

// checkRefs checks that every ref of a project, if it exists, points to a commit that the chain has.
func (m *machine) checkRefs(t *testing.T, name string) {
	t.Helper()
	project, found := m.find(t, name)
	if !found {
		return
	}
	for _, ref := range nodetest.Call(t, m.ListRefs, &pb.ListRefsRequest{ProjectId: project[:], Limit: 200}).GetRefs() {
		nodetest.Call(t, m.GetCommit, &pb.GetCommitRequest{ProjectId: project[:], CommitHash: ref.GetHash()})
	}
}

func (m *machine) find(t *testing.T, name string) (message.Hash, bool) {
	t.Helper()
	c, err := client.New(m.GRPCAddr())
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

// repeatedBundles counts the bundles with commits that another bundle also has.
func (m *machine) repeatedBundles(t *testing.T, name string) int {
	t.Helper()
	project, _ := m.find(t, name)
	response := nodetest.Call(t, m.GetProjectActivity, &pb.GetProjectActivityRequest{
		ProjectId: project[:], Limit: 200, Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE},
	})
	seen, again := map[string]bool{}, 0
	for _, entry := range response.GetMessages() {
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
