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

// network is the network of a chain that a node starts in an empty home.
const network = pb.Network_NETWORK_DEVNET

// permitWindow is how long, in seconds, a custody signature is valid before and after it is made.
const permitWindow = 600

// Account is an account with a new root key and a new delegated key. It is for one goroutine at a time.
type Account struct {
	*message.Author

	Root *custody.Secp256k1Wallet

	tb     testing.TB
	nonce  uint64
	latest uint32
}

// NewAccount returns an account with new keys, which is not registered on a chain yet.
func NewAccount(tb testing.TB) *Account {
	tb.Helper()
	root, err := custody.NewSecp256k1Wallet(Random(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return &Account{Author: message.NewAuthor(Random(tb), network, root.KeyID()), Root: root, tb: tb}
}

// Random returns a random secret or hash.
func Random(tb testing.TB) (secret [32]byte) {
	tb.Helper()
	if _, err := rand.Read(secret[:]); err != nil {
		tb.Fatal(err)
	}
	return secret
}

// Address returns the owner address.
func (a *Account) Address() ident.Address { return a.Owner() }

// Now returns the timestamp for the next message. It never decreases.
func (a *Account) Now() uint32 {
	a.latest = max(a.latest, uint32(time.Now().Unix()))
	return a.latest
}

// AdvanceClock advances Now by a second, even ahead of the clock: some messages must be later than others.
func (a *Account) AdvanceClock() { a.latest = a.Now() + 1 }

// Permit returns the permit for the next custody signature of the account.
func (a *Account) Permit() message.Permit {
	now := uint64(a.Now())
	permit := message.Permit{Nonce: a.nonce, ValidAfter: now - permitWindow, ValidBefore: now + permitWindow}
	a.nonce++
	return permit
}

// Sign returns a signed message of the account.
func (a *Account) Sign(data *pb.MessageData) *message.Envelope {
	a.tb.Helper()
	return a.Must(a.Author.Sign(a.Now(), data))
}

// Must returns a message whose construction must not fail.
func (a *Account) Must(m *message.Envelope, err error) *message.Envelope {
	a.tb.Helper()
	if err != nil {
		a.tb.Fatal(err)
	}
	return m
}

// AddKey returns the message that registers the delegated key, signed by the root key.
func (a *Account) AddKey() *message.Envelope {
	a.tb.Helper()
	grant := message.SignerGrant{Key: a.Key(), Scope: pb.KeyScope_KEY_SCOPE_OWNER}
	return a.Must(a.SignerAdd(a.Now(), grant, a.Permit(), a.Root, a.Root))
}

// Register submits the messages that register an account with a key, storage from the faucet and a username. It does not wait
// for their commit, and returns their hashes in order.
func (c *Client) Register(a *Account, units uint32, username string) []ident.Hash {
	a.tb.Helper()
	key := a.AddKey()
	c.Submit(a.tb, key)
	claim := c.Claim(a, units)
	name := a.Sign(message.UsernameCreate(username))
	c.Submit(a.tb, name)
	return []ident.Hash{key.Hash, claim, name.Hash}
}

// Claim claims storage from the faucet and returns the hash of the message.
func (c *Client) Claim(a *Account, units uint32) ident.Hash {
	a.tb.Helper()
	owner := a.Address()
	return ident.Hash(Call(a.tb, c.Faucet.Claim, &devpb.ClaimRequest{OwnerAddress: owner[:], Units: units}).GetHash())
}
