package genesis

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"

	"makechain/internal/ident"
)

// CheckKeys returns a *FieldError for the first key of a validator or attester whose private key everybody knows: that of a seed
// of equal bytes, of a small number, or of the examples of RFC 8032. Tests use such keys.
func (g *Genesis) CheckKeys() error {
	known := knownKeys()
	for i, validator := range g.Validators {
		if known[validator.PublicKey] {
			return invalid(fmt.Sprintf("validators[%d].public_key", i), "%v is a test key, whose private key is public", validator.PublicKey)
		}
	}
	for i, attester := range g.Settlement.Attesters {
		if known[attester.Key] {
			return invalid(fmt.Sprintf("settlement.attesters[%d].public_key", i), "%v is a test key, whose private key is public", attester.Key)
		}
	}
	return nil
}

// knownKeys returns the public keys whose private keys are public.
func knownKeys() map[ident.PublicKey]bool {
	seeds := make([][ed25519.SeedSize]byte, 0, 4*256)
	for value := range 256 {
		var equal, first, last [ed25519.SeedSize]byte
		for i := range equal {
			equal[i] = byte(value)
		}
		first[0], last[len(last)-1] = byte(value), byte(value)
		seeds = append(seeds, equal, first, last)
	}
	for _, digits := range []string{ // RFC 8032, section 7.1
		"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
		"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
		"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
		"f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5",
		"833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
	} {
		var seed [ed25519.SeedSize]byte
		if n, err := hex.Decode(seed[:], []byte(digits)); err == nil && n == len(seed) {
			seeds = append(seeds, seed)
		}
	}
	known := make(map[ident.PublicKey]bool, len(seeds))
	for _, seed := range seeds {
		if key, ok := ident.PublicKeyFrom(ed25519.NewKeyFromSeed(seed[:])[ed25519.SeedSize:]); ok {
			known[key] = true
		}
	}
	return known
}
