package message

import (
	"crypto/sha512"
	"encoding/hex"
	"math/big"
	"testing"

	"github.com/oasisprotocol/curve25519-voi/curve"
	"github.com/oasisprotocol/curve25519-voi/curve/scalar"
)

// signatureCase is a signature and whether ZIP-215 accepts it.
type signatureCase struct {
	name  string
	valid bool
	*Envelope
}

// fieldPrime is 2^255 - 19.
func fieldPrime() *big.Int {
	p := new(big.Int).Lsh(big.NewInt(1), 255)
	return p.Sub(p, big.NewInt(19))
}

// encodePoint encodes a y coordinate, which need not be below the prime, and the sign of x.
func encodePoint(y *big.Int, sign byte) (b [32]byte) {
	y.FillBytes(b[:])
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	b[31] |= sign << 7
	return b
}

// smallOrderEncodings returns all encodings of the eight points of small order: 8 canonical ones, then 6 with a y of
// p or more, or with a sign bit although x is 0.
func smallOrderEncodings(t *testing.T) (list [][32]byte) {
	t.Helper()
	p, one := fieldPrime(), big.NewInt(1)
	minusOne := new(big.Int).Sub(p, one)
	// A point of order 8 doubles to one with y = 0, which leaves d*y^4 + 2*y^2 - 1 = 0.
	d := new(big.Int).ModInverse(big.NewInt(121666), p)
	d.Mod(d.Mul(d, big.NewInt(-121665)), p)
	root := new(big.Int).ModSqrt(new(big.Int).Add(d, one), p)
	if root == nil {
		t.Fatal("1 + d is not a square")
	}
	var order8 *big.Int
	for _, r := range []*big.Int{root, new(big.Int).Neg(root)} {
		square := new(big.Int).Sub(r, one)
		square.Mod(square.Mul(square, new(big.Int).ModInverse(d, p)), p)
		if y := new(big.Int).ModSqrt(square, p); y != nil {
			order8 = y
		}
	}
	if order8 == nil {
		t.Fatal("no point of order 8")
	}
	for _, e := range []struct {
		y     *big.Int
		signs string
	}{
		{one, "\x00"},
		{minusOne, "\x00"},
		{new(big.Int), "\x00\x01"},
		{order8, "\x00\x01"},
		{new(big.Int).Sub(p, order8), "\x00\x01"},
		{one, "\x01"},
		{minusOne, "\x01"},
		{p, "\x00\x01"},
		{new(big.Int).Add(p, one), "\x00\x01"},
	} {
		for _, sign := range []byte(e.signs) {
			list = append(list, encodePoint(e.y, sign))
		}
	}
	return list
}

// smallOrderBounds returns a change of a key to each of smallOrderEncodings, all of which are refused.
func smallOrderBounds[B any](t *testing.T, field string, set func(B, []byte)) (bounds []bound[B]) {
	t.Helper()
	for _, key := range smallOrderEncodings(t) {
		name := hex.EncodeToString(key[:])
		bounds = append(bounds, bound[B]{name, func(b B) { set(b, key[:]) }, field + ": " + name + " is a key of small order"})
	}
	return bounds
}

func decodePoint(t *testing.T, encoded [32]byte) *curve.EdwardsPoint {
	t.Helper()
	compressed := curve.CompressedEdwardsY(encoded)
	point, err := new(curve.EdwardsPoint).SetCompressedY(&compressed)
	if err != nil {
		t.Fatalf("%x: %v", encoded, err)
	}
	return point
}

func isPoint(encoded [32]byte) bool {
	compressed := curve.CompressedEdwardsY(encoded)
	_, err := new(curve.EdwardsPoint).SetCompressedY(&compressed)
	return err == nil
}

func compress(p *curve.EdwardsPoint) (b [32]byte) {
	var compressed curve.CompressedEdwardsY
	copy(b[:], compressed.SetEdwardsPoint(p)[:])
	return b
}

// craft signs with secret 5 and nonce 7, after adding a point of small order to the key and to R. The result
// satisfies the equation that is multiplied by the cofactor, and usually not the plain one.
func craft(t *testing.T, hash Hash, addToKey, addToR [32]byte) *Envelope {
	t.Helper()
	secret, nonce := new(scalar.Scalar).SetUint64(5), new(scalar.Scalar).SetUint64(7)
	withTorsion := func(s *scalar.Scalar, torsion [32]byte) [32]byte {
		p := new(curve.EdwardsPoint).MulBasepoint(curve.ED25519_BASEPOINT_TABLE, s)
		return compress(p.Add(p, decodePoint(t, torsion)))
	}
	key, r := withTorsion(secret, addToKey), withTorsion(nonce, addToR)
	challenge := sha512.New()
	challenge.Write(r[:])
	challenge.Write(key[:])
	challenge.Write(hash[:])
	k, err := new(scalar.Scalar).SetBytesModOrderWide(challenge.Sum(nil))
	if err != nil {
		t.Fatal(err)
	}
	s := k.Add(k.Mul(k, secret), nonce)
	e := &Envelope{Hash: hash, Signer: key}
	copy(e.Signature[:], r[:])
	if err := s.ToBytes(e.Signature[32:]); err != nil {
		t.Fatal(err)
	}
	return e
}

// addGroupOrder returns the signature with an equivalent s that is not below the group order.
func addGroupOrder(e *Envelope) *Envelope {
	order := [32]byte{
		0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 31: 0x10,
	}
	changed, carry := *e, 0
	for i := range order {
		carry += int(e.Signature[32+i]) + int(order[i])
		changed.Signature[32+i] = byte(carry)
		carry >>= 8
	}
	return &changed
}

// edgeCases returns signatures on which implementations of Ed25519 disagree, and some ordinary ones.
func edgeCases(t *testing.T) (list []signatureCase) {
	t.Helper()
	add := func(name string, valid bool, e *Envelope) { list = append(list, signatureCase{name, valid, e}) }
	small := smallOrderEncodings(t)
	identity, order8 := small[0], small[4]
	for _, torsion := range small[:8] {
		add("mixed order key", true, craft(t, Hash{1}, torsion, identity))
		add("mixed order R", true, craft(t, Hash{2}, identity, torsion))
		add("both of mixed order", true, craft(t, Hash{3}, torsion, order8))
	}
	good := mustSign(t, ProjectArchive(projectID))
	add("good", true, good)
	add("s not below the group order", false, addGroupOrder(good))
	add("s not below the group order, small order", false, addGroupOrder(smallOrderCase(small[0], small[0])))
	add("mixed order and s not below the group order", false, addGroupOrder(craft(t, Hash{4}, order8, order8)))
	change := func(name string, f func(*Envelope)) {
		e := *good
		f(&e)
		add(name, false, &e)
	}
	change("other hash", func(e *Envelope) { e.Hash[0] ^= 1 })
	change("other R", func(e *Envelope) { e.Signature[0] ^= 1 })
	change("other s", func(e *Envelope) { e.Signature[32] ^= 1 })
	change("top bit of s", func(e *Envelope) { e.Signature[63] |= 0x80 })
	change("other key", func(e *Envelope) { e.Signer = testAuthorKey(2) })
	change("zero signature", func(e *Envelope) { e.Signature = [SignatureSize]byte{} })
	change("key of small order", func(e *Envelope) { e.Signer = order8 })
	off, largeOff := encodePoint(big.NewInt(2), 0), encodePoint(new(big.Int).Add(fieldPrime(), big.NewInt(2)), 0)
	if isPoint(off) || isPoint(largeOff) {
		t.Fatal("y = 2 belongs to a point")
	}
	change("key off the curve", func(e *Envelope) { e.Signer = off })
	change("large key off the curve", func(e *Envelope) { e.Signer = largeOff })
	change("R off the curve", func(e *Envelope) { copy(e.Signature[:], off[:]) })
	return list
}

func testAuthorKey(seed byte) PublicKey { return NewAuthor(Seed{seed}, 0, Address{}).Key() }

// smallOrderCase returns a signature with s = 0, valid for every hash when key and R are of small order.
func smallOrderCase(key, r [32]byte) *Envelope {
	e := &Envelope{Hash: Hash{9}, Signer: key}
	copy(e.Signature[:], r[:])
	return e
}
