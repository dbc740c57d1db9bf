package simtest

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// settle records a payment for storage.
func (s *sim) settle(p *user, at uint64) message.Settlement {
	settlement := message.Settlement{Units: 1, TxHash: s.hash(), LogIndex: s.rng.Uint32N(5), Actor: p.Address, Timestamp: at}
	if s.chance(10) {
		settlement.Units = 2
	}
	s.payments = append(s.payments, settlement)
	return settlement
}

// pay sends a valid claim of a payment made at a time.
func (s *sim) pay(p *user, timestamp uint32, at uint64) {
	s.Helper()
	s.send(p.authors[0].StorageClaim(timestamp, ledgertest.Domain(), s.settle(p, at), ledgertest.Attester(0), ledgertest.Attester(1)))
}

// storageClaim claims an old payment, whose grant expires soon, or one that was claimed before. Users have little storage
// for a short time, so that quotas are small.
func (s *sim) storageClaim(p *user) {
	s.Helper()
	const day = 24 * 60 * 60
	settlement := s.settle(p, s.block.Time-(340+s.rng.Uint64N(60))*day)
	if s.chance(10) {
		settlement = pick(s, s.payments)
	}
	attesters, domain := []message.Seed{ledgertest.Attester(2), ledgertest.Attester(s.rng.IntN(2))}, ledgertest.Domain()
	switch s.rng.IntN(10) {
	case 0:
		attesters = attesters[:1]
	case 1:
		attesters[0] = message.Seed{0xBA, 0xD0}
	case 2:
		domain.SettlementChainID++
	}
	s.send(pick(s, p.authors).StorageClaim(s.timestamp(), domain, settlement, attesters...))
}

// units returns the storage of a user at the time of the block being assembled.
func (s *sim) units(p *user) uint32 {
	units := uint32(0)
	for _, grant := range s.under(schema.StorageGrantPrefix(p.Address)) {
		if uint64(grant.ExpiresAt) > s.block.Time {
			units += load[pb.StorageGrantRow](s, grant.Bytes()).GetUnits()
		}
	}
	return units
}

// checkSweeps checks that the account whose quota an applied message used was swept and has a username and storage (I7).
// Withdrawing a merge request uses no quota, and a claim needs no username.
func (s *sim) checkSweeps(result *ledger.Result) {
	s.Helper()
	for _, applied := range result.Applied {
		m := applied.Message
		if !m.TimeSensitive() || m.Type() == pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_REMOVE || m.Type() == pb.MessageType_MESSAGE_TYPE_REF_UPDATE {
			continue // uses no quota
		}
		owner := m.Owner
		if project, ok := m.Project(); ok {
			owner = ident.Address(s.project(project).GetOwnerAddress())
		}
		account := load[pb.AccountRow](s, schema.AccountKey(owner))
		if uint64(account.GetNextExpiry()) <= s.block.Time {
			s.Fatalf("I7: %s applied in block %d; account %s has the grants of %v, and the time is %d",
				m.Type(), s.block.Height, owner, account, s.block.Time)
		}
		if ledger.UsableUnits(account) == 0 && m.Type() != pb.MessageType_MESSAGE_TYPE_STORAGE_CLAIM {
			s.Fatalf("I7: %s applied in block %d; account %s has no usable storage: %v", m.Type(), s.block.Height, owner, account)
		}
	}
}
