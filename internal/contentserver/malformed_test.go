package contentserver_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/contentauth"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
)

// stored returns the files of git bundles, records and quarantine.
func (f *fixture) stored() (files []string) {
	f.tb.Helper()
	for _, dir := range []string{"bundles", "records", "quarantine"} {
		err := filepath.WalkDir(filepath.Join(f.Home(), "content", dir), func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
				return nil
			}
			if err == nil && !entry.IsDir() {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			f.tb.Fatal(err)
		}
	}
	return files
}

// badRequest is a request that must be refused.
type badRequest struct {
	request

	status int
	code   string
}

// upload returns the request of an upload with a valid statement.
func (f *fixture) upload(project ident.Hash, data []byte) request {
	digest := ident.Hash(blake3.Sum256(data))
	return request{
		method: http.MethodPut, path: "/v1/content/" + project.String() + "/" + digest.String(), body: data, seed: f.seed,
		statement: &contentauth.Statement{Purpose: contentauth.Upload, Project: project, Digest: digest, Length: int64(len(data))},
	}
}

// badUploads returns uploads that are refused, by name.
func (f *fixture) badUploads(t *testing.T, project, other ident.Hash, valid []byte) map[string]badRequest {
	t.Helper()
	change := func(status int, code string, data []byte, change func(*request)) badRequest {
		q := f.upload(project, data)
		if change != nil {
			change(&q)
		}
		return badRequest{q, status, code}
	}
	unknownKey := nodetest.Random(t)
	limited := f.addKey(f.alice, pb.KeyScope_KEY_SCOPE_AGENT, other)
	huge := func(q *request) {
		q.statement = nil
		q.header = map[string]string{"Authorization": strings.Repeat("x", 10_000)}
	}
	return map[string]badRequest{
		"no statement":           change(401, "unauthenticated", valid, func(q *request) { q.statement = nil }),
		"other scheme":           change(401, "unauthenticated", valid, func(q *request) { q.statement = nil; q.header = map[string]string{"Authorization": "Bearer x"} }),
		"long header":            change(401, "unauthenticated", valid, huge),
		"key not registered":     change(401, "unauthenticated", valid, func(q *request) { q.seed = unknownKey }),
		"statement for a read":   change(401, "unauthenticated", valid, func(q *request) { q.statement.Purpose = contentauth.Read }),
		"statement of a digest":  change(401, "unauthenticated", valid, func(q *request) { q.statement.Digest[0]++ }),
		"statement of a length":  change(401, "unauthenticated", valid, func(q *request) { q.statement.Length++ }),
		"statement of a project": change(401, "unauthenticated", valid, func(q *request) { q.statement.Project = other }),
		"old statement":          change(401, "unauthenticated", valid, func(q *request) { q.now = time.Now().Add(-time.Hour) }),
		"future statement":       change(401, "unauthenticated", valid, func(q *request) { q.now = time.Now().Add(time.Hour) }),
		"limited agent key":      change(403, "permission_denied", valid, func(q *request) { q.seed = limited }),
		"empty body":             change(400, "invalid_argument", nil, nil),
		"compressed":             change(415, "unsupported_media_type", valid, func(q *request) { q.header = map[string]string{"Content-Encoding": "gzip"} }),
		"range":                  change(400, "invalid_argument", valid, func(q *request) { q.header = map[string]string{"Content-Range": "bytes 0-1/5"} }),
		"other bytes":            change(422, "digest_mismatch", valid, func(q *request) { q.body = append([]byte{}, q.body...); q.body[0]++ }),
		"not a git bundle":       change(422, "invalid_bundle", []byte("hello"), nil),
		"truncated git bundle":   change(422, "invalid_bundle", valid[:len(valid)-30], nil),
		"changed pack":           change(422, "invalid_bundle", append(append([]byte{}, valid[:len(valid)-1]...), valid[len(valid)-1]^1), nil),
		"header only":            change(422, "invalid_bundle", valid[:strings.Index(string(valid), "\n\n")+2], nil),
		"zeros":                  change(422, "invalid_bundle", make([]byte, 1<<20), nil),
		"unknown project": change(404, "not_found", valid, func(q *request) {
			q.statement.Project[5]++
			q.path = strings.Replace(q.path, project.String(), q.statement.Project.String(), 1)
		}),
		"short digest":      change(400, "invalid_argument", valid, func(q *request) { q.path = q.path[:len(q.path)-2] }),
		"upper-case digest": change(400, "invalid_argument", valid, func(q *request) { q.path = q.path[:77] + strings.ToUpper(q.path[77:]) }),
		"short project":     change(400, "invalid_argument", valid, func(q *request) { q.path = "/v1/content/abc" + q.path[76:] }),
		"static path":       change(400, "invalid_argument", valid, func(q *request) { q.path = "/v1/content/" + q.path[77:79] + q.path[76:] }),
	}
}

// badReads returns other requests that are refused, by name.
func badReads(project ident.Hash) map[string]badRequest {
	get := func(status int, code, path string) badRequest {
		return badRequest{request{method: http.MethodGet, path: path}, status, code}
	}
	of := "/v1/content/" + project.String()
	absent := strings.Repeat("ab", 32)
	return map[string]badRequest{
		"unknown digest":       get(404, "not_found", of+"/"+absent),
		"unknown bare digest":  get(404, "not_found", "/v1/content/ab/"+absent),
		"other directory":      get(400, "invalid_argument", "/v1/content/cd/"+absent),
		"digest with 0x":       get(400, "invalid_argument", of+"/0x"+absent[2:]),
		"object id":            get(400, "invalid_argument", of+"/objects/abc"),
		"unknown object":       get(404, "not_found", of+"/objects/"+absent[:40]),
		"no such route":        get(404, "not_found", of),
		"path below":           get(404, "not_found", of+"/"+absent+"/x"),
		"dumb protocol":        get(400, "invalid_argument", "/git/alice/hello/info/refs"),
		"receive-pack":         get(403, "permission_denied", "/git/alice/hello/info/refs?service=git-receive-pack"),
		"unknown repository":   get(404, "not_found", "/git/alice/none/info/refs?service=git-upload-pack"),
		"unknown owner":        get(404, "not_found", "/git/nobody/hello/info/refs?service=git-upload-pack"),
		"traversal":            get(404, "not_found", "/git/%2e%2e/%2e%2e/info/refs?service=git-upload-pack"),
		"project without it":   get(404, "not_found", "/git/alice/other/info/refs?service=git-upload-pack"),
		"method":               {request{method: http.MethodDelete, path: of + "/" + absent}, 405, "method_not_allowed"},
		"import without JSON":  {request{method: http.MethodPost, path: of + "/import", body: []byte("x")}, 400, "invalid_argument"},
		"import of no project": {request{method: http.MethodPost, path: of + "/import", body: []byte(`{"source":"x"}`)}, 400, "invalid_argument"},
		"large import":         {request{method: http.MethodPost, path: of + "/import", body: make([]byte, 2000)}, 413, "body_too_large"},
		"import without statement": {
			request{method: http.MethodPost, path: of + "/import", body: []byte(`{"source":"` + absent + `"}`)}, 401, "unauthenticated",
		},
	}
}

// TestMalformed checks that each kind of malformed upload or request gets a clear problem document, and that nothing is stored.
func TestMalformed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(config *node.Config) { config.GRPC.Limits.RequestsPerSecond = -1 })
	project := f.create("hello", pb.Visibility_VISIBILITY_PUBLIC)
	other := f.create("other", pb.Visibility_VISIBILITY_PUBLIC)
	local := gittest.Init(t)
	write(t, local, "a.txt", "one\n")
	first := bundle(t, local, "main")
	write(t, local, "b.txt", "two\n")
	requests := f.badUploads(t, project, other, first)
	requests["missing prerequisites"] = badRequest{f.upload(project, bundle(t, local, "main~1..main")), 409, "failed_precondition"}
	maps.Copy(requests, badReads(project))
	for name, bad := range requests {
		got := f.do(bad.request)
		var problem struct {
			Status       int
			Code, Detail string
		}
		if err := json.Unmarshal([]byte(got.body), &problem); err != nil {
			t.Errorf("%s: %d %q is not a problem document: %v", name, got.status, got.body, err)
		}
		if got.status != bad.status || problem.Status != bad.status || problem.Code != bad.code || problem.Detail == "" ||
			got.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s, want %d %s", name, got.status, got.body, bad.status, bad.code)
		}
	}
	if files := f.stored(); len(files) != 0 {
		t.Errorf("stored are %v", files)
	}
	if status, body := f.put(project, first, f.seed); status != http.StatusCreated {
		t.Errorf("a valid upload afterwards: %d %s", status, body)
	}
}
