package custody

import (
	"crypto/elliptic"
	"math/big"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// TestGroupOrders compares the constants with the curves of the libraries.
//
// Rules: P4.2.
func TestGroupOrders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		n         *big.Int
		constants order
	}{
		//nolint:staticcheck // deprecated for arithmetic; only the order is used
		{"secp256k1", secp256k1.S256().Params().N, order{secp256k1Order, secp256k1HalfOrder}},
		{"p256", elliptic.P256().Params().N, order{p256Order, p256HalfOrder}},
	} {
		if got := new(big.Int).SetBytes([]byte(c.constants.n)); got.Cmp(c.n) != 0 {
			t.Errorf("%s: order %x, want %x", c.name, got, c.n)
		}
		half := new(big.Int).Rsh(c.n, 1)
		if got := new(big.Int).SetBytes([]byte(c.constants.half)); got.Cmp(half) != 0 {
			t.Errorf("%s: half order %x, want %x", c.name, got, half)
		}
	}
}

// TestHighestLowS checks that the largest values in range are accepted; other tests check that one more is refused.
//
// Rules: P4.2.
func TestHighestLowS(t *testing.T) {
	t.Parallel()
	for _, curve := range []order{{secp256k1Order, secp256k1HalfOrder}, {p256Order, p256HalfOrder}} {
		largest := []byte(curve.n)
		largest[31]-- // both orders are odd
		largest = append(largest, curve.half...)
		sc, err := readScalars(largest, curve)
		if err != nil || string(sc.appendTo(nil)) != string(largest) {
			t.Errorf("read %x (%v), want %x", sc.appendTo(nil), err, largest)
		}
	}
}
