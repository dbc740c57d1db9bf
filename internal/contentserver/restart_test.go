package contentserver_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/content"
	"makechain/internal/contentserver"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/internal/server"
	"makechain/proof/finality"
)

// TestRestart checks that content is served after a restart, also when the repositories are deleted, when a record has no
// bytes, and when files are left of uploads that did not complete.
func TestRestart(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	project := f.create("hello", pb.Visibility_VISIBILITY_PUBLIC)
	local := gittest.Init(t)
	tip := write(t, local, "a.txt", "one\n")
	data := bundle(t, local, "main")
	if status, body := f.put(project, data, f.seed); status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", status, body)
	}
	f.publish(t, local, project, "main", "main", data)
	nodetest.Await(t, "the ref", func() bool { return strings.Contains(f.refs(local, "/git/alice/hello"), tip) })
	dir := filepath.Join(f.Home(), "content")
	lost := ident.Hash{1, 2, 3}
	for round, change := range []func(){
		func() {},
		func() {
			if err := contentserver.RemoveRepositories(dir); err != nil {
				t.Fatal(err)
			}
		},
		func() {
			record, err := os.ReadFile(filepath.Join(dir, "records", project.String(), ident.Hash(blake3.Sum256(data)).String()))
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{
				"records/" + project.String() + "/" + lost.String():          strings.Replace(string(record), `,"kept":true`, "", 1),
				"records/" + project.String() + "/" + lost.String() + ".tmp": "{",
				"quarantine/123":                 "partial",
				"unfinished/" + project.String(): "",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		f.Stop(t)
		change()
		config := nodetest.Config(f.Home(), slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})))
		f.Node = start(t, config)
		nodetest.Await(t, "the ref", func() bool { return strings.Contains(f.refs(local, "/git/alice/hello"), tip) })
		if status, body := f.get("/v1/content/"+project.String()+"/"+ident.Hash(blake3.Sum256(data)).String(), project, nil); body != string(data) {
			t.Errorf("round %d: GET: %d, %d bytes", round, status, len(body))
		}
		if status, _ := f.get("/v1/content/"+project.String()+"/"+lost.String(), project, nil); status != http.StatusNotFound {
			t.Errorf("round %d: GET of what was not stored: %d", round, status)
		}
		nodetest.Await(t, "nothing but the git bundle and its record", func() bool { return len(f.stored()) == 2 })
	}
}

// later is a chain whose blocks seem to be later.
type later struct {
	content.Chain

	by atomic.Int64 // nanoseconds
}

func (l *later) Status(ctx context.Context) (content.Status, error) {
	status, err := l.Chain.Status(ctx)
	status.Time = status.Time.Add(time.Duration(l.by.Load()))
	return status, err
}

// standalone runs a service in a directory of its own that follows the chain of the node. Its git bundles are in a store, or in the
// directory if that is "".
func (f *fixture) standalone(t *testing.T, store string, collect bool, changes ...func(*contentserver.Config)) (*contentserver.Server, *later) {
	t.Helper()
	c, err := client.New(f.GRPCAddr(), client.WithTrustSource(func(ctx context.Context, c *client.Client) (finality.Trust, error) {
		return c.TrustOnFirstUse(ctx)
	}))
	if err != nil {
		t.Fatal(err)
	}
	chain := &later{Chain: contentserver.NewRemote(c)}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	config := contentserver.Config{Dir: t.TempDir(), Store: store, Collect: collect, MaxBytes: 1 << 30, Log: log}
	for _, change := range changes {
		change(&config)
	}
	service, err := contentserver.Open(t.Context(), config, f.ChainID(), chain)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := contentserver.Open(t.Context(), config, f.ChainID(), chain); !errors.Is(err, contentserver.ErrInUse) {
		t.Errorf("a second service in the directory: %v", err)
	}
	served, err := server.New(server.Config{Addr: "127.0.0.1:0", Log: log}, service.Mounts()...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var group sync.WaitGroup
	group.Go(func() { _ = service.Run(ctx) })
	group.Go(func() { _ = served.Serve(ctx) })
	t.Cleanup(func() {
		cancel()
		group.Wait()
		c.Close()
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	f.base = "http://" + served.Addr().String()
	return service, chain
}

// TestStandalone checks that a service in a process of its own follows the chain of a node, and deletes what the chain does
// not name, but not what it names.
func TestStandalone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	project := f.create("hello", pb.Visibility_VISIBILITY_PUBLIC)
	service, chain := f.standalone(t, "", false)
	local := gittest.Init(t)
	tip := write(t, local, "a.txt", "one\n")
	data := bundle(t, local, "main")
	if status, body := f.put(project, data, f.seed); status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", status, body)
	}
	f.publish(t, local, project, "main", "main", data)
	nodetest.Await(t, "the ref", func() bool { return strings.Contains(f.refs(local, "/git/alice/hello"), tip) })

	blob := write(t, local, "b.txt", "never named\n")
	unnamed := bundle(t, local, "main~1..main")
	if status, body := f.put(project, unnamed, f.seed); status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", status, body)
	}
	path := func(data []byte) string {
		return "/v1/content/" + project.String() + "/" + ident.Hash(blake3.Sum256(data)).String()
	}
	if err := service.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, stored := range [][]byte{data, unnamed} {
		if status, _ := f.get(path(stored), project, nil); status != http.StatusOK {
			t.Errorf("GET within 30 minutes: %d", status)
		}
	}
	chain.by.Store(int64(2 * content.UnnamedTTL))
	nodetest.Await(t, "the deletion", func() bool {
		if err := service.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
		status, _ := f.get(path(unnamed), project, nil)
		return status == http.StatusNotFound
	})
	if status, body := f.get(path(data), project, nil); status != http.StatusOK || body != string(data) {
		t.Errorf("GET of what the chain names: %d, %d bytes", status, len(body))
	}
	if status, _ := f.get("/v1/content/"+project.String()+"/objects/"+blob, project, nil); status != http.StatusNotFound {
		t.Errorf("the commit of a deleted upload is served: %d", status)
	}
	nodetest.Await(t, "the ref", func() bool { return strings.Contains(f.refs(local, "/git/alice/hello"), tip) })
	if stats := service.Stats(); stats.Bundles != 1 || stats.Bytes != int64(len(data)) || stats.Projects != 1 {
		t.Errorf("the service has %+v", stats)
	}
	if status, body := f.put(project, unnamed, f.seed); status != http.StatusCreated {
		t.Errorf("PUT of what was deleted: %d %s", status, body)
	}
}
