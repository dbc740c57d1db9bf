package vectors

import (
	"bytes"
	"crypto/sha512"
	"testing"

	"github.com/oasisprotocol/curve25519-voi/curve"
	"github.com/oasisprotocol/curve25519-voi/curve/scalar"

	"makechain/message"
)

// edgeKey makes signatures that ZIP-215 accepts and other definitions of Ed25519 refuse.
type edgeKey struct {
	name string
	sign func(hash []byte) (signer, signature []byte)
}

// edgeSignatures returns messages that ZIP-215 accepts: with keys and commitments of small order, in encodings that are
// not canonical, and with a component of small order (P2.4).
func edgeSignatures(t *testing.T, author *actor) []messageVector {
	t.Helper()
	var list []messageVector
	for _, key := range edgeKeys(t) {
		v := newVector(t, author, now, message.UsernameCreate("alice"))
		v.Name, v.Secret = key.name, nil
		signer, signature := key.sign(v.Hash)
		v.Signer, v.Signature = signer, signature
		v.Transaction = assemble(parts{v.Canonical, v.Hash, signature, signer})
		list = append(list, v)
	}
	return list
}

func edgeKeys(t *testing.T) []edgeKey {
	t.Helper()
	fixed := func(signer, commitment []byte) func([]byte) ([]byte, []byte) {
		return func([]byte) ([]byte, []byte) {
			return signer, append(append([]byte(nil), commitment...), make([]byte, 32)...)
		}
	}
	torsion := curve.EIGHT_TORSION
	// The neutral element with its y coordinate encoded as the field prime plus one.
	beyondPrime := append([]byte{0xee}, make([]byte, 31)...)
	for i := 1; i < 31; i++ {
		beyondPrime[i] = 0xff
	}
	beyondPrime[31] = 0x7f
	return []edgeKey{
		{"signer and commitment of small order", fixed(encodePoint(torsion[1]), encodePoint(torsion[3]))},
		{"signer is the neutral element", fixed(encodePoint(torsion[0]), encodePoint(torsion[0]))},
		{"signer and commitment not canonical", fixed(beyondPrime, beyondPrime)},
		{"signer with a component of small order", mixedOrder(t, torsion[1])},
	}
}

func encodePoint(p *curve.EdwardsPoint) []byte {
	var c curve.CompressedEdwardsY
	return append([]byte(nil), c.SetEdwardsPoint(p)[:]...)
}

// smallOrderKeys returns all encodings of the eight points of small order: the canonical ones, then those with a y of p or
// more, or with a sign bit although x is 0.
func smallOrderKeys() [][]byte {
	var keys [][]byte
	for _, point := range curve.EIGHT_TORSION {
		keys = append(keys, encodePoint(point))
	}
	for _, ends := range []struct{ first, between, last byte }{
		{0x01, 0x00, 0x80},
		{0xec, 0xff, 0xff},
		{0xed, 0xff, 0x7f},
		{0xed, 0xff, 0xff},
		{0xee, 0xff, 0x7f},
		{0xee, 0xff, 0xff},
	} {
		key := bytes.Repeat([]byte{ends.between}, 32)
		key[0], key[31] = ends.first, ends.last
		keys = append(keys, key)
	}
	return keys
}

// mixedOrder signs with a key to which a point of small order was added.
func mixedOrder(t *testing.T, low *curve.EdwardsPoint) func(hash []byte) (signer, signature []byte) {
	t.Helper()
	a, r := reduce(t, "a mixed key"), reduce(t, "a mixed commitment")
	public := new(curve.EdwardsPoint).Add(basePoint(a), low)
	return func(hash []byte) ([]byte, []byte) {
		signer, commitment := encodePoint(public), encodePoint(basePoint(r))
		digest := sha512.Sum512(append(append(append([]byte(nil), commitment...), signer...), hash...))
		k := must[*scalar.Scalar](t)(scalar.New().SetBytesModOrderWide(digest[:]))
		s := scalar.New().Add(r, scalar.New().Mul(k, a))
		var encoded [32]byte
		if err := s.ToBytes(encoded[:]); err != nil {
			t.Fatal(err)
		}
		return signer, append(commitment, encoded[:]...)
	}
}

func reduce(t *testing.T, purpose string) *scalar.Scalar {
	t.Helper()
	bytes := secret(purpose)
	return must[*scalar.Scalar](t)(scalar.New().SetBytesModOrder(bytes[:]))
}

func basePoint(s *scalar.Scalar) *curve.EdwardsPoint {
	return new(curve.EdwardsPoint).MulBasepoint(curve.ED25519_BASEPOINT_TABLE, s)
}
