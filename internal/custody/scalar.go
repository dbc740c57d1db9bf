package custody

import (
	"errors"
	"fmt"
)

// scalars are the two halves of an ECDSA signature, big-endian.
type scalars struct {
	r, s [32]byte
}

// order is the order of a curve's group and its half, as big-endian strings that compare in numeric order.
type order struct {
	n, half string
}

// readScalars reads r and s from the first 64 bytes of b. It refuses a high s, because otherwise anyone could derive a
// second valid signature from a first (malleability).
func readScalars(b []byte, curve order) (scalars, error) {
	sc := scalars{r: [32]byte(b[:32]), s: [32]byte(b[32:64])}
	switch {
	case sc.r == [32]byte{}:
		return scalars{}, errors.New("r is zero")
	case string(sc.r[:]) >= curve.n:
		return scalars{}, fmt.Errorf("r %x is not below the group order", sc.r)
	case sc.s == [32]byte{}:
		return scalars{}, errors.New("s is zero")
	case string(sc.s[:]) > curve.half:
		return scalars{}, fmt.Errorf("s %x is high", sc.s)
	}
	return sc, nil
}

func (sc scalars) appendTo(b []byte) []byte {
	return append(append(b, sc.r[:]...), sc.s[:]...)
}
