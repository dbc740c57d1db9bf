package custody

import (
	"errors"
	"fmt"
)

// scalars are the two halves of an ECDSA signature, big-endian.
type scalars struct {
	r, s [32]byte
}

// order is the size of a curve's group and its half, as big-endian strings: constants that compare in
// byte order.
type order struct {
	n, half string
}

// readScalars takes r and s from the first 64 bytes of b. A high s is refused: with it, whoever sees a
// signature could make a second one that is just as valid.
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
