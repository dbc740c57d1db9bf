package contentserver_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/content"
	"makechain/internal/content/dirstore"
	"makechain/internal/contentauth"
	"makechain/internal/gitbundle"
	"makechain/internal/gitcache"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
)

// memoryChain is a chain of rows in memory, whose blocks have the time that a test sets.
type memoryChain struct {
	tb      testing.TB
	project ident.Hash // every block is about it

	mu      sync.Mutex // guards the fields below
	rows    map[string][]byte
	height  uint64
	time    time.Time
	changed chan struct{} // closed and replaced by each block
}

// commit adds a block that changes rows; a nil row is deleted.
func (c *memoryChain) commit(by time.Duration, rows map[string]proto.Message) {
	c.tb.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows = maps.Clone(c.rows)
	for key, row := range rows {
		if row == nil {
			delete(c.rows, key)
			continue
		}
		value, err := schema.Encode(row)
		if err != nil {
			c.tb.Fatal(err)
		}
		c.rows[key] = value
	}
	c.height++
	c.time = c.time.Add(by)
	close(c.changed)
	c.changed = make(chan struct{})
}

// now returns the time of the newest block.
func (c *memoryChain) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

// View is part of content.Chain, like Next and Status.
func (c *memoryChain) View(context.Context) (content.View, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return memoryView{c.rows}, nil
}

func (c *memoryChain) Next(ctx context.Context, after uint64) (content.Block, error) {
	for {
		c.mu.Lock()
		height, changed := c.height, c.changed
		c.mu.Unlock()
		if height > after {
			return content.Block{Height: after + 1, Projects: []ident.Hash{c.project}}, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return content.Block{}, ctx.Err()
		}
	}
}

func (c *memoryChain) Status(context.Context) (content.Status, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return content.Status{Height: c.height, Time: c.time}, nil
}

// memoryView is a state of a memoryChain.
type memoryView struct{ rows map[string][]byte }

func (v memoryView) Get(key []byte) ([]byte, error) { return v.rows[string(key)], nil }

func (v memoryView) Scan(prefix []byte, visit func(key, value []byte) bool) error {
	for _, key := range slices.Sorted(maps.Keys(v.rows)) {
		if strings.HasPrefix(key, string(prefix)) && !visit([]byte(key), v.rows[key]) {
			break
		}
	}
	return nil
}

func (memoryView) Close() error { return nil }

// pusher pushes to a service whose chain is in memory.
type pusher struct {
	*gittest.Repo

	t       *testing.T
	chain   *memoryChain
	service *content.Service
	base    string // URL of the service
	bundles string // directory of its git bundles
	seed    [32]byte
	refs    map[string]string // on the chain: the objects that refs point at
}

func newPusher(t *testing.T) *pusher {
	t.Helper()
	p := &pusher{Repo: gittest.Init(t), t: t, seed: nodetest.Random(t), refs: map[string]string{}}
	owner, project, key := ident.Address{1}, ident.Hash(nodetest.Random(t)), ident.PublicKey{}
	copy(key[:], ed25519.NewKeyFromSeed(p.seed[:])[32:])
	p.chain = &memoryChain{tb: t, project: project, rows: map[string][]byte{}, time: time.Now(), changed: make(chan struct{})}
	p.chain.commit(0, map[string]proto.Message{
		string(schema.ProjectKey(project)):         &pb.ProjectRow{OwnerAddress: owner[:]},
		string(schema.AccountKey(owner)):           &pb.AccountRow{Username: "alice", StorageUnits: 1},
		string(schema.KeyOwnerKey(key)):            &pb.KeyOwnerRow{OwnerAddress: owner[:]},
		string(schema.DelegatedKeyKey(owner, key)): &pb.DelegatedKeyRow{Scope: pb.KeyScope_KEY_SCOPE_AGENT, AddedAt: 1},
	})
	p.open()
	served := httptest.NewServer(p.service.Handler())
	p.base = served.URL
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var group sync.WaitGroup
	group.Go(func() { _ = p.service.Run(ctx) })
	t.Cleanup(func() {
		served.Close()
		cancel()
		group.Wait()
	})
	return p
}

// open opens the service. Its clock is the time of blocks.
func (p *pusher) open() {
	p.t.Helper()
	dir := p.t.TempDir()
	p.bundles = filepath.Join(dir, "bundles")
	store, err := dirstore.Open(p.bundles)
	if err != nil {
		p.t.Fatal(err)
	}
	repositories, err := gitcache.Open(filepath.Join(dir, "repositories"), gitcache.DefaultLimits())
	if err != nil {
		p.t.Fatal(err)
	}
	p.service, err = content.Open(p.t.Context(), content.Config{
		Dir: dir, ChainID: "test", Chain: p.chain, Store: store, Repositories: repositories, MaxBytes: 1 << 30,
		FreeDisk:       func() (int64, error) { return 1 << 40, nil },
		ClientAddress:  func(context.Context) netip.Addr { return netip.IPv6Loopback() },
		IsConfidential: func(context.Context) bool { return true },
		WriteProblem: func(w http.ResponseWriter, code, detail string) {
			http.Error(w, code+": "+detail, http.StatusBadRequest)
		},
		Now: p.chain.now, Log: slog.New(slog.NewTextHandler(p.t.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// put uploads a git bundle with refs, by name, that builds on commits, and returns its digest. It reports false if there is nothing to
// upload.
func (p *pusher) put(refs map[string]string, known []string) (digest ident.Hash, uploaded bool) {
	p.t.Helper()
	if len(refs) == 0 {
		return digest, false
	}
	args := []string{"bundle", "create", "--quiet", filepath.Join(p.t.TempDir(), "bundle")}
	for name, id := range refs {
		p.Git(p.t, "update-ref", name, id)
		args = append(args, name)
	}
	for _, id := range known {
		args = append(args, "^"+id)
	}
	command := exec.CommandContext(p.t.Context(), "git", args...)
	command.Dir = p.Dir
	if printed, err := command.CombinedOutput(); bytes.Contains(printed, []byte("empty bundle")) {
		return digest, false
	} else if err != nil {
		p.t.Fatalf("git %v: %v: %s", args, err, printed)
	}
	data, err := os.ReadFile(args[3])
	if err != nil {
		p.t.Fatal(err)
	}
	digest = blake3.Sum256(data)
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodPut,
		p.base+"/v1/content/"+p.chain.project.String()+"/"+digest.String(), bytes.NewReader(data))
	if err != nil {
		p.t.Fatal(err)
	}
	signed, err := contentauth.Sign(p.seed, &contentauth.Statement{
		ChainID: "test", Purpose: contentauth.Upload, Host: request.Host, Project: p.chain.project, Digest: digest, Length: int64(len(data)),
	}, p.chain.now())
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Authorization", signed.String())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || response.StatusCode != http.StatusCreated && response.StatusCode != http.StatusOK {
		p.t.Fatalf("PUT: %s %s %v", response.Status, body, err)
	}
	return digest, true
}

// update uploads what refs need, and sets them on the chain. An empty id deletes a ref.
func (p *pusher) update(refs map[string]string) {
	p.t.Helper()
	var known []string
	for _, id := range p.refs {
		known = append(known, id)
	}
	rows, wanted := map[string]proto.Message{}, map[string]string{}
	for name, id := range refs {
		key := string(schema.RefKey(p.chain.project, []byte(name)))
		if id == "" {
			delete(p.refs, name)
			rows[key] = nil
			continue
		}
		p.refs[name], wanted[name] = id, id
		object := hash(p.t, id)
		row := &pb.RefRow{Hash: object[:]}
		if p.Git(p.t, "cat-file", "-t", id) == "tag" {
			commit := hash(p.t, p.Git(p.t, "rev-parse", id+"^{commit}"))
			row.Hash, row.TagObject = commit[:], object[:]
		}
		rows[key] = row
	}
	if digest, uploaded := p.put(wanted, known); uploaded {
		p.name(digest, rows)
		return
	}
	p.commit(time.Minute, rows)
}

// name commits rows together with the name of a git bundle.
func (p *pusher) name(digest ident.Hash, rows map[string]proto.Message) {
	p.t.Helper()
	key := string(schema.ContentKey(p.chain.project, digest))
	if _, exists := p.chain.rows[key]; !exists {
		rows[key] = &pb.ContentRow{BlockNumber: p.chain.height + 1}
	}
	p.commit(time.Minute, rows)
}

// commit commits rows and waits until the service has followed them.
func (p *pusher) commit(by time.Duration, rows map[string]proto.Message) {
	p.t.Helper()
	p.chain.commit(by, rows)
	nodetest.Await(p.t, "the service to follow", func() bool { return p.service.Stats().Block == p.chain.height })
}

// consolidate uploads everything that the refs reach.
func (p *pusher) consolidate() {
	p.t.Helper()
	if digest, uploaded := p.put(p.refs, nil); uploaded {
		p.name(digest, map[string]proto.Message{})
	}
}

// stored returns the files of git bundles that the service has.
func (p *pusher) stored() (files []string) {
	p.t.Helper()
	err := filepath.WalkDir(p.bundles, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && len(entry.Name()) == 64 {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return files
}

// checkClone checks that a new repository made of the stored git bundles has everything that the refs on the chain reach.
func (p *pusher) checkClone() {
	p.t.Helper()
	clone := gittest.Init(p.t)
	waiting := p.stored()
	for progress := true; progress; {
		progress = false
		for _, file := range waiting {
			data, err := os.ReadFile(file)
			if err != nil {
				p.t.Fatal(err)
			}
			header, err := gitbundle.Parse(bufio.NewReader(bytes.NewReader(data)), gitbundle.DefaultLimits())
			if err != nil {
				p.t.Fatal(err)
			}
			known := clone.Feed(p.t, []byte(strings.Join(header.Prerequisites, "\n")+"\n"), "cat-file", "--batch-check")
			if len(header.Prerequisites) > 0 && strings.Contains(known, "missing") {
				continue
			}
			index := exec.CommandContext(p.t.Context(), "git", "index-pack", "--stdin", "--fix-thin", "--strict")
			index.Dir, index.Stdin = clone.Dir, bytes.NewReader(data[header.Size:])
			if index.Run() != nil {
				continue // git bundle create does not list everything that a tag needs
			}
			waiting = slices.DeleteFunc(slices.Clone(waiting), func(other string) bool { return other == file })
			progress = true
		}
	}
	for name, id := range p.refs {
		clone.Git(p.t, "update-ref", name, id)
	}
	clone.Git(p.t, "rev-list", "--objects", "--all", "--quiet")
}

// TestReplacedContent checks with random pushes, deletions and consolidations that the service deletes git bundles that were
// replaced, and that after each search for them a clone from the remaining ones is complete.
func TestReplacedContent(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs git many times")
	}
	for seed := range uint64(3) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			p := newPusher(t)
			random := rand.New(rand.NewPCG(seed, 1))
			var commits []string
			deleted := 0
			for step := range 36 {
				p.step(random, step, &commits)
				before := len(p.stored())
				if err := p.service.Maintain(t.Context()); err != nil {
					t.Fatal(err)
				}
				deleted += before - len(p.stored())
				p.checkClone()
			}
			// A last consolidation replaces everything.
			p.consolidate()
			if err := p.service.Maintain(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.commit(2*content.ReplacedTTL, nil)
			if err := p.service.Maintain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if left := len(p.stored()); left != 1 && len(p.refs) > 0 {
				t.Errorf("%d git bundles are left after everything was consolidated", left)
			}
			p.checkClone()
			t.Logf("%d git bundles were deleted before the last consolidation", deleted)
		})
	}
}

// step makes a random change.
func (p *pusher) step(random *rand.Rand, step int, commits *[]string) {
	p.t.Helper()
	names := slices.Sorted(maps.Keys(p.refs))
	branch := fmt.Sprintf("refs/heads/branch-%d", random.IntN(4))
	switch choice := random.IntN(10); {
	case choice < 4 || len(*commits) == 0: // a commit on a branch, or the first of a new one
		tree := p.Feed(p.t, fmt.Appendf(nil, "100644 blob %s\tfile\n", p.Feed(p.t, fmt.Appendf(nil, "%d", step), "hash-object", "-w", "--stdin")), "mktree")
		args := []string{"commit-tree", "-m", fmt.Sprintf("commit %d", step), tree}
		if parent := p.refs[branch]; parent != "" {
			args = append(args, "-p", parent)
		} else if len(*commits) > 0 && random.IntN(3) > 0 {
			args = append(args, "-p", (*commits)[random.IntN(len(*commits))])
		}
		commit := p.Git(p.t, args...)
		*commits = append(*commits, commit)
		p.update(map[string]string{branch: commit})
	case choice < 5: // a branch moves to any commit that was ever pushed
		p.update(map[string]string{branch: (*commits)[random.IntN(len(*commits))]})
	case choice < 6: // an annotated tag
		name := fmt.Sprintf("v%d", step)
		p.Git(p.t, "tag", "-a", "-m", name, name, (*commits)[random.IntN(len(*commits))])
		p.update(map[string]string{"refs/tags/" + name: p.Git(p.t, "rev-parse", name)})
	case choice < 7 && len(names) > 0:
		p.update(map[string]string{names[random.IntN(len(names))]: ""})
	case choice < 8:
		p.consolidate()
	default:
		p.commit(time.Duration(random.Int64N(int64(40*time.Hour))), nil)
	}
}
