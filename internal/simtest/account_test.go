package simtest

import (
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/message"
)

// name returns one of few usernames, so that users compete for them, preferably one that lapsed.
func (s *sim) name() string {
	var lapsed []string
	for _, p := range s.users {
		if name := s.account(p).GetUsername(); name != "" && s.units(p) == 0 {
			lapsed = append(lapsed, name)
		}
	}
	if len(lapsed) > 0 && s.chance(70) {
		return pick(s, lapsed)
	}
	return pick(s, []string{"ada", "bob", "cat", "dan", "person0", "person1", "person2"})
}

func (s *sim) usernameCreate(p *user) { s.sendSigned(p, message.UsernameCreate(s.name())) }

func (s *sim) usernameUpdate(p *user) { s.sendSigned(p, message.UsernameUpdate(s.name())) }

func (s *sim) accountData(p *user) {
	field, value := pb.AccountDataType(s.rng.IntN(5)), strings.Repeat("v", s.rng.IntN(40))
	if s.chance(20) {
		s.sendConflicting(p, message.AccountData(field, value), message.AccountData(field, "no"))
		return
	}
	s.sendSigned(p, message.AccountData(field, value))
}

func (s *sim) verificationAdd(p *user) {
	s.Helper()
	author := s.author(p, pb.KeyScope_KEY_SCOPE_SIGNING)
	switch s.rng.IntN(4) {
	case 0:
		s.send(author.EthVerification(s.timestamp(), pick(s, p.wallets)))
	case 1:
		s.send(author.EthVerification(s.timestamp(), wrongDigest{pick(s, p.wallets)}))
	default:
		s.send(author.SolVerification(s.timestamp(), message.Seed{byte(s.rng.IntN(30))}))
	}
}

// verificationBurst claims many addresses at once, so that the quota prunes.
func (s *sim) verificationBurst(*user) {
	s.Helper()
	author := s.author(s.users[0], pb.KeyScope_KEY_SCOPE_SIGNING)
	for range 12 {
		s.send(author.SolVerification(s.timestamp(), message.Seed{byte(s.rng.IntN(200)), 1}))
	}
}

func (s *sim) verificationRemove(p *user) {
	address := []byte("never claimed")
	if claimed := s.under(schema.VerificationKey(p.Address, nil)); len(claimed) > 0 && s.chance(80) {
		address = pick(s, claimed).Name
	} else if buried := s.under(schema.TombstoneKey(schema.VerificationKey(p.Address, nil))); len(buried) > 0 {
		address = pick(s, buried).Removed.Name
	}
	s.sendSigned(p, message.VerificationRemove(address))
}
