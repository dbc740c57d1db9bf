package validators

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"slices"

	zip215 "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	"makechain/internal/ident"
)

func bySigner(a, b Signature) int { return bytes.Compare(a.Key[:], b.Key[:]) }

// Digest returns the hash that validators sign.
func (c *Change) Digest() [sha256.Size]byte {
	return sha256.Sum256(append([]byte(c.Content.kind().domain), c.signed()...))
}

// Sign adds a signature, or replaces the one of the same key.
func (c *Change) Sign(key ed25519.PrivateKey) error {
	public, ok := ident.PublicKeyFrom(key.Public().(ed25519.PublicKey)) //nolint:forcetypeassert // documented by crypto/ed25519
	if !ok {
		return fmt.Errorf("%s: the key has %d bytes", c.Name(), len(key))
	}
	digest := c.Digest()
	signed := Signature{Key: public, Signature: [SignatureSize]byte(ed25519.Sign(key, digest[:]))}
	at, found := slices.BinarySearchFunc(c.Signatures, signed, bySigner)
	if found {
		c.Signatures[at] = signed
		return nil
	}
	c.Signatures = slices.Insert(c.Signatures, at, signed)
	return nil
}

// SignedPower returns the voting power of the signers. It returns an error if a signature is not valid or not from a
// validator of the set.
func (c *Change) SignedPower(set *Set) (int64, error) {
	digest := c.Digest()
	var power int64
	for _, s := range c.Signatures {
		signer := set.Power(s.Key)
		if signer == 0 {
			return 0, fmt.Errorf("signer %s is not a validator", s.Key)
		}
		if !verify(s, digest[:]) {
			return 0, fmt.Errorf("the signature of %s is not valid", s.Key)
		}
		power += signer
	}
	return power, nil
}

// verify checks a signature according to ZIP-215, as every Ed25519 check of the protocol (P2.4).
func verify(s Signature, digest []byte) bool {
	options := &zip215.Options{Verify: zip215.VerifyOptionsZIP_215}
	return zip215.VerifyWithOptions(s.Key[:], digest, s.Signature[:], options)
}
