package vectors

import (
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/message"
)

// permit returns a permit around the time of the open block, with the account's next nonce.
func (c *chain) permit(owner ident.Address) message.Permit {
	nonce := c.nonces[owner]
	return message.Permit{Nonce: nonce, ValidAfter: c.block.Time - 60, ValidBefore: c.block.Time + 600}
}

// spend returns a permit for an operation that will apply, and increments the nonce.
func (c *chain) spend(owner ident.Address) message.Permit {
	p := c.permit(owner)
	c.nonces[owner]++
	return p
}

// addKey registers a delegated key, signed by the root of the account.
func (c *chain) addKey(p *actor, author *message.Author, scope pb.KeyScope, projects ...message.Hash) {
	c.t.Helper()
	grant := message.SignerGrant{Key: author.Key(), Scope: scope, AllowedProjects: projects}
	c.apply("a key of scope "+scope.String(), c.signerAdd(p, grant, c.spend(p.Owner()), p.wallet, p.wallet))
}

func (c *chain) signerAdd(p *actor, grant message.SignerGrant, permit message.Permit, custodian, requester custody.Wallet) *message.Envelope {
	c.t.Helper()
	return must[*message.Envelope](c.t)(p.SignerAdd(c.now(), grant, permit, custodian, requester))
}

// otherKey returns another delegated key of an actor, not yet registered.
func (p *actor) otherKey(name string) *message.Author {
	return message.NewAuthor(secret(name), network, p.Owner())
}

// payment returns a settlement of storage units at a time.
func payment(name string, units uint32, at uint64) message.Settlement {
	return message.Settlement{Units: units, TxHash: someHash("payment " + name), LogIndex: 1, Actor: someAddress("payer"), Timestamp: at}
}

func (c *chain) claim(p *actor, s message.Settlement, attesters ...message.Seed) *message.Envelope {
	c.t.Helper()
	return must[*message.Envelope](c.t)(p.StorageClaim(c.now(), settlementDomain(network), s, attesters...))
}

// join adds actors to the chain, each with a key and, unless units is 0, storage and a username.
func (c *chain) join(units uint32, names ...string) []*actor {
	c.t.Helper()
	actors := make([]*actor, len(names))
	for i, name := range names {
		p := newActor(c.t, name)
		actors[i] = p
		c.addKey(p, p.Author, pb.KeyScope_KEY_SCOPE_OWNER)
		if units > 0 {
			c.apply(name+" claims storage", c.claim(p, payment(name, units, c.block.Time), attester(0), attester(1)))
			c.apply(name+" takes a username", c.sign(p, message.UsernameCreate(name)))
		}
	}
	return actors
}

// commits adds a bundle of commits to a project, each with the previous one as its parent.
func (c *chain) commits(p *actor, project message.Hash, names ...string) {
	c.t.Helper()
	list := make([]message.Commit, len(names))
	for i, name := range names {
		list[i] = someCommit(name)
		if i > 0 {
			list[i] = someCommit(name, names[i-1])
		}
	}
	c.apply(strconv.Itoa(len(names))+" commits", c.sign(p, message.CommitBundle(project, message.Content{}, list...)))
}

func commitHash(name string) message.Hash { return someHash("commit " + name) }
