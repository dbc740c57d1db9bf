package remotehelper_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/remotehelper"
	"makechain/internal/storeclient"
	"makechain/message"
)

const (
	helperName = "git-remote-makechain"
	// chainVariable names the file from which the helper of a test reads its chain.
	chainVariable = "REMOTEHELPER_TEST_CHAIN"
	chainID       = "makechain-test"
	stall         = time.Minute
)

// TestMain runs the tests, or the helper when git has started this program under its name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == helperName {
		if err := runHelper(); err != nil {
			fmt.Fprintln(os.Stderr, "makechain:", err)
			os.Exit(1)
		}
		return
	}
	if err := gittest.Hermetic(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// fakeChain is a chain in a file.
type fakeChain struct {
	Names    map[string]message.Hash
	Projects map[string]*remotehelper.Project // by id
	Digests  map[string][]message.Hash        // by id of the project
	NodeURL  string
	Public   bool // the node is not in a private network
	Stall    time.Duration
}

func (c *fakeChain) Resolve(_ context.Context, name string) (message.Hash, error) {
	if id, err := ident.ParseHash(name); err == nil {
		return id, nil
	}
	id, found := c.Names[name]
	if !found {
		return id, fmt.Errorf("there is no project %q", name)
	}
	return id, nil
}

func (c *fakeChain) Project(_ context.Context, id message.Hash) (*remotehelper.Project, error) {
	return c.Projects[id.String()], nil
}

func (c *fakeChain) Contents(_ context.Context, id message.Hash) ([]message.Hash, error) {
	return c.Digests[id.String()], nil
}

// runHelper is the program that git runs.
func runHelper() error {
	content, err := os.ReadFile(os.Getenv(chainVariable))
	if err != nil {
		return err
	}
	chain := &fakeChain{}
	if err := json.Unmarshal(content, chain); err != nil {
		return err
	}
	ctx := context.Background()
	config, err := remotehelper.ReadConfig(ctx, "")
	if err != nil {
		return err
	}
	address, err := remotehelper.ParseAddress(os.Args[2])
	if err != nil {
		return err
	}
	h := &remotehelper.Helper{
		Remote: os.Args[1], URL: os.Args[2], Address: address, Config: config, Chain: chain, NodeURL: chain.NodeURL,
		Stores: storeclient.NewClient(chainID, http.ProxyFromEnvironment, chain.Stall), FollowPrivate: !chain.Public,
		In: os.Stdin, Out: os.Stdout, Notes: os.Stderr,
	}
	return h.Run(ctx)
}

// fixture is a chain with the project alice/hello, whose refs are those of a git repository.
type fixture struct {
	chain   fakeChain
	project *remotehelper.Project
	origin  *gittest.Repo
	dir     string
	served  string // the directory of a static store
	// environment has further variables of git.
	environment []string
}

func newFixture(t *testing.T, origin *gittest.Repo) *fixture {
	t.Helper()
	id := message.Hash{1, 2, 3}
	f := &fixture{origin: origin, dir: t.TempDir(), project: &remotehelper.Project{ID: id}}
	f.chain = fakeChain{
		Names: map[string]message.Hash{"alice/hello": id}, Projects: map[string]*remotehelper.Project{id.String(): f.project},
		Digests: map[string][]message.Hash{}, Stall: stall,
	}
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(test, filepath.Join(f.dir, helperName)); err != nil {
		t.Fatal(err)
	}
	f.update(t)
	return f
}

// update sets the refs of the project to those of the repository.
func (f *fixture) update(t *testing.T) {
	t.Helper()
	f.project.Refs = nil
	printed := f.origin.Git(t, "for-each-ref", "--format=%(objecttype) %(objectname) %(*objectname) %(refname)", "refs/heads", "refs/tags")
	for line := range strings.Lines(printed) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 4)
		ref := remotehelper.Ref{Name: fields[3], Commit: hashOf(t, fields[1])}
		if fields[0] == "tag" {
			ref.TagObject, ref.Commit = ref.Commit, hashOf(t, f.origin.Git(t, "rev-parse", fields[1]+"^{commit}"))
		}
		if strings.HasPrefix(ref.Name, "refs/tags/") {
			ref.Type = pb.RefType_REF_TYPE_TAG
		}
		f.project.Refs = append(f.project.Refs, ref)
	}
	f.save(t)
}

// save writes the chain to the file that the helper reads.
func (f *fixture) save(t *testing.T) {
	t.Helper()
	content, err := json.Marshal(&f.chain)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.dir, "chain.json"), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func hashOf(t *testing.T, id string) message.Hash {
	t.Helper()
	hash, err := gitid.Parse(id)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// git runs git in a directory and returns what it printed on both outputs, and whether it succeeded.
func (f *fixture) git(t *testing.T, dir string, args ...string) (printed string, succeeded bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), append(gittest.Environment(),
		"PATH="+f.dir+string(os.PathListSeparator)+os.Getenv("PATH"), chainVariable+"="+filepath.Join(f.dir, "chain.json"))...)
	command.Env = append(command.Env, f.environment...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	return out.String(), err == nil
}

// must runs git, which must succeed.
func (f *fixture) must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	printed, succeeded := f.git(t, dir, args...)
	if !succeeded {
		t.Fatalf("git %s failed: %s", strings.Join(args, " "), printed)
	}
	return strings.TrimSuffix(printed, "\n")
}

// clone clones the project, with options, and returns the directory.
func (f *fixture) clone(t *testing.T, options ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	f.must(t, f.dir, append(append([]string{"clone", "--quiet"}, options...), "makechain://alice/hello", dir)...)
	return dir
}

// equals checks that a clone has the same refs and objects as the original.
func (f *fixture) equals(t *testing.T, dir string) {
	t.Helper()
	const format = "--format=%(objectname) %(objecttype) %(refname)"
	if got, want := f.must(t, dir, "for-each-ref", format, "refs/tags"), f.origin.Git(t, "for-each-ref", format, "refs/tags"); got != want {
		t.Errorf("the tags are\n%s\nwant\n%s", got, want)
	}
	got := f.must(t, dir, "rev-list", "--objects", "--all", "--no-object-names")
	want := f.origin.Git(t, "rev-list", "--objects", "--all", "--no-object-names")
	if sorted(got) != sorted(want) {
		t.Errorf("the clone has %d objects, the original %d", strings.Count(got, "\n"), strings.Count(want, "\n"))
	}
	f.must(t, dir, "fsck", "--strict")
	if want := f.origin.Git(t, "rev-parse", "HEAD"); f.must(t, dir, "rev-parse", "HEAD") != want {
		t.Error("the clone has another HEAD")
	}
}

func sorted(text string) string {
	lines := strings.Split(text, "\n")
	sortStrings(lines)
	return strings.Join(lines, "\n")
}

// backend serves a repository with git http-backend, as any git server does.
func backend(t *testing.T, repo *gittest.Repo) *httptest.Server {
	t.Helper()
	return serve(t, backendHandler(t, repo))
}

func serve(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func backendHandler(t *testing.T, repo *gittest.Repo) http.Handler {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := repo.Git(t, "rev-parse", "--absolute-git-dir")
	repo.Git(t, "config", "uploadpack.allowFilter", "true")
	return &cgi.Handler{
		Path: path, Args: []string{"http-backend"}, Logger: nil, Stderr: t.Output(),
		Env: append(gittest.Environment(), "GIT_PROJECT_ROOT="+dir, "GIT_HTTP_EXPORT_ALL=1", "PATH="+os.Getenv("PATH")),
	}
}

// bundles stores git bundles of the repository in a directory: one for each revision range.
func (f *fixture) bundles(t *testing.T, ranges ...[]string) string {
	t.Helper()
	store := t.TempDir()
	for _, revisions := range ranges {
		f.add(t, store, revisions...)
	}
	return store
}

// add adds a git bundle to a store.
func (f *fixture) add(t *testing.T, store string, revisions ...string) {
	t.Helper()
	if f.served != "" {
		store = f.served
	}
	file := filepath.Join(t.TempDir(), "new.bundle")
	f.origin.Git(t, append([]string{"bundle", "create", "--quiet", file}, revisions...)...)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	digest := message.Hash(blake3.Sum256(content))
	name := digest.String()
	if err := os.MkdirAll(filepath.Join(store, name[:2]), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store, name[:2], name), content, 0o600); err != nil {
		t.Fatal(err)
	}
	f.chain.Digests[f.project.ID.String()] = append(f.chain.Digests[f.project.ID.String()], digest)
	f.save(t)
}
