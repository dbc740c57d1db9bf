package histories_test

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zeebo/blake3"

	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
)

var everyStage = flag.Bool("every-stage", false, "kill processes at every stage of every request, not only at those that differ")

// killing is a test in which processes are killed while git pushes and clones.
type killing struct {
	*machine
	*proxy

	made     *gittest.Repo
	want     *original
	store    string // in the configuration of git; "" for the node
	pidFile  string // with the process id of the helper
	kill     func()
	projects int
}

// TestKillHelper kills the remote helper at every request to the node.
func TestKillHelper(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	k := newKilling(t, newMachine(t))
	k.kill = func() { k.killHelper(t) }
	k.all(t)
}

// killHelper kills the helper that was started last.
func (k *killing) killHelper(t *testing.T) {
	t.Helper()
	content, err := os.ReadFile(k.pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(content))
	if err != nil {
		t.Fatal(err)
	}
	helper, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := helper.Kill(); err != nil {
		t.Fatal(err)
	}
}

// TestKillNode kills the node, with its content service, at every request of the remote helper, and starts it again.
func TestKillNode(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	k := newKilling(t, newMachine(t))
	k.kill = func() {
		k.node.Kill()
		k.startNode(t)
		k.move(k.address)
	}
	k.all(t)
}

// TestKillContentService kills a content service of its own at every request of the remote helper, and starts it again.
func TestKillContentService(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	m := newMachine(t, "--content", "off")
	dir := filepath.Join(t.TempDir(), "content")
	service, address := m.startService(t, dir)
	k := &killing{machine: m, proxy: newProxy(t, address)}
	k.store = k.url
	k.fill(t)
	killService := func() {
		service.Kill()
		service, address = m.startService(t, dir)
		k.move(address)
	}
	k.kill = killService
	url := k.all(t)
	// The service is also a server of files. The node has none, so the helper uses these.
	k.store = k.url + "/v1/content"
	k.reading(t, "files, killed service: ", url)
	k.kill = func() { k.killHelper(t) }
	k.reading(t, "files, killed helper: ", url)
}

// startService starts a content service and returns its address.
func (m *machine) startService(t *testing.T, dir string) (*nodetest.Process, string) {
	t.Helper()
	service := nodetest.Launch(t, m.process(t, "content", "serve", "--node", m.address, "--addr", "127.0.0.1:0", "--content-dir", dir,
		"--content-min-free", "0", "--content-max-bytes", "1GiB", "--log-level", "warn"))
	address := ""
	nodetest.Await(t, "the content service", func() bool {
		select {
		case <-service.Done():
			t.Fatalf("the content service did not start: %s", service.Stderr())
		default:
		}
		_, after, found := strings.Cut(service.Stdout(), "content  http://")
		address, _, _ = strings.Cut(after, "\n")
		return found
	})
	return service, address
}

// newKilling puts a proxy between the programs of a machine and its node.
func newKilling(t *testing.T, m *machine) *killing {
	t.Helper()
	k := &killing{machine: m, proxy: newProxy(t, m.address)}
	m.environment = append(m.environment, "MAKECHAIN_NODE="+strings.TrimPrefix(k.url, "http://"))
	k.fill(t)
	return k
}

// fill makes the repository that is pushed.
func (k *killing) fill(t *testing.T) {
	t.Helper()
	k.pidFile = filepath.Join(t.TempDir(), "pid")
	k.environment = append(k.environment, pidVariable+"="+k.pidFile)
	k.made = gittest.Init(t, "--bare")
	k.made.Grow(t, gittest.Shape{Seed: 1, Commits: 30, Lines: 2})
	k.want = k.readOriginal(t, k.made.Dir)
}

// all kills at every step of a first push, a second push, a clone and a fetch. It returns the URL of a project that has all
// refs.
func (k *killing) all(t *testing.T) string {
	t.Helper()
	newProject := func(t *testing.T) string {
		t.Helper()
		k.projects++
		return k.create(t, "p"+strconv.Itoa(k.projects))
	}
	push := func(t *testing.T, url string) (*exec.Cmd, func()) {
		t.Helper()
		return k.gitCommand(t, k.made.Dir, "push", "--quiet", "--mirror", url), func() { k.compare(t, k.want, k.clone(t, url, k.store)) }
	}
	k.each(t, "first push", func(t *testing.T) (*exec.Cmd, func()) {
		t.Helper()
		return push(t, newProject(t))
	})
	k.each(t, "second push", func(t *testing.T) (*exec.Cmd, func()) {
		t.Helper()
		url := newProject(t)
		k.mustRun(t, k.gitCommand(t, k.made.Dir, "push", "--quiet", url, "main~4:refs/heads/main", "line-1~2:refs/heads/line-1"))
		return push(t, url)
	})
	url := newProject(t)
	command, _ := push(t, url)
	k.mustRun(t, command)
	k.reading(t, "", url)
	k.checkAcknowledged(t)
	return url
}

// reading kills at every step of a clone and of a fetch.
func (k *killing) reading(t *testing.T, prefix, url string) {
	t.Helper()
	k.each(t, prefix+"clone", func(t *testing.T) (*exec.Cmd, func()) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "clone.git")
		return k.gitCommand(t, k.dir, "clone", "--quiet", "--mirror", url, dir), func() { k.compare(t, k.want, dir) }
	})
	k.each(t, prefix+"fetch", func(t *testing.T) (*exec.Cmd, func()) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "old.git")
		k.git(t, k.dir, "clone", "--quiet", "--bare", "--no-local", "--single-branch", "--branch", "light", k.made.Dir, dir)
		return k.gitCommand(t, dir, "fetch", "--quiet", "--prune", url, "+refs/*:refs/*"), func() { k.compare(t, k.want, dir) }
	})
}

// gitCommand returns a command of git that uses the store of the test.
func (k *killing) gitCommand(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	if k.store != "" {
		args = append([]string{"-c", "makechain.store=" + k.store}, args...)
	}
	return k.command(t, dir, "git", args...)
}

func (k *killing) mustRun(t *testing.T, command *exec.Cmd) {
	t.Helper()
	if printed, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, printed)
	}
}

// each runs a command once for every point at which a process is killed. A command that fails then must succeed when it is
// repeated, and check must find its result. prepare returns the command and the check.
func (k *killing) each(t *testing.T, name string, prepare func(t *testing.T) (*exec.Cmd, func())) {
	t.Helper()
	command, check := prepare(t)
	if _, printed, err := k.run(command, point{}, nil); err != nil {
		t.Fatalf("%s: %v: %s", name, err, printed)
	}
	exchanges := k.last()
	check()
	kills, list := 0, points(exchanges)
	for _, at := range list {
		t.Run(fmt.Sprintf("%s %d %s", name, at.request, at.stage), func(t *testing.T) {
			command, check := prepare(t)
			again := k.command(t, command.Dir, command.Args[0], command.Args[1:]...)
			// The number of requests differs a little from run to run, so the last points may not be reached.
			reached, printed, err := k.run(command, at, k.kill)
			if err != nil && !reached {
				t.Errorf("%s failed by itself: %s", name, printed)
			}
			if reached {
				kills++
			}
			if err != nil {
				k.mustRun(t, again)
			}
			check()
		})
	}
	if kills <= len(list)/2 {
		t.Errorf("%s was killed at %d of %d points", name, kills, len(list))
	}
	t.Logf("%s: %d requests, killed at %d points", name, len(exchanges), kills)
}

// large is the size from which a body is worth being cut in half.
const large = 1000

// points returns the points at which processes are killed during a command with such exchanges. Without -every-stage they are
// the stages of requests that write or transfer objects, of which there may be several of a kind in a row, and the first of the
// requests in between, which only read.
func points(exchanges []exchange) []point {
	var list []point
	for i, e := range exchanges {
		n := i + 1
		isFirst := i == 0 || exchanges[i-1].kind() != e.kind()
		isLast := n == len(exchanges) || exchanges[n].kind() != e.kind()
		if e.kind() == reads {
			isLast = n == len(exchanges)
		}
		if !isFirst && !isLast && !*everyStage {
			continue
		}
		list = append(list, point{n, arrived})
		if e.kind() != reads || isLast || *everyStage {
			list = append(list, point{n, answered})
		}
		if e.uploaded > large {
			list = append(list, point{n, uploading})
		}
		if e.returned > large && (e.kind() != reads || *everyStage) {
			list = append(list, point{n, delivered})
		}
	}
	return list
}

// reads is the kind of requests that change nothing and transfer no objects.
const reads = "reads"

// kind returns the kind of a request.
func (e exchange) kind() string {
	for _, kind := range []string{http.MethodPut, "git-upload-pack", "SubmitMessages", http.MethodGet + " /v1/content/"} {
		if strings.HasPrefix(e.name, kind) || strings.HasSuffix(e.name, kind) {
			return kind
		}
	}
	return reads
}

// checkAcknowledged checks that every git bundle that the service has acknowledged is still there.
func (k *killing) checkAcknowledged(t *testing.T) {
	t.Helper()
	k.mu.Lock()
	paths := k.acknowledged
	k.mu.Unlock()
	for _, path := range paths {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, k.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close() // it was only read
		if digest := ident.Hash(blake3.Sum256(content)); response.StatusCode != http.StatusOK || !strings.HasSuffix(path, digest.String()) {
			t.Errorf("%s was acknowledged, and is now %s", path, response.Status)
		}
	}
	if len(paths) == 0 {
		t.Error("no git bundle was acknowledged")
	}
}
