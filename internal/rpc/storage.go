package rpc

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// account reads an account with its storage at the current time. An account without a row is all zeros (P1.1).
func (s *Service) account(snapshot Snapshot, owner ident.Address) (*pb.AccountRow, error) {
	row, err := load[pb.AccountRow](snapshot, schema.AccountKey(owner))
	if err != nil || row == nil {
		return &pb.AccountRow{}, err
	}
	return row, s.expire(snapshot, owner, row)
}

// expire removes storage that has expired at the current time from an account row, as the ledger does when it next writes
// the row (P8.5).
func (s *Service) expire(snapshot Snapshot, owner ident.Address, row *pb.AccountRow) error {
	now := uint64(s.Now().Unix())
	if row.GetNextExpiry() == 0 || uint64(row.GetNextExpiry()) > now {
		return nil
	}
	units := uint64(0)
	prefix := schema.StorageGrantPrefix(owner)
	err := scan(snapshot, prefix, schema.After(prefix), func(key *schema.Key, grant *pb.StorageGrantRow) (bool, error) {
		if uint64(key.ExpiresAt) > now {
			units += uint64(grant.GetUnits())
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	row.StorageUnits = saturated(units)
	if units == 0 {
		row.Username = ""
	}
	return nil
}

// allowed returns the quota that an account's usable units grant (P8.6).
func allowed(account *pb.AccountRow, perUnit uint64) uint32 {
	return saturated(uint64(ledger.UsableUnits(account)) * perUnit)
}
