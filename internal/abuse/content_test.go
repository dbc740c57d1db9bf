//go:build linux

package abuse_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
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
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	// contentCommits is the number of commits of a project that is cloned.
	contentCommits = 400
	// zeros is the size of a file of zeros, more than an upload of its compressed size may contain.
	zeros = 80 << 20
	// stalledLength is the announced length of uploads that never end, within the limit of an upload.
	stalledLength = 256 << 20
	// uploadSize is the size of an upload with a wrong digest.
	uploadSize = 256 << 10
	// contentSockets is the number of connections that an attack on content holds open.
	contentSockets = 200
	// fetchType is the type of git's requests.
	fetchType = "application/x-git-upload-pack-request"
)

// published is a project with content that the chain names.
type published struct {
	project ident.Hash
	tip     string // the id of the commit of its branch
	digest  ident.Hash
}

// contentAttacks use the content service of the node. Their accounts may upload to their own projects.
func contentAttacks() []attack {
	return []attack{
		{name: "content: wrong digests", prepare: func(a *attackers) { a.prepareProjects(1) }, run: func(a *attackers) {
			body := bytes.Repeat([]byte("not a git bundle"), uploadSize/16)
			a.repeat(8, func(int) error { return a.upload(a.projects[0], nodetest.Random(a.t), body) })
		}},
		{name: "content: zeros", prepare: func(a *attackers) {
			a.prepareProjects(1)
			a.body = zeroBundle(a.t)
		}, run: func(a *attackers) {
			a.repeat(8, func(int) error { return a.upload(a.projects[0], ident.Hash(blake3.Sum256(a.body)), a.body) })
		}},
		{name: "content: clones", prepare: (*attackers).publish, run: func(a *attackers) {
			a.repeat(32, func(int) error { return a.clone() })
		}},
		{name: "content: uploads that stall", prepare: func(a *attackers) { a.prepareProjects(1) }, run: func(a *attackers) {
			a.open(contentSockets, func() error {
				digest := ident.Hash(nodetest.Random(a.t))
				return a.dial(a.node.rest, fmt.Sprintf("PUT /v1/content/%s/%s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n# v2 git bundle\n",
					a.projects[0], digest, a.node.rest, a.authorization(contentauth.Upload, a.projects[0], digest, stalledLength), stalledLength))
			})
		}},
		{name: "content: responses nobody reads", prepare: (*attackers).publish, run: func(a *attackers) {
			body := string(fetchRequest(a.published.tip))
			request := fmt.Sprintf("GET /v1/content/%s/%s HTTP/1.1\r\nHost: %s\r\n\r\n", a.published.project, a.published.digest, a.node.rest) +
				fmt.Sprintf("POST /git/%s/git-upload-pack HTTP/1.1\r\nHost: %s\r\nGit-Protocol: version=2\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
					a.published.project, a.node.rest, fetchType, len(body), body)
			a.open(contentSockets, func() error { return a.dial(a.node.rest, strings.Repeat(request, 5)) })
		}},
		{name: "content: questions", prepare: func(a *attackers) { a.prepareProjects(1) }, run: func(a *attackers) {
			a.repeat(16, func(int) error {
				digest := ident.Hash(nodetest.Random(a.t))
				return a.content(http.MethodHead, fmt.Sprintf("/v1/content/%s/%s", a.projects[0], digest),
					a.authorization(contentauth.Upload, a.projects[0], digest, 0), nil)
			})
		}},
		{name: "content: imports", prepare: func(a *attackers) { a.publish(); a.prepareProjects(1) }, run: func(a *attackers) {
			body := fmt.Appendf(nil, `{"source":%q}`, a.published.project)
			a.repeat(8, func(int) error {
				return a.content(http.MethodPost, fmt.Sprintf("/v1/content/%s/import", a.projects[0]),
					a.authorization(contentauth.Import, a.projects[0], a.published.project, 0), body)
			})
		}},
	}
}

// prepareProjects creates projects of the first account.
func (a *attackers) prepareProjects(count int) {
	a.t.Helper()
	if len(a.accounts) == 0 {
		a.register(1)
	}
	for i := range count {
		create := a.accounts[0].Sign(message.ProjectCreate(fmt.Sprintf("target-%d", i), pb.Visibility_VISIBILITY_PUBLIC, "", ""))
		a.commit(create)
		a.projects = append(a.projects, create.Hash)
	}
}

// publish creates a project of the first account with a long history, and uploads its content.
func (a *attackers) publish() {
	a.t.Helper()
	a.register(1)
	owner := a.accounts[0]
	create := owner.Sign(message.ProjectCreate("history", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	a.commit(create)
	repo := gittest.Init(a.t)
	repo.Grow(a.t, gittest.Shape{Seed: 1, Commits: contentCommits, Lines: 2})
	body := bundleOf(a.t, repo, "main")
	a.published = published{create.Hash, repo.Git(a.t, "rev-parse", "main"), ident.Hash(blake3.Sum256(body))}
	if err := a.upload(create.Hash, a.published.digest, body); err != nil {
		a.t.Fatal(err)
	}
	var commits []message.Commit
	for line := range strings.Lines(repo.Git(a.t, "log", "--reverse", "--topo-order", "--format=%H %T %P", "main")) {
		fields := strings.Fields(line)
		commit := message.Commit{Hash: hashOf(a.t, fields[0]), TreeRoot: hashOf(a.t, fields[1]), Title: "a commit", Author: owner.Address()}
		for _, parent := range fields[2:] {
			commit.Parents = append(commit.Parents, hashOf(a.t, parent))
		}
		commits = append(commits, commit)
	}
	a.commit(owner.Sign(message.CommitBundle(create.Hash, message.Content{Digest: a.published.digest}, commits...)))
	a.commit(owner.Sign(message.RefUpdate(create.Hash, mainRef, message.RefMove{
		Type: pb.RefType_REF_TYPE_BRANCH, New: hashOf(a.t, a.published.tip), Nonce: 1,
	})))
	nodetest.Await(a.t, "the repository has the content", func() bool {
		return a.clone() == nil
	})
}

// clone requests everything of the published project, as git clone does.
func (a *attackers) clone() error {
	request, err := http.NewRequestWithContext(a.ctx, http.MethodPost, fmt.Sprintf("http://%s/git/%s/git-upload-pack", a.node.rest, a.published.project),
		bytes.NewReader(fetchRequest(a.published.tip)))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", fetchType)
	request.Header.Set("Git-Protocol", "version=2")
	return a.do(request)
}

// authorization returns the header of a request to the content service, signed by the first account.
func (a *attackers) authorization(purpose contentauth.Purpose, project, digest ident.Hash, length int64) string {
	signed, err := contentauth.SignWith(a.accounts[0], &contentauth.Statement{
		ChainID: a.node.chainID, Purpose: purpose, Host: a.node.rest, Project: project, Digest: digest, Length: length,
	}, time.Now())
	if err != nil {
		a.t.Error(err)
	}
	return signed.String()
}

// upload uploads bytes under a digest.
func (a *attackers) upload(project, digest ident.Hash, body []byte) error {
	return a.content(http.MethodPut, fmt.Sprintf("/v1/content/%s/%s", project, digest),
		a.authorization(contentauth.Upload, project, digest, int64(len(body))), body)
}

// content sends a request to the content service.
func (a *attackers) content(method, path, authorization string, body []byte) error {
	request, err := http.NewRequestWithContext(a.ctx, method, "http://"+a.node.rest+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", authorization)
	return a.do(request)
}

// fetchRequest returns a request of git for everything that a commit reaches.
func fetchRequest(commit string) []byte {
	var body bytes.Buffer
	for _, line := range []string{"command=fetch\n", "object-format=sha1\n", "", "want " + commit + "\n", "ofs-delta\n", "done\n"} {
		if line == "" {
			body.WriteString("0001")
			continue
		}
		_, _ = fmt.Fprintf(&body, "%04x%s", len(line)+4, line) // a buffer does not fail
	}
	body.WriteString("0000")
	return body.Bytes()
}

// zeroBundle returns a small git bundle with a large file of zeros.
func zeroBundle(t *testing.T) []byte {
	t.Helper()
	repo := gittest.Init(t)
	file, err := os.Create(filepath.Join(repo.Dir, "zeros"))
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Truncate(zeros); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	repo.Git(t, "add", "zeros")
	repo.Git(t, "commit", "--quiet", "--message", "zeros")
	return bundleOf(t, repo, "main")
}

func bundleOf(t *testing.T, repo *gittest.Repo, revision string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bundle")
	repo.Git(t, "bundle", "create", "--quiet", path, revision)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func hashOf(t *testing.T, id string) ident.Hash {
	t.Helper()
	hash, err := gitid.Parse(id)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}
