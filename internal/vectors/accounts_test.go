package vectors

import (
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/message"
)

// permit bounds a custody signature to around the open block, with the account's next nonce.
func (c *chain) permit(owner ident.Address) message.Permit {
	nonce := c.nonces[owner]
	return message.Permit{Nonce: nonce, ValidAfter: c.block.Time - 60, ValidBefore: c.block.Time + 600}
}

// spend is permit for an operation that will apply.
func (c *chain) spend(owner ident.Address) message.Permit {
	p := c.permit(owner)
	c.nonces[owner]++
	return p
}

// addKey registers a delegated key by the root of the account.
func (c *chain) addKey(p *person, author *message.Author, scope pb.KeyScope, projects ...message.Hash) {
	c.t.Helper()
	grant := message.SignerGrant{Key: author.Key(), Scope: scope, AllowedProjects: projects}
	c.apply("a key of scope "+scope.String(), c.signerAdd(p, grant, c.spend(p.Owner()), p.wallet, p.wallet))
}

func (c *chain) signerAdd(p *person, grant message.SignerGrant, permit message.Permit, custodian, requester custody.Wallet) *message.Envelope {
	c.t.Helper()
	return must[*message.Envelope](c.t)(p.SignerAdd(c.now(), grant, permit, custodian, requester))
}

// otherKey is a further delegated key of a person, not yet registered.
func (p *person) otherKey(name string) *message.Author {
	return message.NewAuthor(secret(name), network, p.Owner())
}

// payment is a settlement of units at a time.
func payment(name string, units uint32, at uint64) message.Settlement {
	return message.Settlement{Units: units, TxHash: someHash("payment " + name), LogIndex: 1, Actor: someAddress("payer"), Timestamp: at}
}

func (c *chain) claim(p *person, s message.Settlement, attesters ...message.Seed) *message.Envelope {
	c.t.Helper()
	return must[*message.Envelope](c.t)(p.StorageClaim(c.now(), s, attesters...))
}

// join puts people on the chain, each with a key and, unless units is 0, storage and a username.
func (c *chain) join(units uint32, names ...string) []*person {
	c.t.Helper()
	people := make([]*person, len(names))
	for i, name := range names {
		p := newPerson(c.t, name)
		people[i] = p
		c.addKey(p, p.Author, pb.KeyScope_KEY_SCOPE_OWNER)
		if units > 0 {
			c.apply(name+" claims storage", c.claim(p, payment(name, units, c.block.Time), attester(0), attester(1)))
			c.apply(name+" takes a username", c.sign(p, message.UsernameCreate(name)))
		}
	}
	return people
}

// commits offers a bundle of commits to a project, each with the one before as its parent.
func (c *chain) commits(p *person, project message.Hash, names ...string) {
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
