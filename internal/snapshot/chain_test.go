package snapshot

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/internal/store"
	"makechain/message"
)

// chain is a test chain whose blocks are committed to a store.
type chain struct {
	*ledgertest.Chain
	t        testing.TB
	store    *store.Store
	messages []*message.Envelope // committed so far
	roots    map[uint64]Hash     // by height
	payments int
}

// newStore returns a store that is closed when the test ends.
func newStore(t testing.TB, parallelism int) *store.Store {
	t.Helper()
	s := openStore(t, parallelism)
	t.Cleanup(func() { closeStore(t, s) })
	return s
}

func openStore(t testing.TB, parallelism int) *store.Store {
	t.Helper()
	s, err := store.OpenMemory(store.Options{Parallelism: parallelism})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeStore(t testing.TB, s *store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func newChain(t testing.TB, parallelism int) *chain {
	t.Helper()
	return &chain{Chain: ledgertest.New(t), t: t, store: newStore(t, parallelism), roots: map[uint64]Hash{}}
}

// commit commits a block with messages, all of which must apply.
func (c *chain) commit(messages ...*message.Envelope) {
	c.Helper()
	result := c.Propose(10, messages...)
	for _, refused := range result.Refused {
		c.Fatalf("%s: %v", refused.Message.Type(), refused.Refusal)
	}
	c.messages = append(c.messages, messages...)
	c.roots[c.Block.Height] = commitTo(c.t, c.store, c.Block, result)
}

// commitTo commits a block to a store and returns the root after it.
func commitTo(t testing.TB, s *store.Store, block ledger.Block, result *ledger.Result) Hash {
	t.Helper()
	before := s.Snapshot()
	rows, err := index.Rows(before, &ledger.Committed{Block: block, Applied: result.Applied, Changes: result.Changes}, nil)
	if err := errors.Join(err, before.Close()); err != nil {
		t.Fatal(err)
	}
	staged, err := s.Stage(result.Changes)
	if err != nil {
		t.Fatal(err)
	}
	root := staged.Root()
	if err := staged.Commit(block.Height, rows...); err != nil {
		t.Fatal(err)
	}
	return root
}

// register returns the messages that register an account with a key, storage and a username.
func (c *chain) register(name string) []*message.Envelope {
	c.Helper()
	a := c.Actor(name)
	must := func(m *message.Envelope, err error) *message.Envelope {
		if err != nil {
			c.t.Fatal(err)
		}
		return m
	}
	c.payments++
	return []*message.Envelope{
		must(a.SignerAdd(c.Now(), message.SignerGrant{Key: a.Key(), Scope: pb.KeyScope_KEY_SCOPE_OWNER}, c.Permit(a.Address), a.Root, a.Root)),
		must(a.StorageClaim(c.Now(), ledgertest.Domain(), message.Settlement{
			Units: 3, TxHash: ledgertest.Hash("paid:" + strconv.Itoa(c.payments)), Actor: a.Address, Timestamp: c.Block.Time,
		}, ledgertest.Attester(0), ledgertest.Attester(1))),
		c.Sign(a, message.UsernameCreate(name)),
	}
}

// commitSample commits messages that lead to every kind of derived row, removed members and a removed project.
func (c *chain) commitSample() {
	c.Helper()
	one := ledgertest.Hash("one")
	c.commit(append(c.register("alice"), c.register("bobby")...)...)
	alice, bobby := c.Actor("alice"), c.Actor("bobby")
	create := c.Sign(alice, message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	gone := c.Sign(bobby, message.ProjectCreate("gone", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	c.commit(create, gone)
	project := create.Hash
	c.commit(
		c.Sign(alice, message.CommitBundle(project, message.Content{}, ledgertest.NewCommit(one))),
		c.Sign(bobby, message.CommitBundle(gone.Hash, message.Content{}, ledgertest.NewCommit(one))),
		c.Sign(alice, message.RefUpdate(project, "main", message.RefMove{New: one, Nonce: 1})),
		c.Sign(alice, message.CollaboratorAdd(project, bobby.Address, pb.Permission_PERMISSION_WRITE)),
		c.Sign(bobby, message.Follow(alice.Address)),
	)
	fork := c.Sign(bobby, message.Fork(project, one, "mine", pb.Visibility_VISIBILITY_PUBLIC))
	c.commit(fork, c.Sign(bobby, message.Star(project)), c.Sign(bobby, message.Like(project, one)),
		c.Sign(bobby, message.RefUpdate(fork.Hash, "topic", message.RefMove{New: one, Nonce: 1})))
	c.commit(
		c.request(bobby, project, fork.Hash, "please"), c.request(bobby, project, fork.Hash, "once more"),
		c.Sign(bobby, message.Unstar(project)), c.Sign(bobby, message.Unfollow(alice.Address)),
		c.Sign(alice, message.CollaboratorRemove(project, bobby.Address)),
		c.Sign(bobby, message.ProjectRemove(gone.Hash)),
	)
	c.Check()
}

func (c *chain) request(by *ledgertest.Actor, target, source ident.Hash, title string) *message.Envelope {
	return c.Sign(by, message.MergeRequestAdd(target, message.MergeProposal{
		Source: source, SourceRef: "topic", SourceCommit: ledgertest.Hash("one"), TargetRef: "main", Title: title,
	}))
}

func restorerOf(s *store.Store) *Restorer {
	return NewRestorer(func() (Target, error) { return s.Restore() })
}

func openDir(t testing.TB, path string, keep int) *Directory {
	t.Helper()
	d, err := Open(path, keep, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// take takes a snapshot of the latest state of a store.
func take(t testing.TB, d *Directory, s *store.Store) Snapshot {
	t.Helper()
	latest, rows := s.Snapshot(), s.Rows()
	if err := errors.Join(d.Take(rows), rows.Close(), latest.Close()); err != nil {
		t.Fatal(err)
	}
	newest := d.List()[0]
	if newest.Height != latest.Height() || newest.Root != latest.Root() || newest.Rows != uint64(latest.Len()) {
		t.Fatalf("the newest snapshot is %+v", newest.Manifest)
	}
	return newest
}

// parts is a manifest with its chunks.
type parts struct {
	*Manifest
	chunks [][]byte
}

func load(t testing.TB, d *Directory, s Snapshot) parts {
	t.Helper()
	p := parts{Manifest: s.Manifest}
	for i := range s.Chunks {
		chunk, err := d.Chunk(s.Height, Format, uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		p.chunks = append(p.chunks, chunk)
	}
	return p
}

// restore restores a snapshot and returns the first error.
func (p parts) restore(r *Restorer, root Hash) error {
	if err := r.Begin(p.Offer(), root); err != nil {
		return err
	}
	for i, chunk := range p.chunks {
		done, err := r.Apply(uint32(i), chunk)
		if err != nil {
			return err
		}
		if done != (i == len(p.chunks)-1) {
			return errors.New("done at the wrong chunk")
		}
	}
	return nil
}

// rowsOf returns the rows of a store: those of the state, and the index rows that are computed from it.
func rowsOf(t testing.TB, s *store.Store) []schema.Change {
	t.Helper()
	latest := s.Snapshot()
	fromState := map[byte]bool{}
	err := index.FromState(latest, func(row schema.Change) error {
		fromState[row.Key[0]] = len(row.Key) > 1 // other than the counts, of which checkSame compares those of the state
		return nil
	})
	var rows []schema.Change
	err = errors.Join(err, latest.Scan(nil, nil, func(key, value []byte) bool {
		if key[0] < store.FirstIndexPrefix || fromState[key[0]] {
			rows = append(rows, schema.Change{Key: bytes.Clone(key), Value: bytes.Clone(value)})
		}
		return true
	}), latest.Close())
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// diffRows returns a diff of rows. A fast comparison comes first, since rows may be large.
func diffRows(a, b []schema.Change) string {
	if slices.EqualFunc(a, b, func(a, b schema.Change) bool { return bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value) }) {
		return ""
	}
	return cmp.Diff(a, b)
}
