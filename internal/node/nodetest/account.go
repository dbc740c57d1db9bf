package nodetest

import (
	"crypto/rand"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/message"
)

// network is that of a home which nobody prepared.
const network = pb.Network_NETWORK_DEVNET

// permitWindow is how long, in seconds, a custody signature is good before and after it is made.
const permitWindow = 600

// Person is an account with a fresh root key, and a delegated key that signs.
type Account struct {
	*message.Author

	Root *custody.Secp256k1Wallet

	tb     testing.TB
	nonce  uint64
	latest uint32
}

// NewPerson makes up a person. It is for one goroutine at a time.
func NewAccount(tb testing.TB) *Account {
	tb.Helper()
	root, err := custody.NewSecp256k1Wallet(Random(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return &Account{Author: message.NewAuthor(Random(tb), network, root.KeyID()), Root: root, tb: tb}
}

// Random makes a secret or a hash up.
func Random(tb testing.TB) (secret [32]byte) {
	tb.Helper()
	if _, err := rand.Read(secret[:]); err != nil {
		tb.Fatal(err)
	}
	return secret
}

// Address is the account.
func (p *Account) Address() ident.Address { return p.Owner() }

// Now is a timestamp. It never goes back, so that what a person does later is not older.
func (p *Account) Now() uint32 {
	p.latest = max(p.latest, uint32(time.Now().Unix()))
	return p.latest
}

// Later lets a second pass for the person, ahead of the clock if need be: some messages must be later than others.
func (p *Account) AdvanceClock() { p.latest = p.Now() + 1 }

// Permit bounds the next custody signature of the account.
func (p *Account) Permit() message.Permit {
	now := uint64(p.Now())
	permit := message.Permit{Nonce: p.nonce, ValidAfter: now - permitWindow, ValidBefore: now + permitWindow}
	p.nonce++
	return permit
}

// Sign makes a message of the person.
func (p *Account) Sign(data *pb.MessageData) *message.Envelope {
	p.tb.Helper()
	return p.Must(p.Author.Sign(p.Now(), data))
}

// Made is a message that there has to be.
func (p *Account) Must(m *message.Envelope, err error) *message.Envelope {
	p.tb.Helper()
	if err != nil {
		p.tb.Fatal(err)
	}
	return m
}

// AddKey registers the person's own delegated key, signed by the root.
func (p *Account) AddKey() *message.Envelope {
	p.tb.Helper()
	grant := message.SignerGrant{Key: p.Key(), Scope: pb.KeyScope_KEY_SCOPE_OWNER}
	return p.Must(p.SignerAdd(p.Now(), grant, p.Permit(), p.Root, p.Root))
}

// Join puts a person on the chain with a key, storage from the faucet and a username, and waits for nothing. It
// gives the hashes of the messages in order.
func (c *Client) Register(p *Account, units uint32, username string) []ident.Hash {
	p.tb.Helper()
	key := p.AddKey()
	c.Submit(p.tb, key)
	claim := c.Claim(p, units)
	name := p.Sign(message.UsernameCreate(username))
	c.Submit(p.tb, name)
	return []ident.Hash{key.Hash, claim, name.Hash}
}

// Claim asks the faucet for storage and gives the hash of the claim.
func (c *Client) Claim(p *Account, units uint32) ident.Hash {
	p.tb.Helper()
	owner := p.Address()
	return ident.Hash(Call(p.tb, c.Faucet.Claim, &devpb.ClaimRequest{OwnerAddress: owner[:], Units: units}).GetHash())
}
