package vectors

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/message"
)

const day = 24 * 60 * 60

// TestScenarioStorage generates a chain on which storage is claimed, used and expires, and usernames change their holder.
//
// Rules: P6.4, P8.1, P8.2, P8.3, P8.4, P8.5.
func TestScenarioStorage(t *testing.T) {
	t.Parallel()
	c := newChain(t, "storage and usernames over more than a year")
	actors := c.join(0, "alice", "bob", "carol")
	alice, bob, carol := actors[0], actors[1], actors[2]
	paid := payment("alice", 2, c.block.Time-100)
	c.apply("two units for alice", c.claim(alice, paid, attester(0), attester(2)))
	c.apply("more units than can be counted", c.claim(alice, payment("much", 1<<32-1, c.block.Time-200), attester(0), attester(1), attester(2)))
	refuseBadClaims(c, bob, paid)
	c.next(5)

	c.apply("alice takes a username", c.sign(alice, message.UsernameCreate("alice")))
	c.apply("a unit for bob, attested by strangers too", c.claim(bob, payment("bob", 1, c.block.Time), secret("a stranger"), attester(1), attester(0)))
	c.refuse("claimed twice", message.CodeClaimUsed, c.claim(alice, paid, attester(0), attester(2)))
	c.refuse("a second username", message.CodeUsernameHeld, c.sign(alice, message.UsernameCreate("alice-2")))
	c.refuse("changed too soon", message.CodeUsernameCooldown, c.sign(alice, message.UsernameUpdate("alice-2")))
	c.refuse("changed to the same", message.CodeNothingNew, c.sign(alice, message.UsernameUpdate("alice")))
	c.refuse("a username of another", message.CodeUsernameTaken, c.sign(bob, message.UsernameCreate("alice")))
	c.refuse("nothing to change", message.CodeNoUsername, c.sign(bob, message.UsernameUpdate("bob")))
	c.refuse("a username without storage", message.CodeNoUsableStorage, c.sign(carol, message.UsernameCreate("carol")))
	c.refuse("a project without a username", message.CodeNoUsableStorage, c.sign(bob, project("hello")))
	c.refuse("too late", message.CodeTooLate, must[*message.Envelope](t)(bob.Sign(c.now()-301, message.UsernameCreate("bob"))))
	c.refuse("too early", message.CodeTooEarly, must[*message.Envelope](t)(bob.Sign(c.now()+301, message.UsernameCreate("bob"))))
	c.next(7 * day)

	c.apply("alice changes her username", c.sign(alice, message.UsernameUpdate("alice-2")))
	c.apply("bob takes what alice gave up", must[*message.Envelope](t)(bob.Sign(c.now()-300, message.UsernameCreate("alice"))))
	c.apply("an old profile is no matter", must[*message.Envelope](t)(carol.Sign(c.now()-300_000, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "old"))))
	c.apply("alice's project", must[*message.Envelope](t)(alice.Sign(c.now()+300, project("hello"))))
	c.next(388*day - 106)

	// One second before the expiry the later of alice's grants still counts.
	c.refuse("alice's username is still hers", message.CodeUsernameTaken, c.sign(bob, message.UsernameUpdate("alice-2")))
	c.apply("a unit for carol", c.claim(carol, payment("carol", 1, c.block.Time), attester(0), attester(1)))
	c.next(1 * day)

	c.apply("carol takes the username of an account whose storage ended", c.sign(carol, message.UsernameCreate("alice-2")))
	c.refuse("no project without storage", message.CodeNoUsableStorage, c.sign(alice, project("again")))
	c.refuse("no username without storage", message.CodeNoUsableStorage, c.sign(alice, message.UsernameCreate("alice-3")))
	c.next(10)

	c.apply("bob renews late and keeps his username", c.claim(bob, payment("bob again", 3, c.block.Time), attester(0), attester(1)))
	c.apply("alice renews", c.claim(alice, payment("alice again", 1, c.block.Time), attester(0), attester(1)))
	c.apply("and takes another username", c.sign(alice, message.UsernameCreate("alice-3")))
	c.finish("storage.json")
}

func project(name string) *pb.MessageData {
	return message.ProjectCreate(name, pb.Visibility_VISIBILITY_PUBLIC, "", "")
}

func refuseBadClaims(c *chain, bob *actor, paid message.Settlement) {
	const code = message.CodeInsufficientAttestations
	other := payment("other", 1, c.block.Time)
	c.refuse("one attester", code, c.claim(bob, other, attester(0)))
	c.refuse("one attester and a stranger", code, c.claim(bob, other, attester(0), secret("a stranger")))
	domain := settlementDomain(network)
	body := other.Claim(domain)
	body.Attestations = []*pb.SettlementAttestation{
		other.Attest(attester(0), domain, bob.Owner()), other.Attest(attester(1), domain, someAddress("somebody else")),
	}
	c.refuse("one attested it to somebody else", code, c.sign(bob, message.StorageClaim(body)))
	for _, replay := range []struct {
		name   string
		change func(*message.SettlementDomain)
	}{
		{"a network", func(d *message.SettlementDomain) { d.Network = pb.Network_NETWORK_MAINNET }},
		{"a chain id", func(d *message.SettlementDomain) { d.ChainID = "vectors-2" }},
		{"a contract", func(d *message.SettlementDomain) { d.Contract = someAddress("another contract") }},
	} {
		elsewhere := domain
		replay.change(&elsewhere)
		c.refuse("attested for "+replay.name+" that is not this one", code,
			must[*message.Envelope](c.t)(bob.StorageClaim(c.now(), elsewhere, other, attester(0), attester(1))))
	}
	elsewhere := domain
	elsewhere.SettlementChainID = 1
	c.refuse("paid on another chain", message.CodeWrongSettlementChain,
		must[*message.Envelope](c.t)(bob.StorageClaim(c.now(), elsewhere, other, attester(0), attester(1))))
	c.refuse("used by alice", message.CodeClaimUsed, c.claim(bob, paid, attester(0), attester(1)))
	c.refuse("over already", message.CodeClaimExpired, c.claim(bob, payment("long ago", 1, c.block.Time-395*day), attester(0), attester(1)))
}
