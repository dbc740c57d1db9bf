package fsck

import (
	"bytes"
	"math"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// Limits of an account (P4.8, P8.2, P8.6).
const (
	maxKeys                = 1_000 // of each family
	maxGrants              = 10_000
	projectsPerGrantedUnit = 1_000 // ever created
)

func (c *checker) account(r row, a *pb.AccountRow) {
	c.totals.AddAccount(uint64(a.GetUnitsGranted()), a.GetProjectsCreated())
	delegated, custody, operations := c.keys(r.Owner)
	c.compareCount(r.key, "key_count", a.GetKeyCount(), delegated)
	c.compareCount(r.key, "custody_key_count", a.GetCustodyKeyCount(), custody)
	if max(delegated, custody) > maxKeys {
		c.finding(OverLimit, r.key, "the account has %d delegated and %d custody keys, at most %d of each are allowed", delegated, custody, maxKeys)
	}
	if a.GetCustodyNonce() < operations {
		c.finding(BadCustody, r.key, "custody_nonce is %d, but the keys of the account required at least %d operations", a.GetCustodyNonce(), operations)
	}
	// Every project that is not removed has one name row, which is checked with the project.
	c.compareCount(r.key, "project_count", a.GetProjectCount(), c.count(schema.ProjectNameKey(r.Owner, "")))
	c.compareCount(r.key, "merge_request_count", a.GetMergeRequestCount(), c.count(ownerPrefix(schema.PrefixMergeRequestByRequester, r.Owner)))
	c.compareCount(r.key, "merge_request_tombstone_count", a.GetMergeRequestTombstoneCount(), c.count(schema.RequestAgePrefix(r.Owner)))
	if a.GetProjectsCreated() < uint64(a.GetProjectCount()) {
		c.finding(WrongCount, r.key, "projects_created is %d, but the account has %d projects", a.GetProjectsCreated(), a.GetProjectCount())
	}
	if limit := projectsPerGrantedUnit * uint64(a.GetUnitsGranted()); a.GetProjectsCreated() > limit {
		c.finding(OverLimit, r.key, "the account has created %d projects, at most %d are allowed", a.GetProjectsCreated(), limit)
	}
	c.grants(r, a)
	if a.GetUsername() == "" {
		return
	}
	holder := read[pb.UsernameRow](c, schema.UsernameKey(a.GetUsername()))
	if !bytes.Equal(holder.GetOwnerAddress(), r.Owner[:]) {
		c.finding(BadUsername, r.key, "the username row of %q does not name this account", a.GetUsername())
	}
	c.nonZeroTime(r, "username_last_set_at", a.GetUsernameLastSetAt())
}

// requireAccount checks that the account that counts a row exists.
func (c *checker) requireAccount(owner ident.Address) {
	if key := schema.AccountKey(owner); c.get(key) == nil {
		c.finding(WrongCount, key, "the account has counted rows but no account row")
	}
}

func (c *checker) accountMetadata(r row, m *pb.AccountMetadataRow) {
	c.nonZeroEnum(r, "field", int32(r.Tag), pb.AccountDataType_name)
	c.nonZeroTime(r, "timestamp", m.GetTimestamp())
}

func (c *checker) username(r row, u *pb.UsernameRow) {
	c.size(r, "owner_address", u.GetOwnerAddress(), ident.AddressSize)
	owner := address(u.GetOwnerAddress())
	if account := read[pb.AccountRow](c, schema.AccountKey(owner)); account.GetUsername() != string(r.Name) {
		c.finding(BadUsername, r.key, "%q belongs to account %s, which has the username %q", r.Name, owner, account.GetUsername())
	}
}

// ownerPrefix returns the prefix of the rows of a kind of an account.
func ownerPrefix(p schema.Prefix, owner ident.Address) []byte {
	return append([]byte{byte(p)}, owner[:]...)
}

// projectPrefix returns the prefix of the rows of a kind of a project.
func projectPrefix(p schema.Prefix, project ident.Hash) []byte {
	return append([]byte{byte(p)}, project[:]...)
}

// grants compares the storage fields of an account with its stored grants.
func (c *checker) grants(r row, a *pb.AccountRow) {
	units, next, count := uint64(0), uint32(0), uint32(0)
	c.scan(schema.StorageGrantPrefix(r.Owner), func(key, value []byte) {
		var grant pb.StorageGrantRow
		parsed, err := schema.ParseKey(key)
		if err != nil || schema.Decode(value, &grant) != nil {
			return
		}
		count++
		units += uint64(grant.GetUnits())
		if next == 0 {
			next = parsed.ExpiresAt
		}
	})
	c.compareCount(r.key, "grant_count", a.GetGrantCount(), count)
	if count > maxGrants {
		c.finding(OverLimit, r.key, "the account has %d grants, at most %d are allowed", count, maxGrants)
	}
	if want := uint32(min(units, math.MaxUint32)); a.GetStorageUnits() != want {
		c.finding(BadStorage, r.key, "storage_units is %d, the sum of the stored grants is %d", a.GetStorageUnits(), want)
	}
	if uint64(a.GetUnitsGranted()) < min(units, math.MaxUint32) {
		c.finding(BadStorage, r.key, "units_granted is %d, the sum of the stored grants is %d", a.GetUnitsGranted(), units)
	}
	if a.GetNextExpiry() != next {
		c.finding(BadStorage, r.key, "next_expiry is %d, the earliest stored grant expires at %d", a.GetNextExpiry(), next)
	}
	if a.GetUsername() != "" && units == 0 {
		c.finding(BadStorage, r.key, "the account has the username %q but no stored grant", a.GetUsername())
	}
}

func (c *checker) storageGrant(r row, g *pb.StorageGrantRow) {
	if g.GetUnits() == 0 {
		c.finding(BadValue, r.key, "units is 0")
	}
	c.size(r, "actor", g.GetActor(), ident.AddressSize)
	if account := schema.AccountKey(r.Owner); c.get(account) == nil {
		c.finding(BadStorage, account, "the account has grants but no account row")
	}
	claim := read[pb.ClaimRow](c, schema.ClaimKey(r.ID))
	if !bytes.Equal(claim.GetOwnerAddress(), r.Owner[:]) {
		c.finding(BadStorage, r.key, "claim %s is not recorded as used by account %s", r.ID, r.Owner)
	}
}

// claim checks a used claim. Its grant may have expired and been deleted.
func (c *checker) claim(r row, u *pb.ClaimRow) {
	c.size(r, "owner_address", u.GetOwnerAddress(), ident.AddressSize)
}
