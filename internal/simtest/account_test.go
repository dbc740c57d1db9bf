package simtest

import (
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// settle records a payment for storage.
func (s *sim) settle(p *person, at uint64) message.Settlement {
	settlement := message.Settlement{Units: 1, TxHash: s.hash(), LogIndex: s.rng.Uint32N(5), Actor: p.Address, Timestamp: at}
	if s.chance(10) {
		settlement.Units = 2
	}
	s.payments = append(s.payments, settlement)
	return settlement
}

// pay claims a payment made at a time, as it should be.
func (s *sim) pay(p *person, timestamp uint32, at uint64) {
	s.Helper()
	s.send(p.authors[0].StorageClaim(timestamp, s.settle(p, at), ledgertest.Attester(0), ledgertest.Attester(1)))
}

// storageClaim claims a payment of long ago, whose grant ends soon, or one that was claimed before. Nobody has
// much storage for long, so that quotas are small.
func (s *sim) storageClaim(p *person) {
	s.Helper()
	const day = 24 * 60 * 60
	settlement := s.settle(p, s.block.Time-(340+s.rng.Uint64N(60))*day)
	if s.chance(10) {
		settlement = pick(s, s.payments)
	}
	attesters := []message.Seed{ledgertest.Attester(2), ledgertest.Attester(s.rng.IntN(2))}
	switch s.rng.IntN(10) {
	case 0:
		attesters = attesters[:1]
	case 1:
		attesters[0] = message.Seed{0xBA, 0xD0}
	}
	s.send(pick(s, p.authors).StorageClaim(s.stamp(), settlement, attesters...))
}

// name is a username out of few, so that people want the same; of those that lapsed most of all.
func (s *sim) name() string {
	var lapsed []string
	for _, p := range s.people {
		if name := s.account(p).GetUsername(); name != "" && s.units(p) == 0 {
			lapsed = append(lapsed, name)
		}
	}
	if len(lapsed) > 0 && s.chance(70) {
		return pick(s, lapsed)
	}
	return pick(s, []string{"ada", "bob", "cat", "dan", "person0", "person1", "person2"})
}

// units is the storage a person has at the time of the block being made.
func (s *sim) units(p *person) uint32 {
	units := uint32(0)
	for _, grant := range s.under(schema.StorageGrantPrefix(p.Address)) {
		if uint64(grant.ExpiresAt) > s.block.Time {
			units += load[pb.StorageGrantRow](s, grant.Bytes()).GetUnits()
		}
	}
	return units
}

func (s *sim) usernameCreate(p *person) { s.say(p, message.UsernameCreate(s.name())) }

func (s *sim) usernameUpdate(p *person) { s.say(p, message.UsernameUpdate(s.name())) }

func (s *sim) accountData(p *person) {
	field, value := pb.AccountDataType(s.rng.IntN(5)), strings.Repeat("v", s.rng.IntN(40))
	if s.chance(20) {
		s.contradict(p, message.AccountData(field, value), message.AccountData(field, "no"))
		return
	}
	s.say(p, message.AccountData(field, value))
}

func (s *sim) verificationAdd(p *person) {
	s.Helper()
	author := s.author(p, pb.KeyScope_KEY_SCOPE_SIGNING)
	switch s.rng.IntN(4) {
	case 0:
		s.send(author.EthVerification(s.stamp(), pick(s, p.wallets)))
	case 1:
		s.send(author.EthVerification(s.stamp(), liar{pick(s, p.wallets)}))
	default:
		s.send(author.SolVerification(s.stamp(), message.Seed{byte(s.rng.IntN(30))}))
	}
}

// verificationBurst claims many addresses at once, so that the quota has to prune.
func (s *sim) verificationBurst(p *person) {
	s.Helper()
	author := s.author(s.people[0], pb.KeyScope_KEY_SCOPE_SIGNING)
	for range 12 {
		s.send(author.SolVerification(s.stamp(), message.Seed{byte(s.rng.IntN(200)), 1}))
	}
}

func (s *sim) verificationRemove(p *person) {
	address := []byte("never claimed")
	if claimed := s.under(schema.VerificationKey(p.Address, nil)); len(claimed) > 0 && s.chance(80) {
		address = pick(s, claimed).Name
	} else if buried := s.under(schema.TombstoneKey(schema.VerificationKey(p.Address, nil))); len(buried) > 0 {
		address = pick(s, buried).Buried.Name
	}
	s.say(p, message.VerificationRemove(address))
}

func (s *sim) linkAdd(p *person) {
	if len(s.projects) > 0 && s.chance(50) {
		project := pick(s, s.projects)
		if s.chance(20) {
			s.contradict(p, message.Star(project), message.Unstar(project))
			return
		}
		s.say(p, message.Star(project))
		return
	}
	s.say(p, message.Follow(pick(s, s.people).Address))
}

func (s *sim) linkRemove(p *person) {
	if len(s.projects) > 0 && s.chance(50) {
		s.say(p, message.Unstar(pick(s, s.projects)))
		return
	}
	s.say(p, message.Unfollow(pick(s, s.people).Address))
}

func (s *sim) reactionAdd(p *person) {
	if project, commit, ok := s.anyCommit(); ok {
		s.say(p, message.Like(project, commit))
	}
}

func (s *sim) reactionRemove(p *person) {
	prefix := append([]byte{byte(schema.PrefixReaction)}, p.Address[:]...)
	if liked := s.under(prefix); len(liked) > 0 {
		like := pick(s, liked)
		s.say(p, message.Unlike(like.Project, like.ID))
	}
}

// anyCommit chooses a commit of any project, rarely one that does not exist.
func (s *sim) anyCommit() (project, commit ident.Hash, ok bool) {
	if len(s.projects) == 0 {
		return project, commit, false
	}
	project = pick(s, s.projects)
	known := s.commits(project)
	if len(known) == 0 || s.chance(5) {
		return project, s.hash(), true
	}
	return project, pick(s, known), true
}
