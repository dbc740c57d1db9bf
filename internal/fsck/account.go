package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// maxDelegatedKeys is how many Ed25519 keys an account may have (P4.8).
const maxDelegatedKeys = 1_000

func (c *checker) account(r row, a *pb.AccountRow) {
	keys, operations := c.keys(r.Owner)
	c.equal(r.key, "key_count", a.GetKeyCount(), keys)
	if keys > maxDelegatedKeys {
		c.find(OverLimit, r.key, "the account has %d delegated keys, at most %d are allowed", keys, maxDelegatedKeys)
	}
	if a.GetCustodyNonce() < operations {
		c.find(BadCustody, r.key, "custody_nonce is %d, the account's keys took at least %d operations", a.GetCustodyNonce(), operations)
	}
	// Name rows are as many as projects that are not removed; each project checks its own.
	c.equal(r.key, "project_count", a.GetProjectCount(), c.count(schema.ProjectNameKey(r.Owner, "")))
	c.equal(r.key, "merge_request_count", a.GetMergeRequestCount(), c.count(ownerPrefix(schema.PrefixMergeRequestByRequester, r.Owner)))
	c.grants(r, a)
	if a.GetUsername() == "" {
		return
	}
	holder := read[pb.UsernameRow](c, schema.UsernameKey(a.GetUsername()))
	if !bytes.Equal(holder.GetOwnerAddress(), r.Owner[:]) {
		c.find(BadUsername, r.key, "the username row of %q does not name this account", a.GetUsername())
	}
	c.since(r, "username_last_set_at", a.GetUsernameLastSetAt())
}

// needAccount is for rows that an account counts: one without a row counts none.
func (c *checker) needAccount(owner ident.Address) {
	if key := schema.AccountKey(owner); c.get(key) == nil {
		c.find(WrongCount, key, "the account has rows to count but no row of its own")
	}
}

func (c *checker) accountMetadata(r row, m *pb.AccountMetadataRow) {
	c.set(r, "field", int32(r.Tag), pb.AccountDataType_name)
	c.since(r, "timestamp", m.GetTimestamp())
}

func (c *checker) username(r row, u *pb.UsernameRow) {
	c.size(r, "owner_address", u.GetOwnerAddress(), ident.AddressSize)
	owner := address(u.GetOwnerAddress())
	if account := read[pb.AccountRow](c, schema.AccountKey(owner)); account.GetUsername() != string(r.Name) {
		c.find(BadUsername, r.key, "%q belongs to account %s, which has the username %q", r.Name, owner, account.GetUsername())
	}
}

// ownerPrefix begins the rows of a kind that lie under an account.
func ownerPrefix(p schema.Prefix, owner ident.Address) []byte {
	return append([]byte{byte(p)}, owner[:]...)
}

// projectPrefix begins the rows of a kind that lie under a project.
func projectPrefix(p schema.Prefix, project ident.Hash) []byte {
	return append([]byte{byte(p)}, project[:]...)
}
