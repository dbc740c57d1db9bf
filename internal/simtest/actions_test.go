package simtest

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/message"
)

// actionsPerBlock is the number of actions between two blocks.
const actionsPerBlock = 35

// action is an action of a user with its relative frequency.
type action struct {
	weight int
	do     func(*sim, *user)
}

func actions() []action {
	return []action{
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
		{1, (*sim).inviteMany},
		{3, (*sim).collaboratorRemove},
		{12, (*sim).mergeRequestAdd},
		{5, (*sim).mergeRequestRemove},
	}
}

// act sends the messages of random actions.
func (s *sim) act() {
	s.Helper()
	if s.block.Height == 1 {
		// Two users do not join at first.
		for _, p := range s.users[:len(s.users)-2] {
			s.join(p)
		}
		return
	}
	all := actions()
	total := 0
	for _, d := range all {
		total += d.weight
	}
	for range actionsPerBlock {
		p := pick(s, s.users)
		s.restore(p)
		n := s.rng.IntN(total)
		for _, d := range all {
			if n -= d.weight; n < 0 {
				d.do(s, p)
				break
			}
		}
		s.sendInvalid()
	}
}

// join registers a key, storage and a username for a user.
func (s *sim) join(p *user) {
	s.Helper()
	now := uint32(s.block.Time)
	permit := message.Permit{ValidAfter: s.block.Time, ValidBefore: s.block.Time}
	s.send(p.authors[0].SignerAdd(now, message.SignerGrant{Key: p.authors[0].Key()}, permit, p.Root, p.Root))
	s.pay(p, now, s.block.Time)
	s.send(p.authors[0].Sign(now, message.UsernameCreate(p.Name)))
}

// restore registers the first key, storage or username of a user again if it lost one of them.
func (s *sim) restore(p *user) {
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

// sendInvalid sometimes sends a message again, or a damaged one.
func (s *sim) sendInvalid() {
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
		m, err := message.NewAuthor(message.Seed{1}, pb.Network_NETWORK_TESTNET, pick(s, s.users).Address).
			Sign(s.timestamp(), message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "another network"))
		s.send(m, err)
		return
	}
	s.offered = append(s.offered, tx)
}
