package fsck

import (
	"bytes"
	"math"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// grants checks what an account says about its stored grants.
func (c *checker) grants(r row, a *pb.AccountRow) {
	units, next := uint64(0), uint32(0)
	c.scan(schema.StorageGrantPrefix(r.Owner), func(key, value []byte) {
		var grant pb.StorageGrantRow
		parsed, err := schema.ParseKey(key)
		if err != nil || schema.Decode(value, &grant) != nil {
			return
		}
		units += uint64(grant.GetUnits())
		if next == 0 {
			next = parsed.ExpiresAt
		}
	})
	if want := uint32(min(units, math.MaxUint32)); a.GetStorageUnits() != want {
		c.find(BadStorage, r.key, "storage_units is %d, the stored grants come to %d", a.GetStorageUnits(), want)
	}
	if a.GetNextExpiry() != next {
		c.find(BadStorage, r.key, "next_expiry is %d, the earliest stored grant ends at %d", a.GetNextExpiry(), next)
	}
	if a.GetUsername() != "" && units == 0 {
		c.find(BadStorage, r.key, "the account has the username %q and no stored grant", a.GetUsername())
	}
}

func (c *checker) storageGrant(r row, g *pb.StorageGrantRow) {
	if g.GetUnits() == 0 {
		c.find(BadValue, r.key, "units is 0")
	}
	c.size(r, "actor", g.GetActor(), ident.AddressSize)
	if account := schema.AccountKey(r.Owner); c.get(account) == nil {
		c.find(BadStorage, account, "the account has grants but no row")
	}
	claim := read[pb.ClaimRow](c, schema.ClaimKey(r.ID))
	if !bytes.Equal(claim.GetOwnerAddress(), r.Owner[:]) {
		c.find(BadStorage, r.key, "claim %s is not recorded as used by account %s", r.ID, r.Owner)
	}
}

// claim checks a used claim. Its grant may have ended and be gone.
func (c *checker) claim(r row, u *pb.ClaimRow) {
	c.size(r, "owner_address", u.GetOwnerAddress(), ident.AddressSize)
}
