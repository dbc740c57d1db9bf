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

// domain keeps a signature under a change from meaning anything else.
const domain = "makechain/validator-change/v1\n"

func bySigner(a, b Signature) int { return bytes.Compare(a.Key[:], b.Key[:]) }

// Digest is what validators sign.
func (c *Change) Digest() [sha256.Size]byte {
	return sha256.Sum256(append([]byte(domain), c.content()...))
}

// Sign adds a signature, or replaces that of the same key.
func (c *Change) Sign(key ed25519.PrivateKey) error {
	public, ok := ident.PublicKeyFrom(key.Public().(ed25519.PublicKey)) //nolint:forcetypeassert // as documented there
	if !ok {
		return fmt.Errorf("validator change: the key has %d bytes", len(key))
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

// SignedPower is the voting power that signed. A signature that is wrong or not by a validator of the set refuses the
// change, so that there is nothing in it that nobody answers for.
func (c *Change) SignedPower(set *Set) (int64, error) {
	digest := c.Digest()
	var power int64
	for _, s := range c.Signatures {
		of := set.Power(s.Key)
		if of == 0 {
			return 0, fmt.Errorf("%s signed, which is not a validator", s.Key)
		}
		if !verify(s, digest[:]) {
			return 0, fmt.Errorf("the signature of %s is wrong", s.Key)
		}
		power += of
	}
	return power, nil
}

// verify follows ZIP-215, as every Ed25519 check of the protocol does (P2.4).
func verify(s Signature, digest []byte) bool {
	options := &zip215.Options{Verify: zip215.VerifyOptionsZIP_215}
	return zip215.VerifyWithOptions(s.Key[:], digest, s.Signature[:], options)
}
