package rpc

import (
	"math"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// account reads an account as it stands at the node's time: what has expired is left out, as the next sweep
// will leave it out (P8.5). An account that no message has named is all zeros (P1.1).
func (s *Service) account(snapshot Snapshot, owner ident.Address) (*pb.AccountRow, error) {
	row, err := load[pb.AccountRow](snapshot, schema.AccountKey(owner))
	if err != nil || row == nil {
		return &pb.AccountRow{}, err
	}
	now := uint64(s.Now().Unix())
	if row.GetNextExpiry() == 0 || uint64(row.GetNextExpiry()) > now {
		return row, nil
	}
	units := uint64(0)
	var failed error
	prefix := schema.StorageGrantPrefix(owner)
	err = snapshot.Scan(prefix, schema.After(prefix), func(key, value []byte) bool {
		parsed, err := schema.ParseKey(key)
		var grant pb.StorageGrantRow
		if err == nil {
			err = schema.Decode(value, &grant)
		}
		if failed = err; err == nil && uint64(parsed.ExpiresAt) > now {
			units += uint64(grant.GetUnits())
		}
		return err == nil
	})
	if failed != nil {
		err = failed
	}
	row.StorageUnits = uint32(min(units, math.MaxUint32))
	if units == 0 {
		row.Username = ""
	}
	return row, err
}

// limit is what an account's usable units allow of something, at most the largest uint32 (P8.6).
func limit(account *pb.AccountRow, perUnit uint64) uint32 {
	return uint32(min(uint64(ledger.UsableUnits(account))*perUnit, math.MaxUint32))
}
