package simtest

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/message"
)

// deedsPerBlock is how much people do between two blocks.
const deedsPerBlock = 35

// deed is something a person may do, and how often it comes into their mind.
type deed struct {
	weight int
	do     func(*sim, *person)
}

func deeds() []deed {
	return []deed{
		{4, (*sim).signerAdd},
		{2, (*sim).signerRemove},
		{3, (*sim).keychainAuthorize},
		{2, (*sim).keychainRevoke},
		{2, (*sim).storageClaim},
		{2, (*sim).usernameCreate},
		{4, (*sim).usernameUpdate},
		{3, (*sim).accountData},
		{3, (*sim).verificationAdd},
		{1, (*sim).verificationBurst},
		{2, (*sim).verificationRemove},
		{4, (*sim).linkAdd},
		{3, (*sim).linkRemove},
		{4, (*sim).reactionAdd},
		{3, (*sim).reactionRemove},
		{4, (*sim).projectCreate},
		{5, (*sim).fork},
		{1, (*sim).projectRemove},
		{1, (*sim).projectArchive},
		{4, (*sim).projectMetadata},
		{5, (*sim).commitBundle},
		{9, (*sim).push},
		{4, (*sim).sync},
		{5, (*sim).refUpdate},
		{4, (*sim).refDelete},
		{5, (*sim).collaboratorAdd},
		{1, (*sim).crowd},
		{3, (*sim).collaboratorRemove},
		{12, (*sim).mergeRequestAdd},
		{5, (*sim).mergeRequestRemove},
	}
}

// act lets people send what they think of.
func (s *sim) act() {
	s.Helper()
	if s.block.Height == 1 {
		// Two people stay away until they think of it themselves.
		for _, p := range s.people[:len(s.people)-2] {
			s.join(p)
		}
		return
	}
	all := deeds()
	total := 0
	for _, d := range all {
		total += d.weight
	}
	for range deedsPerBlock {
		p := pick(s, s.people)
		s.recover(p)
		n := s.rng.IntN(total)
		for _, d := range all {
			if n -= d.weight; n < 0 {
				d.do(s, p)
				break
			}
		}
		s.spoil()
	}
}

// join puts a person on the chain.
func (s *sim) join(p *person) {
	s.Helper()
	now := uint32(s.block.Time)
	permit := message.Permit{ValidAfter: s.block.Time, ValidBefore: s.block.Time}
	s.send(p.authors[0].SignerAdd(now, message.SignerGrant{Key: p.authors[0].Key()}, permit, p.Root, p.Root))
	s.pay(p, now, s.block.Time)
	s.send(p.authors[0].Sign(now, message.UsernameCreate(p.Name)))
}

// recover brings a person back who lost the first key, storage or username, before it comes to a standstill.
func (s *sim) recover(p *person) {
	s.Helper()
	if !s.chance(40) || s.block.Height < 5 {
		return
	}
	now, account := uint32(s.block.Time), s.account(p)
	if !s.has(schema.DelegatedKeyKey(p.Address, p.authors[0].Key())) {
		s.send(p.authors[0].SignerAdd(now, message.SignerGrant{Key: p.authors[0].Key()}, s.permit(p), p.Root, p.Root))
	}
	if s.units(p) == 0 && s.chance(20) {
		s.pay(p, now, s.block.Time-s.rng.Uint64N(395*24*60*60))
	}
	if account.GetUsername() == "" {
		s.send(p.authors[0].Sign(now, message.UsernameCreate(s.name())))
	}
}

// spoil now and then sends again what was sent before, or something damaged.
func (s *sim) spoil() {
	s.Helper()
	if len(s.offered) == 0 || !s.chance(12) {
		return
	}
	tx := bytes.Clone(pick(s, s.offered))
	switch s.rng.IntN(5) {
	case 0: // sent twice
	case 1:
		tx[s.rng.IntN(len(tx))] ^= 1 << s.rng.IntN(8)
	case 2:
		tx = tx[:1+s.rng.IntN(len(tx))]
	case 3:
		if len(s.history) == 0 {
			return
		}
		tx = pick(s, s.history).Transaction()
	case 4: // of another network
		m, err := message.NewAuthor(message.Seed{1}, pb.Network_NETWORK_TESTNET, pick(s, s.people).Address).
			Sign(s.stamp(), message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "from afar"))
		s.send(m, err)
		return
	}
	s.offered = append(s.offered, tx)
}
