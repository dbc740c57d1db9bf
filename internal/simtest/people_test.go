package simtest

import (
	"strconv"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// Custody key types, by which people and their keys differ.
const (
	secp256k1 = pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1
	p256      = pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256
	webauthn  = pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256
)

const (
	delegatedKeys = 6 // that a person may register
	custodyKeys   = 9 // that a person may authorize besides the root
)

// person is an actor with everything it may sign with. What is registered, the state knows.
type person struct {
	*ledgertest.Actor
	authors []*message.Author
	wallets []ledgertest.CustodyWallet // key ids differ; every third is of the same type
	twins   []ledgertest.CustodyWallet // the same keys, signing in another form where there is one
}

func newPeople(t *testing.T) []*person {
	var people []*person
	for i, kind := range []pb.CustodySignatureType{secp256k1, secp256k1, secp256k1, p256, webauthn, secp256k1, p256} {
		name := "person" + strconv.Itoa(i)
		actor, err := ledgertest.NewActor(kind, name)
		if err != nil {
			t.Fatal(err)
		}
		p := &person{Actor: actor}
		for k := range delegatedKeys {
			p.authors = append(p.authors, actor.With(strconv.Itoa(k)))
		}
		for k := range custodyKeys {
			kinds := []pb.CustodySignatureType{secp256k1, p256, webauthn}
			twins := []pb.CustodySignatureType{secp256k1, webauthn, p256}
			p.wallets = append(p.wallets, newWallet(t, kinds[k%3], name+strconv.Itoa(k)))
			p.twins = append(p.twins, newWallet(t, twins[k%3], name+strconv.Itoa(k)))
		}
		people = append(people, p)
	}
	return people
}

func newWallet(t *testing.T, kind pb.CustodySignatureType, name string) ledgertest.CustodyWallet {
	wallet, err := ledgertest.NewWallet(kind, name)
	if err != nil {
		t.Fatal(err)
	}
	return wallet
}

// byAddress finds a person, nil for an address that is nobody's.
func (s *sim) byAddress(a []byte) *person {
	for _, p := range s.people {
		if string(p.Address[:]) == string(a) {
			return p
		}
	}
	return nil
}

func (s *sim) account(p *person) *pb.AccountRow {
	return load[pb.AccountRow](s, schema.AccountKey(p.Address))
}

// author chooses a key for a message of a person: one that will do most of the time.
func (s *sim) author(p *person, need pb.KeyScope) *message.Author {
	if s.chance(4) {
		return pick(s, p.authors)
	}
	var fit []*message.Author
	for _, author := range p.authors {
		key := schema.DelegatedKeyKey(p.Address, author.Key())
		if s.has(key) && load[pb.DelegatedKeyRow](s, key).GetScope() <= need {
			fit = append(fit, author)
		}
	}
	if len(fit) == 0 {
		return p.authors[0]
	}
	return pick(s, fit)
}

// say sends a message of a person that needs a key of scope SIGNING.
func (s *sim) say(p *person, data *pb.MessageData) {
	s.Helper()
	s.send(s.author(p, pb.KeyScope_KEY_SCOPE_SIGNING).Sign(s.stamp(), data))
}

// contradict sends two messages of one time, which must not undo one another again and again.
func (s *sim) contradict(p *person, one, other *pb.MessageData) {
	s.Helper()
	author, at := s.author(p, pb.KeyScope_KEY_SCOPE_SIGNING), s.stamp()
	s.send(author.Sign(at, one))
	s.send(author.Sign(at, other))
}

// work sends a message that an agent can send. Such messages need not be fresh, and often are not.
func (s *sim) work(p *person, data *pb.MessageData) {
	s.Helper()
	at := s.stamp()
	if s.chance(15) {
		at = uint32(s.block.Time) - s.rng.Uint32N(2_000)
	}
	s.send(s.author(p, pb.KeyScope_KEY_SCOPE_AGENT).Sign(at, data))
}

// permit bounds a custody signature, by the right nonce and around now most of the time.
func (s *sim) permit(p *person) message.Permit {
	permit := message.Permit{
		Nonce:      s.account(p).GetCustodyNonce(),
		ValidAfter: s.block.Time - 60, ValidBefore: s.block.Time + 600,
	}
	switch s.rng.IntN(40) {
	case 0:
		permit.Nonce++
	case 1:
		permit.ValidBefore = s.block.Time - 1
	case 2:
		permit.ValidAfter = s.block.Time + 1
	case 3:
		permit.Witness = []byte("witness")
	}
	return permit
}

// custodian chooses who signs for a person's account: the root or an active admin key, rarely another.
func (s *sim) custodian(p *person) message.Wallet {
	switch n := s.rng.IntN(100); {
	case n < 3:
		return pick(s, s.people).Root
	case n < 6:
		return pick(s, p.wallets) // not wrapped
	case n < 10:
		return custody.WrappedWallet{Wallet: pick(s, p.wallets), Account: p.Address}
	case n < 12:
		return custody.WrappedWallet{Wallet: pick(s, p.twins), Account: p.Address}
	case n < 14:
		return custody.WrappedWallet{Wallet: pick(s, p.wallets), Account: pick(s, s.people).Address}
	case n < 18:
		return liar{p.Root}
	case n < 60:
		return p.Root
	}
	var admins []message.Wallet
	for _, wallet := range p.wallets {
		row := load[pb.CustodyKeyRow](s, schema.CustodyKeyKey(p.Address, wallet.KeyID()))
		if row.GetAdmin() && row.GetStatus() == pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE {
			admins = append(admins, custody.WrappedWallet{Wallet: wallet, Account: p.Address})
		}
	}
	if len(admins) == 0 {
		return p.Root
	}
	return pick(s, admins)
}

// liar signs something else than it is asked to.
type liar struct{ message.Wallet }

func (l liar) Sign(digest [32]byte) ([]byte, error) {
	digest[0] ^= 1
	return l.Wallet.Sign(digest)
}

func (s *sim) signerAdd(p *person) {
	s.Helper()
	i := s.rng.IntN(len(p.authors))
	grant := message.SignerGrant{Key: p.authors[i].Key(), Scope: pb.KeyScope(i % 3)}
	if grant.Scope == pb.KeyScope_KEY_SCOPE_AGENT && i > 2 && len(s.projects) > 0 {
		grant.AllowedProjects = []ident.Hash{pick(s, s.projects)}
	}
	if s.chance(5) {
		grant.Key = pick(s, pick(s, s.people).authors).Key()
	}
	requester := p
	if s.chance(20) {
		requester = pick(s, s.people)
		grant.Requester = requester.Address
	}
	s.send(pick(s, p.authors).SignerAdd(s.stamp(), grant, s.permit(p), s.custodian(p), s.custodian(requester)))
}

func (s *sim) signerRemove(p *person) {
	s.Helper()
	// The first key stays most of the time, so that a person can act.
	key := p.authors[1+s.rng.IntN(len(p.authors)-1)]
	if s.chance(10) {
		key = p.authors[0]
	}
	s.send(pick(s, p.authors).SignerRemove(s.stamp(), key.Key(), s.permit(p), s.custodian(p)))
}

func (s *sim) keychainAuthorize(p *person) {
	s.Helper()
	wallet := pick(s, p.wallets)
	key := message.CustodyKey{Type: wallet.Type(), PublicKey: wallet.PublicKey(), Admin: s.chance(75)}
	if !key.Admin && s.chance(50) {
		key.ExpiresAt = s.block.Time + 1_000
	}
	s.send(pick(s, p.authors).KeychainAuthorize(s.stamp(), key, s.permit(p), s.custodian(p)))
}

func (s *sim) keychainRevoke(p *person) {
	s.Helper()
	s.send(pick(s, p.authors).KeychainRevoke(s.stamp(), pick(s, p.wallets).KeyID(), s.permit(p), s.custodian(p)))
}
