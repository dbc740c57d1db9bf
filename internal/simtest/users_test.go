package simtest

import (
	"strconv"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// Custody signature types.
const (
	secp256k1 = pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1
	p256      = pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256
	webauthn  = pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256
)

const (
	delegatedKeys = 6 // keys that a user may register
	custodyKeys   = 9 // keys that a user may authorize besides the root
)

// user is an account with all its keys. The state determines which of them are registered.
type user struct {
	*ledgertest.Actor
	authors []*message.Author
	wallets []ledgertest.CustodyWallet // with different key ids; every third has the same type
	twins   []ledgertest.CustodyWallet // the same keys with another signature type if there is one
}

func newUsers(t *testing.T) []*user {
	t.Helper()
	var users []*user
	for i, kind := range []pb.CustodySignatureType{secp256k1, secp256k1, secp256k1, p256, webauthn, secp256k1, p256} {
		name := "person" + strconv.Itoa(i)
		actor, err := ledgertest.NewActor(kind, name)
		if err != nil {
			t.Fatal(err)
		}
		p := &user{Actor: actor}
		for k := range delegatedKeys {
			p.authors = append(p.authors, actor.With(strconv.Itoa(k)))
		}
		for k := range custodyKeys {
			kinds := []pb.CustodySignatureType{secp256k1, p256, webauthn}
			twins := []pb.CustodySignatureType{secp256k1, webauthn, p256}
			p.wallets = append(p.wallets, newWallet(t, kinds[k%3], name+strconv.Itoa(k)))
			p.twins = append(p.twins, newWallet(t, twins[k%3], name+strconv.Itoa(k)))
		}
		users = append(users, p)
	}
	return users
}

func newWallet(t *testing.T, kind pb.CustodySignatureType, name string) ledgertest.CustodyWallet {
	t.Helper()
	wallet, err := ledgertest.NewWallet(kind, name)
	if err != nil {
		t.Fatal(err)
	}
	return wallet
}

// byAddress returns the user with an address, nil if there is none.
func (s *sim) byAddress(a []byte) *user {
	for _, p := range s.users {
		if string(p.Address[:]) == string(a) {
			return p
		}
	}
	return nil
}

func (s *sim) account(p *user) *pb.AccountRow {
	return load[pb.AccountRow](s, schema.AccountKey(p.Address))
}

// author returns a key for a message of a user, mostly one with the required scope.
func (s *sim) author(p *user, required pb.KeyScope) *message.Author {
	if s.chance(4) {
		return pick(s, p.authors)
	}
	var fit []*message.Author
	for _, author := range p.authors {
		key := schema.DelegatedKeyKey(p.Address, author.Key())
		if s.has(key) && load[pb.DelegatedKeyRow](s, key).GetScope() <= required {
			fit = append(fit, author)
		}
	}
	if len(fit) == 0 {
		return p.authors[0]
	}
	return pick(s, fit)
}

// sendSigned sends a message that requires a key of scope SIGNING.
func (s *sim) sendSigned(p *user, data *pb.MessageData) {
	s.Helper()
	s.send(s.author(p, pb.KeyScope_KEY_SCOPE_SIGNING).Sign(s.timestamp(), data))
}

// sendConflicting sends two messages with the same timestamp that undo each other.
func (s *sim) sendConflicting(p *user, one, other *pb.MessageData) {
	s.Helper()
	author, at := s.author(p, pb.KeyScope_KEY_SCOPE_SIGNING), s.timestamp()
	s.send(author.Sign(at, one))
	s.send(author.Sign(at, other))
}

// sendAsAgent sends a message that requires only scope AGENT. Such messages may be old, and some are.
func (s *sim) sendAsAgent(p *user, data *pb.MessageData) {
	s.Helper()
	at := s.timestamp()
	if s.chance(15) {
		at = uint32(s.block.Time) - s.rng.Uint32N(2_000)
	}
	s.send(s.author(p, pb.KeyScope_KEY_SCOPE_AGENT).Sign(at, data))
}
