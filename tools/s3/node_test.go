package s3

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// timeout is much longer than anything takes that a test waits for.
const timeout = 2 * time.Minute

// programs are makechain and git-remote-makechain with an environment of their own.
type programs struct {
	work string
	env  []string
}

func build(t *testing.T) *programs {
	t.Helper()
	p := &programs{work: t.TempDir()}
	bin := filepath.Join(p.work, "bin")
	command := exec.CommandContext(t.Context(), "go", "build", "-C", "../..", "-o", bin+string(filepath.Separator), "./cmd/...")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build the programs: %v\n%s", err, output)
	}
	p.env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "HOME="+p.work, "XDG_CONFIG_HOME=",
		"MAKECHAIN_CONFIG_DIR="+filepath.Join(p.work, "config"), "MAKECHAIN_GRPC_ADDR=127.0.0.1:0", "MAKECHAIN_REST_ADDR=127.0.0.1:0",
		"MAKECHAIN_P2P_ADDR=127.0.0.1:0", "MAKECHAIN_BLOCK_INTERVAL=10ms", "MAKECHAIN_CONTENT_MIN_FREE=0", "MAKECHAIN_CONTENT_MAX_BYTES=1GiB",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com")
	return p
}

// try runs a command in a directory below the working one and returns what it prints.
func (p *programs) try(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	if name == "makechain" {
		name = filepath.Join(p.work, "bin", name)
	}
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env, command.WaitDelay = filepath.Join(p.work, dir), p.env, time.Second
	output, err := command.CombinedOutput()
	return string(output), err
}

func (p *programs) run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	output, err := p.try(t, dir, name, args...)
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, output)
	}
	return strings.TrimSpace(output)
}

// A daemon is a node or a content service.
type daemon struct {
	address, url string // of gRPC, and of HTTP
	stop         func()
}

// addressLine finds what a daemon prints about its addresses.
var addressLine = regexp.MustCompile(`^(gRPC|REST|content|stop) +(.*)`)

// start starts a daemon and waits until it serves.
func (p *programs) start(t *testing.T, args ...string) *daemon {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	command := exec.CommandContext(ctx, filepath.Join(p.work, "bin", "makechain"), args...)
	command.Dir, command.Env, command.Stderr, command.WaitDelay = p.work, p.env, t.Output(), timeout
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	d := &daemon{}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		found := addressLine.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		switch value := found[2]; {
		case found[1] == "gRPC":
			d.address = value
		case strings.HasPrefix(value, "http://"):
			d.url = value
		}
		if found[1] == "stop" {
			break
		}
	}
	exited := make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, output)
		exited <- command.Wait()
	}()
	stopped := false
	d.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-exited; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", args[0], err)
		}
	}
	t.Cleanup(d.stop)
	if d.url == "" {
		t.Fatalf("makechain %q did not start", args)
	}
	return d
}

// get requests a path of a daemon, with a range unless it is empty.
func (d *daemon) get(t *testing.T, path, bytes string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bytes != "" {
		request.Header.Set("Range", "bytes="+bytes)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(read)
}

// await waits until a condition is met.
func await(t *testing.T, what string, isMet func() bool) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	for !isMet() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// stored returns the paths of the git bundles below a prefix of the bucket, without the prefix.
func (s *server) stored(t *testing.T, prefix string) (bundles []string) {
	t.Helper()
	name := regexp.MustCompile(`[0-9a-f]{2}/[0-9a-f]{64}$`)
	for _, path := range objects(t, s, prefix) {
		if found := name.FindString(filepath.ToSlash(path)); found != "" && !strings.Contains(path, "references") {
			bundles = append(bundles, found)
		}
	}
	return bundles
}

// scenario is a node whose content is in a bucket, with a project alice/hello.
type scenario struct {
	*programs

	s    *server
	node *daemon
	home []string // arguments that start the node
}

func newScenario(t *testing.T) *scenario {
	t.Helper()
	s := startServer(t)
	f := &scenario{programs: build(t), s: s}
	f.home = []string{"node", "--home", "home", "--content-store", s.store("node"), "--gc"}
	f.restart(t)
	f.run(t, "", "makechain", "account", "create", "alice", "--insecure-plaintext")
	f.run(t, "", "makechain", "project", "create", "hello")
	f.run(t, "", "git", "init", "--quiet", "--initial-branch=main", "hello")
	f.commit(t, "one")
	return f
}

// restart starts the node, with additional arguments.
func (f *scenario) restart(t *testing.T, args ...string) {
	t.Helper()
	if f.node != nil {
		f.node.stop()
	}
	f.node = f.start(t, append(f.home, args...)...)
	f.env = append(f.env, "MAKECHAIN_NODE="+f.node.address)
}

// commit commits a file.
func (f *scenario) commit(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.work, "hello", text+".txt"), []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.run(t, "hello", "git", "add", ".")
	f.run(t, "hello", "git", "commit", "--quiet", "-m", text)
}

// clone clones alice/hello, compares it and deletes it.
func (f *scenario) clone(t *testing.T, settings ...string) (string, error) {
	t.Helper()
	defer func() { _ = os.RemoveAll(filepath.Join(f.work, "copy")) }()
	output, err := f.try(t, "", "git", append(settings, "clone", "makechain://alice/hello", "copy")...)
	if err != nil {
		return output, err
	}
	if got, want := f.run(t, "copy", "git", "rev-parse", "HEAD"), f.run(t, "hello", "git", "rev-parse", "main"); got != want {
		t.Errorf("the clone has %s, want %s", got, want)
	}
	f.run(t, "copy", "git", "fsck", "--strict")
	return output, nil
}

// TestNode uses a node whose git bundles are in a bucket: push, ranges, restarts, a bucket that is not available, repositories
// that are rebuilt, another service that shares the bucket, and the bucket as a static store.
func TestNode(t *testing.T) {
	f := newScenario(t)
	f.run(t, "hello", "git", "push", "--quiet", "makechain://alice/hello", "main")
	bundles := f.s.stored(t, "node")
	if len(bundles) != 1 {
		t.Fatalf("the bucket has %q, want one git bundle", bundles)
	}
	if _, err := os.Stat(filepath.Join(f.work, "home", "content", "bundles")); err == nil {
		t.Error("the directory of content has git bundles")
	}
	path := "/v1/content/" + bundles[0]
	status, whole := f.node.get(t, path, "")
	if status != http.StatusOK || !strings.HasPrefix(whole, "# v2 git bundle\n") {
		t.Errorf("GET %s: %d, %d bytes", path, status, len(whole))
	}
	for _, part := range []struct{ bytes, want string }{{"2-14", "v2 git bundle"}, {"-5", whole[len(whole)-5:]}, {"10-", whole[10:]}} {
		if status, got := f.node.get(t, path, part.bytes); status != http.StatusPartialContent || got != part.want {
			t.Errorf("GET %s, bytes %s: %d, %d bytes", path, part.bytes, status, len(got))
		}
	}
	f.checkOutage(t, path)
	f.checkRebuild(t)
	f.checkAudit(t, bundles[0])
	f.checkOther(t, path)
	f.checkStatic(t)
}

// checkOutage checks that a bucket which is not available stops neither the node nor its start, that requests are refused with
// a clear error, and that a push works afterwards.
func (f *scenario) checkOutage(t *testing.T, path string) {
	t.Helper()
	f.commit(t, "two")
	f.s.setDown(true)
	for _, restarts := range []bool{false, true} {
		if restarts {
			f.restart(t)
		}
		if status, body := f.node.get(t, path, ""); status != http.StatusServiceUnavailable || !strings.Contains(body, `"unavailable"`) {
			t.Errorf("GET from a bucket that is not available: %d %s", status, body)
		}
		if output, err := f.try(t, "hello", "git", "push", "makechain://alice/hello", "main"); err == nil || !strings.Contains(output, "not available") {
			t.Errorf("push to a bucket that is not available: %v\n%s", err, output)
		}
	}
	f.run(t, "", "makechain", "project", "create", "meanwhile")
	f.s.setDown(false)
	f.run(t, "hello", "git", "push", "--quiet", "makechain://alice/hello", "main")
	if bundles := f.s.stored(t, "node"); len(bundles) != 2 {
		t.Errorf("the bucket has %q, want two git bundles", bundles)
	}
}

// checkRebuild checks that repositories are built from the bucket, and that the node refuses to start with another store.
func (f *scenario) checkRebuild(t *testing.T) {
	t.Helper()
	f.node.stop()
	f.run(t, "", "makechain", "content", "rebuild", "--home", "home")
	if output, err := f.try(t, "", "makechain", "node", "--home", "home"); err == nil || !strings.Contains(output, "--content-store") {
		t.Errorf("start without the bucket: %v\n%s", err, output)
	}
	f.restart(t)
	want := f.run(t, "hello", "git", "rev-parse", "main")
	await(t, "the repository", func() bool {
		output, err := f.try(t, "", "git", "ls-remote", f.node.url+"/git/alice/hello")
		return err == nil && strings.Contains(output, want)
	})
	if output, err := f.clone(t); err != nil {
		t.Errorf("clone: %v\n%s", err, output)
	}
}

// checkAudit checks that an audit of the bucket finds a git bundle that was changed, for the service and for a project.
func (f *scenario) checkAudit(t *testing.T, bundle string) {
	t.Helper()
	path := filepath.Join(f.s.data, bucket, "node", bundle)
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := append([]byte{}, original...)
	changed[len(changed)/2]++
	for _, bytes := range [][]byte{changed, original} {
		if err := os.WriteFile(path, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"--home", "home", "--content-store", f.s.store("node")}, {"alice/hello", "--from", f.s.store("node")}} {
			output, err := f.try(t, "", "makechain", append([]string{"content", "audit"}, args...)...)
			if isChanged := !slices.Equal(bytes, original); isChanged != (err != nil) || isChanged != strings.Contains(output, "the bytes") {
				t.Errorf("audit %q: %v\n%s", args, err, output)
			}
		}
	}
}

// checkOther checks that another service which shares the bucket serves only what was uploaded to it.
func (f *scenario) checkOther(t *testing.T, path string) {
	t.Helper()
	other := f.start(t, "content", "serve", "--node", f.node.address, "--addr", "127.0.0.1:0", "--content-dir", "other",
		"--content-store", f.s.store("node"))
	if status, body := other.get(t, path, ""); status != http.StatusNotFound {
		t.Errorf("GET of what was not uploaded to the service: %d %s", status, body)
	}
	f.run(t, "", "makechain", "project", "create", "shared")
	f.run(t, "hello", "git", "-c", "makechain.store="+other.url, "push", "--quiet", "makechain://alice/shared", "main")
	bundles := f.s.stored(t, "node")
	if len(bundles) != 3 { // both services have the same one
		t.Errorf("the bucket has %q, want three git bundles", bundles)
	}
	served := 0
	for _, bundle := range bundles {
		if status, _ := other.get(t, "/v1/content/"+bundle, ""); status == http.StatusOK {
			served++
		}
	}
	if served != 1 {
		t.Errorf("the other service has %d git bundles, want 1", served)
	}
	other.stop()
}

// checkStatic checks that git clones from the public bucket itself while the node has no content service.
func (f *scenario) checkStatic(t *testing.T) {
	t.Helper()
	f.restart(t, "--content", "off")
	if output, err := f.clone(t); err == nil {
		t.Errorf("a clone without a store succeeded:\n%s", output)
	}
	if output, err := f.clone(t, "-c", "makechain.store="+f.s.publish(t)); err != nil {
		t.Errorf("clone from the bucket: %v\n%s", err, output)
	}
}

// publish lets everybody read what nodes have stored, and returns its URL.
func (s *server) publish(t *testing.T) string {
	t.Helper()
	admin, err := minio.New(strings.TrimPrefix(s.url, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(accessKey, secretKey, ""), Region: "us-east-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	policy := `{"Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::` + bucket + `/node/*"}]}`
	if err := admin.SetBucketPolicy(t.Context(), bucket, policy); err != nil {
		t.Fatal(err)
	}
	return s.url + "/" + bucket + "/node"
}
