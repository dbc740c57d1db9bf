package vectors

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/message"
)

// TestScenarioCustody generates a chain with accounts managed by wallets of every kind.
//
// Rules: P1.3, P1.4, P1.5, P4.4, P4.5, P4.6, P4.7, P4.8.
func TestScenarioCustody(t *testing.T) {
	t.Parallel()
	c := newChain(t, "accounts managed by wallets of every kind")
	actors := c.join(0, "alice", "bob")
	alice, bob := actors[0], actors[1]
	refuseBadCustody(c, alice, bob)
	c.next(10)

	passkey, platform, ledgerKey := webAuthnWallet(t, "alice's passkey"), p256Wallet(t, "alice's phone"), secp256k1Wallet(t, "alice's second wallet")
	authorize := func(wallet typedKey, admin bool, permit message.Permit, by custody.Wallet) *message.Envelope {
		key := message.CustodyKey{Type: wallet.Type(), PublicKey: wallet.PublicKey(), Admin: admin}
		return must[*message.Envelope](t)(alice.KeychainAuthorize(c.now(), key, permit, by))
	}
	c.apply("a passkey", authorize(passkey, true, c.spend(alice.Owner()), alice.wallet))
	c.apply("a phone that is no admin", authorize(platform, false, c.spend(alice.Owner()), alice.wallet))
	c.refuse("the passkey again", message.CodeDuplicate, authorize(passkey, true, c.permit(alice.Owner()), alice.wallet))
	c.next(10)

	wrapped := func(w custody.Wallet) custody.Wallet { return custody.WrappedWallet{Wallet: w, Account: alice.Owner()} }
	c.apply("a second wallet, by passkey", authorize(ledgerKey, true, c.spend(alice.Owner()), wrapped(passkey)))
	c.refuse("by passkey without a wrapper", message.CodeCustodyNotAuthorized, authorize(p256Wallet(t, "x"), true, c.permit(alice.Owner()), passkey))
	c.refuse("by the phone", message.CodeCustodyNotAuthorized, authorize(p256Wallet(t, "x"), true, c.permit(alice.Owner()), wrapped(platform)))
	c.refuse("by the passkey's key in another form", message.CodeCustodyNotAuthorized,
		authorize(p256Wallet(t, "x"), true, c.permit(alice.Owner()), wrapped(p256Wallet(t, "alice's passkey"))))
	c.refuse("in a wrapper of another account", message.CodeCustodyNotAuthorized,
		authorize(p256Wallet(t, "x"), true, c.permit(alice.Owner()), custody.WrappedWallet{Wallet: alice.wallet, Account: bob.Owner()}))
	c.next(10)

	revoke := func(wallet custody.Wallet, permit message.Permit, by custody.Wallet) *message.Envelope {
		return must[*message.Envelope](t)(alice.KeychainRevoke(c.now(), wallet.KeyID(), permit, by))
	}
	c.apply("the passkey revoked, by the second wallet", revoke(passkey, c.spend(alice.Owner()), wrapped(ledgerKey)))
	c.refuse("revoked twice", message.CodeKeyRevoked, revoke(passkey, c.permit(alice.Owner()), alice.wallet))
	c.refuse("authorized again", message.CodeKeyRevoked, authorize(passkey, true, c.permit(alice.Owner()), alice.wallet))
	c.refuse("signed by the revoked key", message.CodeCustodyNotAuthorized, authorize(p256Wallet(t, "x"), true, c.permit(alice.Owner()), wrapped(passkey)))
	c.refuse("an unknown key revoked", message.CodeNotFound, revoke(p256Wallet(t, "x"), c.permit(alice.Owner()), alice.wallet))
	c.next(10)
	delegate(c, alice, bob, wrapped(ledgerKey))
	c.finish("custody.json")
}

// typedKey is a wallet whose key can be authorized.
type typedKey interface {
	typedWallet
	PublicKey() []byte
}

func refuseBadCustody(c *chain, alice, bob *actor) {
	key := message.SignerGrant{Key: alice.otherKey("another key").Key()}
	next := c.permit(alice.Owner())
	again, early, late := next, next, next
	again.Nonce--
	early.ValidAfter = c.block.Time + 1
	late.ValidAfter, late.ValidBefore = c.block.Time-100, c.block.Time-1
	c.refuse("a nonce used before", message.CodeCustodyNonceMismatch, c.signerAdd(alice, key, again, alice.wallet, alice.wallet))
	c.refuse("before its window", message.CodeTooEarly, c.signerAdd(alice, key, early, alice.wallet, alice.wallet))
	c.refuse("after its window", message.CodeCustodyWindowClosed, c.signerAdd(alice, key, late, alice.wallet, alice.wallet))
	c.refuse("signed by another wallet", message.CodeCustodyNotAuthorized, c.signerAdd(alice, key, next, bob.wallet, alice.wallet))
	c.refuse("asked for by another wallet", message.CodeCustodyNotAuthorized, c.signerAdd(alice, key, next, alice.wallet, bob.wallet))
	c.refuse("over another digest", message.CodeBadCustodySignature, c.signerAdd(alice, key, next, otherDigest{p256Wallet(c.t, "x")}, alice.wallet))
	c.refuse("a key of one's own again", message.CodeKeyTaken, c.signerAdd(alice, message.SignerGrant{Key: alice.Key()}, next, alice.wallet, alice.wallet))
	c.refuse("a key of another account", message.CodeKeyTaken, c.signerAdd(alice, message.SignerGrant{Key: bob.Key()}, next, alice.wallet, alice.wallet))
}

// otherDigest signs another digest than the given one.
type otherDigest struct{ custody.Wallet }

// Sign signs a fixed digest.
func (w otherDigest) Sign([32]byte) ([]byte, error) { return w.Wallet.Sign(secret("another digest")) }

// delegate adds and removes keys of every scope.
func delegate(c *chain, alice, bob *actor, admin custody.Wallet) {
	signing, agent := alice.otherKey("alice's signing key"), alice.otherKey("alice's agent")
	asked := message.SignerGrant{Key: agent.Key(), Scope: pb.KeyScope_KEY_SCOPE_AGENT, AllowedProjects: []message.Hash{someHash("p")}, Requester: bob.Owner()}
	c.addKey(alice, signing, pb.KeyScope_KEY_SCOPE_SIGNING)
	c.apply("an agent's key that bob asked for", c.signerAdd(alice, asked, c.spend(alice.Owner()), admin, bob.wallet))
	c.apply("a name", c.sign(signing, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, "Alice")))
	c.refuse("the same name at the same time", message.CodeStaleWrite, c.sign(alice, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, "Alice")))
	c.refuse("a bio by the agent", message.CodeInsufficientScope, c.sign(agent, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "agent")))
	c.refuse("a bio by a key of bob", message.CodeUnknownSigner,
		c.sign(message.NewAuthor(bob.seed, network, alice.Owner()), message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "bob")))
	c.next(10)

	remove := func(key message.PublicKey, permit message.Permit) *message.Envelope {
		return must[*message.Envelope](c.t)(alice.SignerRemove(c.now(), key, permit, admin))
	}
	c.apply("the signing key removed", remove(signing.Key(), c.spend(alice.Owner())))
	c.apply("a bio by the owner's key", c.sign(alice, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "here I am")))
	c.refuse("a website by the removed key", message.CodeUnknownSigner, c.sign(signing, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_WEBSITE, "x")))
	c.refuse("removed twice", message.CodeNotFound, remove(signing.Key(), c.permit(alice.Owner())))
	c.refuse("a key of bob removed", message.CodeNotFound, remove(bob.Key(), c.permit(alice.Owner())))
	c.next(10)
	c.addKey(bob, message.NewAuthor(secret("alice's signing key"), network, bob.Owner()), pb.KeyScope_KEY_SCOPE_SIGNING)
}
