package simtest

import (
	"strconv"
	"testing"

	pb "makechain/gen/makechain"
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
	t.Helper()
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
	t.Helper()
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
