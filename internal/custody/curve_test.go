package custody_test

import "math/big"

// curve is y² = x³ + ax + b over a prime field, computed with big integers and independent of the libraries under
// test.
type curve struct {
	prime, a, b, n *big.Int
}

var (
	secp256k1Curve = curve{
		prime: number("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"),
		a:     big.NewInt(0),
		b:     big.NewInt(7),
		n:     number("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
	}
	p256Curve = curve{
		prime: number("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"),
		a:     big.NewInt(-3),
		b:     number("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"),
		n:     number("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
	}
)

func number(hexDigits string) *big.Int {
	n, _ := new(big.Int).SetString(hexDigits, 16)
	return n
}

// holds reports whether a 64-byte point lies on the curve in its only encoding.
func (c curve) holds(point []byte) bool {
	x, y := new(big.Int).SetBytes(point[:32]), new(big.Int).SetBytes(point[32:])
	if x.Cmp(c.prime) >= 0 || y.Cmp(c.prime) >= 0 {
		return false
	}
	right := new(big.Int).Exp(x, big.NewInt(3), nil)
	right.Add(right, new(big.Int).Mul(c.a, x)).Add(right, c.b).Mod(right, c.prime)
	left := new(big.Int).Mul(y, y)
	return left.Mod(left, c.prime).Cmp(right) == 0
}
