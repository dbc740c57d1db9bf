package remotehelper_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"makechain/internal/gitrepo/gittest"
)

// changed serves a repository like a git server, but changes the answers to requests for objects.
func changed(t *testing.T, repo *gittest.Repo, change func([]byte) []byte) http.Handler {
	t.Helper()
	honest := backendHandler(t, repo)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			honest.ServeHTTP(w, r)
			return
		}
		recorded := httptest.NewRecorder()
		honest.ServeHTTP(recorded, r)
		w.Header().Set("Content-Type", recorded.Header().Get("Content-Type"))
		_, _ = w.Write(change(recorded.Body.Bytes()))
	})
}

// TestMaliciousServers clones from a store that serves something else than the chain proves. Nothing is checked out, and with a second
// store the clone succeeds where the first one was found out before git received anything.
func TestMaliciousServers(t *testing.T) {
	t.Parallel()
	type attack struct {
		store  func(t *testing.T, repo *gittest.Repo) http.Handler
		reason string // part of the message
	}
	always := func(status int, header, value string) func(t *testing.T, repo *gittest.Repo) http.Handler {
		return func(t *testing.T, repo *gittest.Repo) http.Handler {
			t.Helper()
			honest := backendHandler(t, repo)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost {
					honest.ServeHTTP(w, r)
					return
				}
				w.Header().Set(header, value)
				w.WriteHeader(status)
			})
		}
	}
	change := func(by func([]byte) []byte) func(t *testing.T, repo *gittest.Repo) http.Handler {
		return func(t *testing.T, repo *gittest.Repo) http.Handler {
			t.Helper()
			return changed(t, repo, by)
		}
	}
	attacks := map[string]attack{
		"another repository": {func(t *testing.T, _ *gittest.Repo) http.Handler {
			t.Helper()
			other := gittest.Init(t)
			other.Commit(t, "something else")
			return backendHandler(t, other)
		}, "not our ref"},
		"changed bytes": {change(func(answer []byte) []byte {
			answer[len(answer)/2] ^= 1
			return answer
		}), ""},
		"truncated":       {change(func(answer []byte) []byte { return answer[:len(answer)*2/3] }), "unexpected EOF"},
		"nothing":         {change(func([]byte) []byte { return []byte("0000") }), "no pack"},
		"no packet":       {change(func([]byte) []byte { return []byte("hello") }), "malformed pkt-line"},
		"packfile uris":   {change(func([]byte) []byte { return []byte("0012packfile-uris\n0000") }), "was not requested"},
		"error in a pack": {change(func([]byte) []byte { return []byte("000dpackfile\n0009\x03oops0000") }), "oops"},
		"unasked shallow": {change(func(answer []byte) []byte {
			// The pack is that of the honest server; the claim alone makes git drop the history.
			return append([]byte("0011shallow-info\n0035shallow "+strings.Repeat("a", 40)+"\n0001"), answer...)
		}), "would truncate it"},
		"redirect to a file": {always(http.StatusTemporaryRedirect, "Location", "file:///etc/passwd"), "redirect"},
		"redirect elsewhere": {always(http.StatusTemporaryRedirect, "Location", "http://127.0.0.1:1/"), "redirect"},
		"another type":       {always(http.StatusOK, "Content-Type", "text/html"), "text/html"},
		"compressed":         {change(compressed), "malformed pkt-line"},
		"endless progress": {change(func([]byte) []byte {
			line := "0030\x02" + strings.Repeat("x", 42) + "\n"
			return append([]byte("000dpackfile\n"), strings.Repeat(line, 17<<20/len(line))...)
		}), "not part of a pack"},
		"control characters": {change(func([]byte) []byte { return []byte("0023ERR \x1b[2Jmakechain: all is well\n0000") }), `the server reports: \x1b[2J`},
		"not found":          {always(http.StatusNotFound, "Content-Type", "text/plain"), "not in this store"},
	}
	for name, attack := range attacks {
		for _, kind := range []string{"repository", "service"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t, grown(t))
				handler := attack.store(t, f.origin)
				if kind == "service" {
					handler = f.service(handler)
				}
				f.rejects(t, serve(t, handler).URL, attack.reason)
			})
		}
	}
}

// rejects clones from a store, which must fail with a reason and leave nothing, and succeed when there is another store.
func (f *fixture) rejects(t *testing.T, bad, reason string) {
	t.Helper()
	f.chain.NodeURL = bad
	f.save(t)
	printed, succeeded := f.git(t, f.dir, "clone", "makechain://alice/hello", "copy")
	if succeeded {
		t.Fatalf("the clone succeeded: %s", printed)
	}
	if !strings.Contains(printed, reason) || !strings.Contains(printed, bad) || strings.Contains(printed, "\x1b") {
		t.Errorf("git printed %q", printed[:min(len(printed), 2000)])
	}
	if _, err := os.Stat(filepath.Join(f.dir, "copy")); err == nil {
		t.Error("the clone was not removed")
	}
	f.project.Stores = []string{"file://" + f.origin.Dir, backend(t, f.origin).URL}
	f.save(t)
	f.equals(t, f.clone(t))
}

// service returns a content service whose repository is that of another server.
func (f *fixture) service(repository http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/content", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"content":1,"chain_id":%q}`, chainID)
	})
	mux.Handle("/git/"+f.project.ID.String()+"/", http.StripPrefix("/git/"+f.project.ID.String(), repository))
	return mux
}

// compressed returns the gzip form of bytes.
func compressed(content []byte) []byte {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, _ = writer.Write(content) // a buffer does not fail
	_ = writer.Close()
	return out.Bytes()
}

// packed returns an answer with a pack of objects.
func packed(t *testing.T, repo *gittest.Repo, objects string) []byte {
	t.Helper()
	pack := []byte(repo.Feed(t, []byte(objects+"\n"), "pack-objects", "--stdout", "--quiet") + "\n")
	pack = pack[:len(pack)-1]
	answer := []byte("000dpackfile\n")
	for len(pack) > 0 {
		part := pack[:min(len(pack), 1000)]
		answer = append(answer, fmt.Sprintf("%04x\x01", len(part)+5)...)
		answer, pack = append(answer, part...), pack[len(part):]
	}
	return append(answer, "0000"...)
}

// TestPacks clones from servers whose packs lack an object, which git finds out, or have one too many, which does no harm. The
// store is named, because it is not the first one.
func TestPacks(t *testing.T) {
	t.Parallel()
	f := newFixture(t, grown(t))
	all := f.origin.Git(t, "rev-list", "--objects", "--all", "--no-object-names")
	blob := f.origin.Git(t, "rev-parse", "main:file-0")
	extra := f.origin.Feed(t, []byte("not part of the project"), "hash-object", "-w", "--stdin")
	answer := packed(t, f.origin, strings.ReplaceAll(all, blob+"\n", ""))
	server := serve(t, changed(t, f.origin, func([]byte) []byte { return answer }))
	f.chain.NodeURL, f.project.Stores = "http://127.0.0.1:1", []string{server.URL}
	f.save(t)
	printed, succeeded := f.git(t, f.dir, "clone", "makechain://alice/hello", "copy")
	if succeeded || !strings.Contains(printed, "did not receive expected object") || !strings.Contains(printed, "objects from "+server.URL) {
		t.Errorf("git printed %q", printed)
	}
	answer = packed(t, f.origin, all+"\n"+extra)
	f.equals(t, f.clone(t))
}

// stallOfTest is long enough for an honest server on a busy machine.
const stallOfTest = 15 * time.Second

// TestStall clones while the first store stops sending.
func TestStall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a store that stalls")
	}
	f := newFixture(t, grown(t))
	honest := backendHandler(t, f.origin)
	ended := make(chan struct{})
	stalling := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			honest.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		_, _ = io.Copy(w, bytes.NewReader([]byte("000dpackfile\n")))
		_ = http.NewResponseController(w).Flush()
		<-ended
	}))
	t.Cleanup(func() { close(ended) })
	f.chain.NodeURL, f.project.Stores, f.chain.Stall = stalling.URL, []string{backend(t, f.origin).URL}, stallOfTest
	f.save(t)
	dir := filepath.Join(f.dir, "copy")
	printed := f.must(t, f.dir, "clone", "makechain://alice/hello", dir)
	if !strings.Contains(printed, stalling.URL+": no bytes for too long") {
		t.Errorf("git printed %q", printed)
	}
	f.equals(t, dir)
}

// TestPrivateAddress checks that a URL on the chain is not followed into a private network, unless the node is in one.
func TestPrivateAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, grown(t))
	f.project.Stores, f.chain.Public = []string{backend(t, f.origin).URL}, true
	f.save(t)
	printed, succeeded := f.git(t, f.dir, "clone", "makechain://alice/hello", "copy")
	if succeeded || !strings.Contains(printed, "in a private network") {
		t.Errorf("git printed %q", printed)
	}
	f.chain.Public = false
	f.save(t)
	f.equals(t, f.clone(t))
}

// TestMaliciousFiles clones from stores of files that do not have the bytes that the chain names.
func TestMaliciousFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t, grown(t))
	good := f.store(t, "directory")
	bad := t.TempDir()
	if err := os.CopyFS(bad, os.DirFS(good)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(bad, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		content[len(content)/2] ^= 1
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.chain.NodeURL = bad
	f.save(t)
	printed, succeeded := f.git(t, f.dir, "clone", "makechain://alice/hello", "copy")
	if succeeded || !strings.Contains(printed, bad+": the bytes do not have the expected digest") {
		t.Errorf("git printed %q", printed)
	}
	f.project.Stores = []string{serve(t, http.FileServer(http.Dir(good))).URL}
	f.save(t)
	f.equals(t, f.clone(t))
}
