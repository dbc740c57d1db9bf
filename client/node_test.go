package client_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
	"makechain/message"
	"makechain/proof"
	"makechain/proof/finality"
)

// Hashes of commits with known prefixes.
var (
	firstCommit  = message.Hash{0xab, 0xcd, 0x11}
	secondCommit = message.Hash{0xab, 0xcd, 0x12}
	thirdCommit  = message.Hash{0xfe, 0xed}
)

// chain is a node on which alice has a project with three commits and a few refs.
type chain struct {
	*nodetest.Node

	trust finality.Trust
	alice *nodetest.Account
	hello message.Hash
}

func newChain(t *testing.T) *chain {
	t.Helper()
	n := &chain{Node: nodetest.Start(t, t.TempDir()), alice: nodetest.NewAccount(t)}
	n.Register(n.alice, 1, "alice")
	project := n.alice.Sign(message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	n.hello = project.Hash
	commits := []message.Commit{
		{Hash: firstCommit, Author: n.alice.Address()},
		{Hash: secondCommit, Parents: []message.Hash{firstCommit}, Author: n.alice.Address()},
		{Hash: thirdCommit, Parents: []message.Hash{secondCommit}, Author: n.alice.Address()},
	}
	messages := []*message.Envelope{project, n.alice.Sign(message.CommitBundle(n.hello, message.Content{}, commits...))}
	for name, ref := range map[string]message.RefMove{
		"refs/heads/main": {New: thirdCommit, Nonce: 1},
		"refs/heads/both": {New: firstCommit, Nonce: 1},
		"refs/tags/both":  {New: secondCommit, Nonce: 1, Type: pb.RefType_REF_TYPE_TAG},
		"feed":            {New: firstCommit, Nonce: 1}, // also a prefix of a commit hash
	} {
		messages = append(messages, n.alice.Sign(message.RefUpdate(n.hello, name, ref)))
	}
	n.Submit(t, messages...)
	n.MustCommit(t, messages...)
	genesis, err := os.ReadFile(filepath.Join(n.Home(), "config", "genesis.json"))
	if err != nil {
		t.Fatal(err)
	}
	if n.trust, err = finality.TrustGenesis(genesis); err != nil {
		t.Fatal(err)
	}
	return n
}

func dial(t *testing.T, target string, options ...client.Option) *client.Client {
	t.Helper()
	c, err := client.New(target, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestNode tests rows, names and submission against a real node.
func TestNode(t *testing.T) {
	t.Parallel()
	n := newChain(t)
	trusting := dial(t, n.GRPCAddr(), client.WithTrust(n.trust))
	t.Run("row", func(t *testing.T) { t.Parallel(); n.readRows(t, trusting) })
	t.Run("project", func(t *testing.T) { t.Parallel(); n.readProject(t, trusting) })
	t.Run("trust", func(t *testing.T) { t.Parallel(); n.rejectUntrusted(t) })
	t.Run("names, proven", func(t *testing.T) { t.Parallel(); n.resolveNames(t, trusting) })
	t.Run("names, without trust", func(t *testing.T) { t.Parallel(); n.resolveNames(t, dial(t, n.GRPCAddr())) })
	t.Run("missing names", func(t *testing.T) { t.Parallel(); n.rejectNames(t, trusting) })
	t.Run("false proofs", func(t *testing.T) { t.Parallel(); n.rejectFalseProofs(t) })
	t.Run("slow blocks", func(t *testing.T) { t.Parallel(); n.awaitRoot(t) })
	t.Run("submit", func(t *testing.T) { t.Parallel(); n.submit(t, trusting) })
}

// readRows checks a verified read of an existing and of a missing row.
func (n *chain) readRows(t *testing.T, c *client.Client) {
	t.Helper()
	value, block, err := c.Row(t.Context(), schema.RefKey(n.hello, []byte("refs/heads/main")))
	row := new(pb.RefRow)
	if err != nil || block == 0 || schema.Decode(value, row) != nil || !bytes.Equal(row.GetHash(), thirdCommit[:]) {
		t.Errorf("main is at %x after block %d: %v", value, block, err)
	}
	value, block, err = c.Row(t.Context(), schema.RefKey(n.hello, []byte("refs/heads/none")))
	if err != nil || block == 0 || value != nil {
		t.Errorf("missing ref read as %x after block %d: %v", value, block, err)
	}
}

// rejectUntrusted checks clients that trust other validators or another chain, trust the node on first use, or have no
// trust.
func (n *chain) rejectUntrusted(t *testing.T) {
	t.Helper()
	key := schema.ProjectKey(n.hello)
	for name, test := range map[string]struct {
		trust finality.Trust
		step  string
	}{
		"other validators":          {finality.Trust{ChainID: n.trust.ChainID, ValidatorsHash: make([]byte, 32)}, finality.StepValidators},
		"other validators at first": {finality.Trust{ChainID: n.trust.ChainID, ValidatorsHash: make([]byte, 32), Number: 1}, finality.StepValidators},
		"another chain":             {finality.Trust{ChainID: "another", ValidatorsHash: n.trust.ValidatorsHash}, finality.StepChain},
	} {
		failed := (*proof.StepError)(nil)
		if _, _, err := dial(t, n.GRPCAddr(), client.WithTrust(test.trust)).Row(t.Context(), key); !errors.As(err, &failed) || failed.Step != test.step {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := dial(t, n.GRPCAddr())
	if _, _, err := c.Row(t.Context(), key); !errors.Is(err, client.ErrNoTrust) {
		t.Errorf("without trust: %v", err)
	}
	trust, err := c.TrustOnFirstUse(t.Context())
	if err != nil || trust.ChainID != n.trust.ChainID || !bytes.Equal(trust.ValidatorsHash, n.trust.ValidatorsHash) {
		t.Errorf("trust on first use is %+v, %v, that of the genesis %+v", trust, err, n.trust)
	}
	failing := client.WithTrustSource(func(context.Context, *client.Client) (finality.Trust, error) {
		return finality.Trust{}, errors.ErrUnsupported
	})
	if _, _, err := dial(t, n.GRPCAddr(), failing).Row(t.Context(), key); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("trust source that fails: %v", err)
	}
}

// resolveNames checks every form of every kind of name.
func (n *chain) resolveNames(t *testing.T, c *client.Client) {
	t.Helper()
	ctx, owner := t.Context(), n.alice.Address()
	for _, name := range []string{"alice", owner.String(), owner.String()[2:], owner.String()[:10], owner.String()[:9]} {
		if got, err := c.Account(ctx, name); err != nil || got != owner {
			t.Errorf("account %q: %s, %v", name, got, err)
		}
	}
	id := n.hello.String()
	for _, name := range []string{"alice/hello", owner.String()[:10] + "/hello", id, "0x" + id, id[:8], id[:7], strings.ToUpper(id[:12])} {
		if got, err := c.Project(ctx, name); err != nil || got != n.hello {
			t.Errorf("project %q: %s, %v", name, got, err)
		}
	}
	for name, full := range map[string]string{
		"main": "refs/heads/main", "heads/main": "refs/heads/main", "refs/heads/main": "refs/heads/main", "tags/both": "refs/tags/both", "feed": "feed",
	} {
		if got, err := c.Ref(ctx, n.hello, name); err != nil || got.Name != full || got.Nonce != 1 {
			t.Errorf("ref %q: %+v, %v", name, got, err)
		}
	}
	for name, want := range map[string]message.Hash{
		"main": thirdCommit, "feed": firstCommit, "feed0": thirdCommit, "abcd11": firstCommit, "abcd1": {}, secondCommit.String(): secondCommit,
		secondCommit.String()[:40]: secondCommit, // as git prints SHA-1
	} {
		got, err := c.Commit(ctx, n.hello, name)
		if ambiguous := (*client.AmbiguousError)(nil); got != want || errors.As(err, &ambiguous) != (want == message.Hash{}) {
			t.Errorf("commit %q: %s, %v", name, got, err)
		}
	}
	if project, commit, err := c.ProjectCommit(ctx, "alice/hello@heads/both"); err != nil || project != n.hello || commit != firstCommit {
		t.Errorf("project and commit: %s, %s, %v", project, commit, err)
	}
	key := n.alice.Key()
	if got, err := c.DelegatedKey(ctx, owner, key.String()[:8]); err != nil || got != key {
		t.Errorf("key: %s, %v", got, err)
	}
}

// rejectNames checks the errors for names that do not exist and for ambiguous names.
func (n *chain) rejectNames(t *testing.T, c *client.Client) {
	t.Helper()
	ctx := t.Context()
	find := map[string]func() error{
		"account":       func() error { _, err := c.Account(ctx, "unregistered"); return err },
		"project":       func() error { _, err := c.Project(ctx, "alice/nothing"); return err },
		"ref":           func() error { _, err := c.Ref(ctx, n.hello, "nothing"); return err },
		"ref or commit": func() error { _, err := c.Commit(ctx, n.hello, "nothing"); return err },
		"commit":        func() error { _, err := c.Commit(ctx, n.hello, "0123"); return err },
		"merge request": func() error { _, err := c.MergeRequest(ctx, n.hello, "0123"); return err },
		"key":           func() error { _, err := c.DelegatedKey(ctx, message.Address{}, "0123"); return err },
		"custody key":   func() error { _, err := c.CustodyKey(ctx, n.alice.Address(), "0x0123"); return err },
	}
	for kind, missing := range find {
		if absent := (*client.NotFoundError)(nil); !errors.As(missing(), &absent) || absent.Kind != kind {
			t.Errorf("%s: %v", kind, missing())
		}
	}
	for _, test := range []struct {
		name string
		want []string
	}{
		{"both", []string{"refs/tags/both", "refs/heads/both"}},
		{"abcd", []string{firstCommit.String(), secondCommit.String()}},
	} {
		_, err := c.Commit(ctx, n.hello, test.name)
		if ambiguous := (*client.AmbiguousError)(nil); !errors.As(err, &ambiguous) || !slices.Equal(ambiguous.Candidates, test.want) {
			t.Errorf("%q: %v", test.name, err)
		}
	}
}

// submit checks the outcomes of submitted messages.
func (n *chain) submit(t *testing.T, c *client.Client) {
	t.Helper()
	ctx := t.Context()
	good := n.alice.Sign(message.ProjectCreate("second", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	if err := c.Submit(ctx, good); err != nil {
		t.Fatal(err)
	}
	if block, err := c.AwaitCommitted(ctx, good.Hash); err != nil || block == 0 {
		t.Errorf("block %d: %v", block, err)
	}
	if err := c.Submit(ctx, good); err != nil {
		t.Errorf("committed message submitted again: %v", err)
	}
	taken := n.alice.Sign(message.ProjectCreate("second", pb.Visibility_VISIBILITY_PRIVATE, "", ""))
	refused := (*client.RefusedError)(nil)
	if err := c.Submit(ctx, taken); !errors.As(err, &refused) || refused.Code != message.CodeNameTaken ||
		refused.Stage != message.StateTransition || refused.Hash != taken.Hash {
		t.Errorf("name in use: %v", err)
	}
	if _, err := c.AwaitCommitted(ctx, message.Hash{1}); !errors.Is(err, client.ErrUnknownMessage) {
		t.Errorf("message that was never submitted: %v", err)
	}
}
