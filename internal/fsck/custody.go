package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// keys counts the delegated keys of an account, and the custody operations that its keys as they stand took
// at least: one for each that was added, one more for each that was revoked.
func (c *checker) keys(owner ident.Address) (delegated uint32, operations uint64) {
	c.scan(ownerPrefix(schema.PrefixKey, owner), func(key, value []byte) {
		operations++
		parsed, err := schema.ParseKey(key)
		switch {
		case err != nil:
		case parsed.Tag == schema.FamilyDelegated:
			delegated++
		default:
			var k pb.CustodyKeyRow
			if schema.Decode(value, &k) == nil && k.GetStatus() == pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED {
				operations++
			}
		}
	})
	return delegated, operations
}

func (c *checker) delegatedKey(r row, k *pb.DelegatedKeyRow) {
	c.known(r, "scope", int32(k.GetScope()), pb.KeyScope_name)
	c.since(r, "added_at", k.GetAddedAt())
	c.size(r, "request_owner_address", k.GetRequestOwnerAddress(), ident.AddressSize)
	for _, project := range k.GetAllowedProjects() {
		c.size(r, "allowed_projects", project, ident.HashSize)
	}
	if k.GetScope() != pb.KeyScope_KEY_SCOPE_AGENT && len(k.GetAllowedProjects()) > 0 {
		c.find(BadValue, r.key, "a key of scope %s carries allowed_projects", k.GetScope())
	}
	c.needAccount(r.Owner)
	owner := read[pb.KeyOwnerRow](c, schema.KeyOwnerKey(r.PublicKey))
	if !bytes.Equal(owner.GetOwnerAddress(), r.Owner[:]) {
		c.find(BadReverseRow, r.key, "key %s does not lead back to account %s", r.PublicKey, r.Owner)
	}
}

func (c *checker) keyOwner(r row, o *pb.KeyOwnerRow) {
	c.size(r, "owner_address", o.GetOwnerAddress(), ident.AddressSize)
	if owner := address(o.GetOwnerAddress()); c.get(schema.DelegatedKeyKey(owner, r.PublicKey)) == nil {
		c.find(BadReverseRow, r.key, "key %s leads to account %s, which does not have it", r.PublicKey, owner)
	}
}

func (c *checker) custodyKey(r row, k *pb.CustodyKeyRow) {
	c.set(r, "signature_type", int32(k.GetSignatureType()), pb.CustodySignatureType_name)
	c.set(r, "status", int32(k.GetStatus()), pb.CustodyKeyStatus_name)
	c.since(r, "added_at", k.GetAddedAt())
	c.needAccount(r.Owner)
	revoked := k.GetStatus() == pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED
	if revoked != (k.GetRevokedAt() != 0) {
		c.find(BadCustody, r.key, "the key is %s, its revoked_at is %d", k.GetStatus(), k.GetRevokedAt())
	}
	if k.GetAdmin() && k.GetExpiresAt() != 0 {
		c.find(BadCustody, r.key, "an admin key expires at %d", k.GetExpiresAt())
	}
	if r.KeyID == r.Owner {
		c.find(BadCustody, r.key, "the root of the account is stored as a custody key")
	}
	id, err := custody.KeyIDFromPublicKey(k.GetSignatureType(), k.GetPublicKey())
	if err != nil {
		c.find(BadCustody, r.key, "public_key: %v", err)
	} else if id != r.KeyID {
		c.find(BadCustody, r.key, "the id that follows from public_key is %s", id)
	}
}
