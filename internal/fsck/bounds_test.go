package fsck

import (
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

func boundsDamage() []damage {
	claim := func(s state, id byte) { s.put(schema.ClaimKey(ident.Hash{id}), &pb.ClaimRow{OwnerAddress: alice[:]}) }
	bio := schema.AccountMetadataKey(alice, byte(pb.AccountDataType_ACCOUNT_DATA_BIO))
	return []damage{
		// The accounts were granted three units and have used two claims.
		{"as many claims as units", func(s state) { claim(s, 0x33) }, nil, "0 findings"},
		{"more claims than units", func(s state) { claim(s, 0x33); claim(s, 0x34) }, []Class{OverBounds}, "at most 3"},
		{
			"row too large",
			func(s state) { s.put(bio, &pb.AccountMetadataRow{Timestamp: 1, Value: strings.Repeat("x", 600)}) },
			[]Class{OverBounds},
			"at most 544",
		},
	}
}
