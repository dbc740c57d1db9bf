package rpc_test

import (
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// actor returns the actor with a name. It may have no account yet.
func (n *node) actor(name string) *ledgertest.Actor {
	n.Helper()
	if a, ok := n.actors[name]; ok {
		return a
	}
	a, err := ledgertest.NewActor(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, name)
	if err != nil {
		n.Fatal(err)
	}
	n.actors[name] = a
	return a
}

// permit returns the bounds of the next custody signature of an actor.
func (n *node) permit(a *ledgertest.Actor) message.Permit {
	now := uint64(n.clock.Load())
	permit := message.Permit{Nonce: n.nonces[a.Address], ValidAfter: now - 60, ValidBefore: now + 600}
	n.nonces[a.Address]++
	return permit
}

func (n *node) made(m *message.Envelope, err error) *message.Envelope {
	n.Helper()
	if err != nil {
		n.Fatal(err)
	}
	return m
}

// sign returns a message with the node's time.
func (n *node) sign(by ledgertest.Signer, data *pb.MessageData) *message.Envelope {
	n.Helper()
	return n.made(by.Sign(n.stamp(), data))
}

// join returns the messages that create an account with a key and, unless units is 0, with storage and a username.
func (n *node) join(a *ledgertest.Actor, units uint32) []*message.Envelope {
	n.Helper()
	grant := message.SignerGrant{Key: a.Key(), Scope: pb.KeyScope_KEY_SCOPE_OWNER}
	messages := []*message.Envelope{n.made(a.SignerAdd(n.stamp(), grant, n.permit(a), a.Root, a.Root))}
	if units > 0 {
		messages = append(messages, n.claim(a, units), n.sign(a, message.UsernameCreate(a.Name)))
	}
	return messages
}

// claim returns a message that grants storage from now on.
func (n *node) claim(a *ledgertest.Actor, units uint32) *message.Envelope {
	n.Helper()
	n.payments++
	settlement := message.Settlement{
		Units: units, TxHash: ledgertest.Hash("payment " + strconv.Itoa(n.payments)), Actor: a.Address, Timestamp: uint64(n.clock.Load()),
	}
	return n.made(a.StorageClaim(n.stamp(), ledgertest.Domain(), settlement, ledgertest.Attester(0), ledgertest.Attester(1)))
}

// create returns a message that creates a project.
func (n *node) create(by *ledgertest.Actor, name string) *message.Envelope {
	n.Helper()
	return n.sign(by, message.ProjectCreate(name, pb.Visibility_VISIBILITY_PUBLIC, "", ""))
}

// push returns a bundle with one commit.
func (n *node) push(by *ledgertest.Actor, project ident.Hash, name string, parents ...ident.Hash) *message.Envelope {
	n.Helper()
	return n.sign(by, message.CommitBundle(project, message.Content{}, ledgertest.NewCommit(ledgertest.Hash(name), parents...)))
}
