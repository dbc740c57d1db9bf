package contentserver_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/node"
)

// unusualNames are names of files that would be options, patterns or magic for git.
func unusualNames() []string {
	return []string{"--all", "-n", ":(top)x", ":!x", "*", "a*", "[a]", "dir/file", "with space", "ü"}
}

// committed returns a repository in which each file is changed by two commits, one after the other, and a project that has it.
func (f *fixture) committed(t *testing.T, names []string) (*gittest.Repo, ident.Hash) {
	t.Helper()
	local := gittest.Init(t)
	for _, text := range []string{"one", "two"} {
		for _, name := range names {
			file := filepath.Join(local.Dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text+name), 0o600); err != nil {
				t.Fatal(err)
			}
			local.Git(t, "add", "--all")
			local.Commit(t, text)
		}
	}
	project := f.create("hello", pb.Visibility_VISIBILITY_PUBLIC)
	data := bundle(t, local, "main")
	if status, body := f.put(project, data, f.seed); status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", status, body)
	}
	f.publish(t, local, project, "main", "main", data)
	return local, project
}

// TestHistory compares the commits that changed each file with those of git, page by page, and checks requests that are refused.
func TestHistory(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	names := unusualNames()
	local, project := f.committed(t, names)
	tip := local.Git(t, "rev-parse", "main")
	base := "/v1/content/" + project.String() + "/history/"
	for _, name := range append(names, "dir", "none", "") {
		arguments := []string{"--literal-pathspecs", "rev-list", "main", "--"}
		if name != "" {
			arguments = append(arguments, name)
		}
		want := strings.Fields(local.Git(t, arguments...))
		var got []string
		for cursor := ""; ; {
			status, body := f.get(base+tip+"?limit=3&path="+url.QueryEscape(name)+"&cursor="+cursor, project, nil)
			var page struct {
				Commits    []string `json:"commits"`
				NextCursor string   `json:"next_cursor"`
			}
			if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK || page.Commits == nil || len(page.Commits) > 3 {
				t.Fatalf("%q: %d %s: %v", name, status, body, err)
			}
			got = append(got, page.Commits...)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q was changed by %q, want %q", name, got, want)
		}
	}
	blob := local.Git(t, "rev-parse", "main:dir/file")
	for path, want := range map[string]int{
		strings.Repeat("ab", 20): http.StatusNotFound, // no such commit
		strings.Repeat("ab", 32): http.StatusNotFound, // of another object format
		blob:                     http.StatusNotFound, // not a commit
		"--all":                  http.StatusBadRequest,
		"main":                   http.StatusBadRequest,
		strings.ToUpper(tip):     http.StatusBadRequest,
		tip + "?limit=0":         http.StatusBadRequest,
		tip + "?limit=51":        http.StatusBadRequest,
		tip + "?limit=+1":        http.StatusBadRequest,
		tip + "?cursor=-1":       http.StatusBadRequest,
		tip + "?cursor=1000001":  http.StatusBadRequest,
		tip + "?path=../x":       http.StatusBadRequest,
		tip + "?path=/etc":       http.StatusBadRequest,
		tip + "?path=a//b":       http.StatusBadRequest,
		tip + "?path=a%00b":      http.StatusBadRequest,
		tip + "?path=" + strings.Repeat("x", 4097): http.StatusBadRequest,
	} {
		if status, body := f.get(base+path, project, nil); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
	other := ident.Hash{1}
	if status, body := f.get("/v1/content/"+other.String()+"/history/"+tip, other, nil); status != http.StatusNotFound {
		t.Errorf("another project: %d %s", status, body)
	}
}

// TestManyObjects checks that a client may request many objects over several connections, with the limits of one address.
func TestManyObjects(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(config *node.Config) { config.GRPC.Limits.LimitLoopback = true })
	local, project := f.committed(t, []string{"a", "b", "c"})
	ids := strings.Fields(local.Git(t, "rev-list", "--objects", "--no-object-names", "main"))
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 2 * len(ids) {
				id := ids[(i+worker)%len(ids)]
				got := f.do(request{method: http.MethodGet, path: "/v1/content/" + project.String() + "/objects/" + id})
				if got.status != http.StatusOK || got.header.Get("Cache-Control") != "public, max-age=3600" {
					t.Errorf("object %s: %d %s", id, got.status, got.body)
				}
			}
		})
	}
	group.Wait()
}
