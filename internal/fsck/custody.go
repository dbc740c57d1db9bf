package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// keys returns the numbers of delegated and custody keys of an account, and the minimum number of custody operations that led to its
// keys: one for each key, and one more for each revoked key.
func (c *checker) keys(owner ident.Address) (delegated, custody uint32, operations uint64) {
	c.scan(ownerPrefix(schema.PrefixKey, owner), func(key, value []byte) {
		operations++
		parsed, err := schema.ParseKey(key)
		switch {
		case err != nil:
		case parsed.Tag == schema.FamilyDelegated:
			delegated++
		default:
			custody++
			var k pb.CustodyKeyRow
			if schema.Decode(value, &k) == nil && k.GetStatus() == pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED {
				operations++
			}
		}
	})
	return delegated, custody, operations
}

func (c *checker) delegatedKey(r row, k *pb.DelegatedKeyRow) {
	c.enum(r, "scope", int32(k.GetScope()), pb.KeyScope_name)
	c.nonZeroTime(r, "added_at", k.GetAddedAt())
	c.size(r, "request_owner_address", k.GetRequestOwnerAddress(), ident.AddressSize)
	for _, project := range k.GetAllowedProjects() {
		c.size(r, "allowed_projects", project, ident.HashSize)
	}
	if k.GetScope() != pb.KeyScope_KEY_SCOPE_AGENT && len(k.GetAllowedProjects()) > 0 {
		c.finding(BadValue, r.key, "a key of scope %s has allowed_projects", k.GetScope())
	}
	c.requireAccount(r.Owner)
	owner := read[pb.KeyOwnerRow](c, schema.KeyOwnerKey(r.PublicKey))
	if !bytes.Equal(owner.GetOwnerAddress(), r.Owner[:]) {
		c.finding(BadReverseRow, r.key, "the owner row of key %s does not name account %s", r.PublicKey, r.Owner)
	}
}

func (c *checker) keyOwner(r row, o *pb.KeyOwnerRow) {
	c.size(r, "owner_address", o.GetOwnerAddress(), ident.AddressSize)
	if owner := address(o.GetOwnerAddress()); c.get(schema.DelegatedKeyKey(owner, r.PublicKey)) == nil {
		c.finding(BadReverseRow, r.key, "the owner row of key %s names account %s, which does not have the key", r.PublicKey, owner)
	}
}

func (c *checker) custodyKey(r row, k *pb.CustodyKeyRow) {
	c.nonZeroEnum(r, "signature_type", int32(k.GetSignatureType()), pb.CustodySignatureType_name)
	c.nonZeroEnum(r, "status", int32(k.GetStatus()), pb.CustodyKeyStatus_name)
	c.nonZeroTime(r, "added_at", k.GetAddedAt())
	c.requireAccount(r.Owner)
	revoked := k.GetStatus() == pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED
	if revoked != (k.GetRevokedAt() != 0) {
		c.finding(BadCustody, r.key, "the status is %s, but revoked_at is %d", k.GetStatus(), k.GetRevokedAt())
	}
	if k.GetAdmin() && k.GetExpiresAt() != 0 {
		c.finding(BadCustody, r.key, "an admin key has the expiry %d", k.GetExpiresAt())
	}
	if r.KeyID == r.Owner {
		c.finding(BadCustody, r.key, "the root key of the account is stored as a custody key")
	}
	id, err := custody.KeyIDFromPublicKey(k.GetSignatureType(), k.GetPublicKey())
	if err != nil {
		c.finding(BadCustody, r.key, "public_key: %v", err)
	} else if id != r.KeyID {
		c.finding(BadCustody, r.key, "the id derived from public_key is %s", id)
	}
}
