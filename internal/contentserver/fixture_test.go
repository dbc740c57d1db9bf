package contentserver_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/contentauth"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

func TestMain(m *testing.M) {
	if err := gittest.Hermetic(); err != nil {
		panic(err) // invariant: the environment can be set
	}
	os.Exit(m.Run())
}

// fixture is a node with a content service and an account alice with a key for statements.
type fixture struct {
	*nodetest.Node

	tb    testing.TB
	alice *nodetest.Account
	seed  [32]byte
	base  string // URL of the service, "" for that of the node
}

// url returns the URL of a path of the service.
func (f *fixture) url(path string) string {
	if f.base != "" {
		return f.base + path
	}
	return f.RESTURL() + path
}

func start(t *testing.T, config node.Config) *nodetest.Node {
	t.Helper()
	config.Content.Mode = node.ContentOn
	return nodetest.StartWith(t, config)
}

func newFixture(t *testing.T, change func(*node.Config)) *fixture {
	t.Helper()
	config := nodetest.Config(t.TempDir(), slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	if change != nil {
		change(&config)
	}
	f := &fixture{Node: start(t, config), tb: t, alice: nodetest.NewAccount(t)}
	for _, hash := range f.Register(f.alice, 1, "alice") {
		f.AwaitStatus(t, hash)
	}
	f.seed = f.addKey(f.alice, pb.KeyScope_KEY_SCOPE_AGENT)
	return f
}

// commit submits messages and waits until they are committed.
func (f *fixture) commit(messages ...*message.Envelope) {
	f.tb.Helper()
	f.Submit(f.tb, messages...)
	f.MustCommit(f.tb, messages...)
}

// addKey registers a new key of an account and returns its seed.
func (f *fixture) addKey(a *nodetest.Account, scope pb.KeyScope, projects ...ident.Hash) [32]byte {
	f.tb.Helper()
	seed := nodetest.Random(f.tb)
	author := message.NewAuthor(seed, a.Network(), a.Owner())
	grant := message.SignerGrant{Key: author.Key(), Scope: scope, AllowedProjects: projects}
	f.commit(a.Must(author.SignerAdd(a.Now(), grant, a.Permit(), a.Root, a.Root)))
	return seed
}

// create creates a project of alice.
func (f *fixture) create(name string, visibility pb.Visibility) ident.Hash {
	f.tb.Helper()
	created := f.alice.Sign(message.ProjectCreate(name, visibility, "", ""))
	f.commit(created)
	return created.Hash
}

// request is a request to the content service.
type request struct {
	method, path string
	body         []byte
	header       map[string]string
	statement    *contentauth.Statement // signed unless nil; chain and host are set
	seed         [32]byte
	now          time.Time
}

// answer is a response to a request.
type answer struct {
	status int
	header http.Header
	length int64
	body   string
}

// do sends a request to the REST port.
func (f *fixture) do(q request) answer {
	f.tb.Helper()
	r, err := http.NewRequestWithContext(f.tb.Context(), q.method, f.url(q.path), bytes.NewReader(q.body))
	if err != nil {
		f.tb.Fatal(err)
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	if q.statement != nil {
		q.statement.ChainID, q.statement.Host = f.ChainID(), r.Host
		if q.now.IsZero() {
			q.now = time.Now()
		}
		signed, err := contentauth.Sign(q.seed, q.statement, q.now)
		if err != nil {
			f.tb.Fatal(err)
		}
		r.Header.Set("Authorization", signed.String())
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		f.tb.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		f.tb.Fatal(err)
	}
	_ = response.Body.Close()
	return answer{response.StatusCode, response.Header, response.ContentLength, string(body)}
}

// put uploads bytes with a statement of a key.
func (f *fixture) put(project ident.Hash, data []byte, seed [32]byte) (status int, body string) {
	f.tb.Helper()
	digest := ident.Hash(blake3.Sum256(data))
	got := f.do(request{
		method: http.MethodPut, path: "/v1/content/" + project.String() + "/" + digest.String(), body: data, seed: seed,
		statement: &contentauth.Statement{Purpose: contentauth.Upload, Project: project, Digest: digest, Length: int64(len(data))},
	})
	return got.status, got.body
}

// get requests a path, with a statement for reading the project if seed is not nil.
func (f *fixture) get(path string, project ident.Hash, seed *[32]byte) (status int, body string) {
	f.tb.Helper()
	q := request{method: http.MethodGet, path: path}
	if seed != nil {
		q.statement, q.seed = &contentauth.Statement{Purpose: contentauth.Read, Project: project}, *seed
	}
	got := f.do(q)
	return got.status, got.body
}

// bundle returns a git bundle with the arguments of git rev-list.
func bundle(t *testing.T, r *gittest.Repo, args ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bundle")
	r.Git(t, append([]string{"bundle", "create", "--quiet", file}, args...)...)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// publish adds the commits of a revision range and moves a branch to the last one, in messages that name the content.
func (f *fixture) publish(t *testing.T, r *gittest.Repo, project ident.Hash, revisions, branch string, data []byte) {
	t.Helper()
	var commits []message.Commit
	for line := range strings.Lines(r.Git(t, "log", "--reverse", "--topo-order", "--format=%H %T %P", revisions) + "\n") {
		fields := strings.Fields(line)
		commit := message.Commit{Hash: hash(t, fields[0]), TreeRoot: hash(t, fields[1]), Title: "x", Author: f.alice.Owner()}
		for _, parent := range fields[2:] {
			commit.Parents = append(commit.Parents, hash(t, parent))
		}
		commits = append(commits, commit)
	}
	f.commit(f.alice.Sign(message.CommitBundle(project, message.Content{Digest: blake3.Sum256(data)}, commits...)))
	name := "refs/heads/" + branch
	move := message.RefMove{Type: pb.RefType_REF_TYPE_BRANCH, New: commits[len(commits)-1].Hash, Nonce: 1}
	refs := nodetest.Call(t, f.ListRefs, &pb.ListRefsRequest{ProjectId: project[:]})
	for _, ref := range refs.GetRefs() {
		if string(ref.GetRefName()) == name {
			move.Old, move.Nonce = ident.Hash(ref.GetHash()), ref.GetNonce()+1
		}
	}
	f.commit(f.alice.Sign(message.RefUpdate(project, name, move)))
}

func hash(t *testing.T, id string) ident.Hash {
	t.Helper()
	h, err := gitid.Parse(id)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// refs returns what git ls-remote prints for a URL, or its error: a repository that is being rebuilt cannot be read.
func (f *fixture) refs(r *gittest.Repo, path string) string {
	command := exec.CommandContext(f.tb.Context(), "git", "ls-remote", f.url(path))
	command.Dir = r.Dir
	printed, err := command.CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return string(printed)
}
