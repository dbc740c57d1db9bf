package custody

import (
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// secp256k1Size is r, s and v. No other form can have this length.
const secp256k1Size = 65

// recoveryOffset is added to the recovery code in the older of the two notations of v.
const recoveryOffset = 27

// The group of secp256k1.
const (
	secp256k1Order = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe" +
		"\xba\xae\xdc\xe6\xaf\x48\xa0\x3b\xbf\xd2\x5e\x8c\xd0\x36\x41\x41"
	secp256k1HalfOrder = "\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" +
		"\x5d\x57\x6e\x73\x57\xa4\x50\x1d\xdf\xe9\x2f\x46\x68\x1b\x20\xa0"
)

// secp256k1Signature is a signature over the digest itself. It contains no key: the key is recovered from the digest.
type secp256k1Signature struct {
	scalars
	v byte
}

func parseSecp256k1(sig []byte) (secp256k1Signature, error) {
	v := sig[secp256k1Size-1]
	switch v {
	case 0, 1, recoveryOffset, recoveryOffset + 1:
	default:
		return secp256k1Signature{}, fmt.Errorf("v is %d, want 0, 1, 27 or 28", v)
	}
	sc, err := readScalars(sig, order{secp256k1Order, secp256k1HalfOrder})
	return secp256k1Signature{scalars: sc, v: v}, err
}

func (secp256k1Signature) signatureType() pb.CustodySignatureType {
	return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1
}

func (s secp256k1Signature) recover(digest [32]byte) (ident.Address, error) {
	// The library expects the recovery code first, in the older notation.
	code := s.v
	if code < recoveryOffset {
		code += recoveryOffset
	}
	compact := s.scalars.appendTo(append(make([]byte, 0, secp256k1Size), code))
	key, _, err := ecdsa.RecoverCompact(compact, digest[:])
	if err != nil {
		return ident.Address{}, fmt.Errorf("secp256k1 signature: no key recovers: %w", err)
	}
	return KeyID([pointSize]byte(key.SerializeUncompressed()[1:])), nil
}

func (s secp256k1Signature) appendTo(b []byte) []byte {
	return append(s.scalars.appendTo(b), s.v)
}
