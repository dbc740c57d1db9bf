package rpc_test

import (
	"fmt"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// many is more than one page of items.
const many = 203

// large is a node with more than one page of every list: followers of alice, stars and likes of her project, and her
// keys, wallets, addresses, projects, commits, collaborators, links and merge requests.
type large struct {
	*node

	alice         *ledgertest.Actor
	project, fork ident.Hash
	first         ident.Hash // commit
	added         int        // items that addItems has added to every list
}

func newLarge(t testing.TB) *large {
	t.Helper()
	n := newNode(t, setup{})
	c := &large{node: n, alice: n.actor("alice")}
	c.must(c.join(c.alice, 60)...)
	create := c.create(c.alice, "project")
	c.project, c.first = create.Hash, ledgertest.Hash("commit 0")
	c.must(create, c.commits())
	c.accounts()
	c.custody()
	c.write()
	c.propose()
	return c
}

// commits returns a bundle with a linear history.
func (c *large) commits() *message.Envelope {
	c.Helper()
	line := []message.Commit{ledgertest.NewCommit(c.first)}
	for i := 1; i < many; i++ {
		line = append(line, ledgertest.NewCommit(ledgertest.Hash(fmt.Sprintf("commit %d", i)), line[i-1].Hash))
	}
	return c.sign(c.alice, message.CommitBundle(c.project, message.Content{}, line...))
}

// accounts adds accounts that follow, star and like.
func (c *large) accounts() {
	c.Helper()
	var messages []*message.Envelope
	for i := range many {
		person := c.actor(fmt.Sprintf("person-%03d", i))
		messages = append(messages, c.join(person, 1)...)
		messages = append(messages, c.sign(person, message.Follow(c.alice.Address)), c.sign(person, message.Star(c.project)),
			c.sign(person, message.Like(c.project, c.first)),
			c.sign(c.alice, message.Follow(person.Address)),
			c.sign(c.alice, message.Like(c.project, ledgertest.Hash(fmt.Sprintf("commit %d", i)))),
			c.sign(c.alice, message.CollaboratorAdd(c.project, person.Address, pb.Permission_PERMISSION_READ)))
	}
	c.must(messages...)
}

// custody adds keys, wallets and verified addresses of alice.
func (c *large) custody() {
	c.Helper()
	var messages []*message.Envelope
	for i := range many {
		name := fmt.Sprintf("more %d", i)
		wallet, err := ledgertest.NewWallet(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, name)
		if err != nil {
			c.Fatal(err)
		}
		grant := message.SignerGrant{Key: c.alice.With(name).Key(), Scope: pb.KeyScope_KEY_SCOPE_SIGNING}
		key := message.CustodyKey{Type: wallet.Type(), PublicKey: wallet.PublicKey()}
		messages = append(messages,
			c.made(c.alice.SignerAdd(c.stamp(), grant, c.permit(c.alice), c.alice.Root, c.alice.Root)),
			c.made(c.alice.KeychainAuthorize(c.stamp(), key, c.permit(c.alice), c.alice.Root)),
			c.made(c.alice.EthVerification(c.stamp(), wallet)))
	}
	c.must(messages...)
}

// write adds projects, which are forks, and refs, one block each, and moves a ref repeatedly.
func (c *large) write() {
	c.Helper()
	for i := range many {
		messages := []*message.Envelope{
			c.sign(c.alice, message.Fork(c.project, c.first, fmt.Sprintf("project-%03d", i), pb.Visibility_VISIBILITY_PUBLIC)),
			c.sign(c.alice, message.RefUpdate(c.project, "busy", message.RefMove{New: c.first, Nonce: uint64(i + 1), Force: true})),
		}
		if i < 199 { // with the busy one, all that a project can have
			messages = append(messages, c.sign(c.alice, message.RefUpdate(c.project, fmt.Sprintf("ref-%03d", i), message.RefMove{New: c.first, Nonce: 1})))
		}
		c.must(messages...)
	}
}

// propose adds merge requests from a fork, half of which are closed.
func (c *large) propose() {
	c.Helper()
	fork := c.sign(c.alice, message.Fork(c.project, c.first, "fork", pb.Visibility_VISIBILITY_PUBLIC))
	c.fork = fork.Hash
	c.must(fork, c.sign(c.alice, message.RefUpdate(c.fork, "topic", message.RefMove{New: c.first, Nonce: 1})))
	var messages, closed []*message.Envelope
	for i := range 2 * many {
		request := c.request(fmt.Sprintf("request %d", i))
		messages = append(messages, request)
		if i%2 == 0 {
			closed = append(closed, c.sign(c.alice, message.MergeRequestRemove(c.project, request.Hash)))
		}
	}
	c.must(messages...)
	c.must(closed...)
}

// request returns a message that opens a merge request.
func (c *large) request(title string) *message.Envelope {
	c.Helper()
	return c.sign(c.alice, message.MergeRequestAdd(c.project, message.MergeProposal{
		Source: c.fork, SourceRef: "topic", SourceCommit: c.first, TargetRef: "busy", Title: title,
	}))
}
