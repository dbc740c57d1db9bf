package rest_test

import (
	"encoding/hex"
	"fmt"
	"log/slog"
	"strconv"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	storageUnits = 3
	commitCount  = 12
	// oddRef is the name of a ref that is not valid UTF-8.
	oddRef = "refs/heads/\xff\xfe/caf\xc3\xa9"
)

// fixture is a chain with objects of every kind, and a gateway in front of it.
type fixture struct {
	*nodetest.Node

	gateway *gateway

	alice, bob *nodetest.Account

	hello, fork ident.Hash // projects
	commits     []message.Commit
	request     ident.Hash // a merge request
	closed      ident.Hash // the merge request that it replaced
	custodyKey  *custody.Secp256k1Wallet
	key         *message.Envelope // registered alice's key: her first message
	odd         *message.Envelope // moved the ref whose name is not UTF-8
}

// newFixture starts a node, commits messages of every kind and waits until the chain is idle.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	config := nodetest.Config(t.TempDir(), slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	config.SnapshotEvery = 3
	n := nodetest.StartWith(t, config)
	s := &fixture{Node: n, gateway: newRemoteGateway(t, n.Client), alice: nodetest.NewAccount(t), bob: nodetest.NewAccount(t)}
	s.join(t, s.alice, "alice", &s.key)
	s.writeProject(t)
	s.writeProfile(t)
	s.join(t, s.bob, "bob", nil)
	s.writeFork(t)
	s.writeSocial(t)
	s.settle(t)
	return s
}

// join registers an account.
func (s *fixture) join(t *testing.T, p *nodetest.Account, username string, key **message.Envelope) {
	t.Helper()
	first := p.AddKey()
	if key != nil {
		*key = first
	}
	s.Submit(t, first)
	claim := s.Claim(p, storageUnits)
	s.send(t, p, message.UsernameCreate(username))
	s.AwaitStatus(t, claim)
}

// send submits messages of an account, waits until they are committed and returns the first.
func (s *fixture) send(t *testing.T, by *nodetest.Account, data ...*pb.MessageData) *message.Envelope {
	t.Helper()
	messages := make([]*message.Envelope, len(data))
	for i, d := range data {
		messages[i] = by.Sign(d)
	}
	s.Submit(t, messages...)
	s.MustCommit(t, messages...)
	return messages[0]
}

// settle waits for the empty block that certifies the last root, after which the chain is idle.
func (s *fixture) settle(t *testing.T) {
	t.Helper()
	var last uint64
	nodetest.Await(t, "a block without messages", func() bool {
		last = nodetest.Call(t, s.GetHealth, &pb.GetHealthRequest{}).GetCurrentBlock()
		return len(nodetest.Call(t, s.ListMessages, &pb.ListMessagesRequest{StartBlock: last, EndBlock: last}).GetMessages()) == 0
	})
	nodetest.Await(t, "the root that it certifies", func() bool {
		_, err := s.GetFinalizedRoot(t.Context(), connect.NewRequest(&pb.GetFinalizedRootRequest{BlockNumber: last - 1}))
		return err == nil
	})
	nodetest.Await(t, "a snapshot", func() bool {
		_, err := s.GetSnapshotInfo(t.Context(), connect.NewRequest(&pb.GetSnapshotInfoRequest{}))
		return err == nil
	})
}

func (s *fixture) writeProject(t *testing.T) {
	t.Helper()
	s.hello = s.send(t, s.alice, message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "A greeting", "MIT")).Hash
	s.commits = newCommits(t, commitCount, s.alice.Address())
	content := message.Content{Digest: nodetest.Random(t), URL: "https://example.org/pack"}
	s.send(t, s.alice, message.CommitBundle(s.hello, content, s.commits...))
	first, last := s.commits[0].Hash, s.commits[commitCount-1].Hash
	s.send(t, s.alice,
		message.RefUpdate(s.hello, "refs/heads/main", message.RefMove{New: first, Nonce: 1}),
		message.RefUpdate(s.hello, "refs/heads/main", message.RefMove{Old: first, New: last, Nonce: 2}),
		message.RefUpdate(s.hello, "v1", message.RefMove{Type: pb.RefType_REF_TYPE_TAG, New: last, Nonce: 1}),
	)
	s.odd = s.send(t, s.alice, message.RefUpdate(s.hello, oddRef, message.RefMove{New: last, Nonce: 1}))
}

// newCommits returns a linear history of commits, with hashes of SHA-1 ids.
func newCommits(t *testing.T, count int, author ident.Address) []message.Commit {
	t.Helper()
	commits := make([]message.Commit, count)
	for i := range commits {
		commits[i] = message.Commit{
			Hash: nodetest.Random(t), TreeRoot: nodetest.Random(t), MessageHash: nodetest.Random(t),
			Author: author, AuthorTimestamp: uint32(1_700_000_000 + i), Title: "commit " + strconv.Itoa(i),
		}
		clear(commits[i].Hash[20:])
		if i > 0 {
			commits[i].Parents = []ident.Hash{commits[i-1].Hash}
		}
	}
	return commits
}

// writeProfile adds a display name, two verified addresses and a custody key to alice.
func (s *fixture) writeProfile(t *testing.T) {
	t.Helper()
	a := s.alice
	ethereum, err := custody.NewSecp256k1Wallet(nodetest.Random(t))
	if err != nil {
		t.Fatal(err)
	}
	if s.custodyKey, err = custody.NewSecp256k1Wallet(nodetest.Random(t)); err != nil {
		t.Fatal(err)
	}
	key := message.CustodyKey{Type: s.custodyKey.Type(), PublicKey: s.custodyKey.PublicKey(), Admin: true}
	messages := []*message.Envelope{
		a.Sign(message.AccountData(pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, "Alice")),
		a.Must(a.EthVerification(a.Now(), ethereum)),
		a.Must(a.SolVerification(a.Now(), nodetest.Random(t))),
		a.Must(a.KeychainAuthorize(a.Now(), key, a.Permit(), a.Root)),
	}
	s.Submit(t, messages...)
	s.MustCommit(t, messages...)
}

// writeFork creates a fork of bob with a commit and a merge request, and makes bob a collaborator.
func (s *fixture) writeFork(t *testing.T) {
	t.Helper()
	base := s.commits[commitCount-1].Hash
	s.fork = s.send(t, s.bob, message.Fork(s.hello, base, "hello-fork", pb.Visibility_VISIBILITY_PUBLIC)).Hash
	louder := newCommits(t, 1, s.bob.Address())[0]
	louder.Parents = []ident.Hash{base}
	s.send(t, s.bob, message.CommitBundle(s.fork, message.Content{}, louder))
	s.send(t, s.bob, message.RefUpdate(s.fork, oddRef, message.RefMove{New: louder.Hash, Nonce: 1}))
	proposal := message.MergeProposal{Source: s.fork, SourceRef: oddRef, SourceCommit: louder.Hash, TargetRef: "refs/heads/main", Title: "Louder"}
	s.closed = s.send(t, s.bob, message.MergeRequestAdd(s.hello, proposal)).Hash
	proposal.Replaces = s.closed
	s.request = s.send(t, s.bob, message.MergeRequestAdd(s.hello, proposal)).Hash
	s.send(t, s.alice, message.CollaboratorAdd(s.hello, s.bob.Address(), pb.Permission_PERMISSION_WRITE))
}

func (s *fixture) writeSocial(t *testing.T) {
	t.Helper()
	s.send(t, s.alice, message.Follow(s.bob.Address()), message.Star(s.fork))
	s.send(t, s.bob, message.Follow(s.alice.Address()), message.Star(s.hello), message.Like(s.hello, s.commits[0].Hash))
}

// Parts of paths.

func (s *fixture) account(p *nodetest.Account) string { return "/v1/accounts/" + p.Address().String() }

func (s *fixture) project(id ident.Hash) string { return "/v1/projects/" + id.String() }

func hexOf(text string) string { return hex.EncodeToString([]byte(text)) }

func block(number uint64) string { return fmt.Sprintf("/v1/blocks/%d", number) }
