package custody

import (
	"errors"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// MaxSignatureSize is the maximum size of an encoded custody signature, in bytes (P5).
const MaxSignatureSize = 16_384

// Form bytes. A secp256k1 signature has none: it is recognized by its length.
const (
	formP256     = 0x01
	formWebAuthn = 0x02
	formWrapper  = 0x03
)

// wrapperSize is the size of the keychain wrapper before the wrapped signature, in bytes.
const wrapperSize = 1 + ident.AddressSize

// Signature is a custody signature of one of the forms of P4.2. Parse returns it; the zero Signature has no form, and
// Recover of it returns an error.
type Signature struct {
	form    form
	account ident.Address
	wrapped bool
}

// form is one of the three direct signature forms.
type form interface {
	signatureType() pb.CustodySignatureType
	recover(digest [32]byte) (ident.Address, error)
	appendTo(b []byte) []byte
}

// Parse parses a custody signature. It keeps no reference to sig.
func Parse(sig []byte) (Signature, error) {
	switch {
	case len(sig) == 0:
		return Signature{}, errors.New("custody signature is empty")
	case len(sig) > MaxSignatureSize:
		return Signature{}, fmt.Errorf("custody signature of %d bytes, at most %d", len(sig), MaxSignatureSize)
	case len(sig) == secp256k1Size || sig[0] != formWrapper:
		f, err := parseForm(sig)
		return Signature{form: f}, err
	}
	if len(sig) <= wrapperSize {
		return Signature{}, fmt.Errorf("keychain wrapper of %d bytes carries no signature", len(sig))
	}
	f, err := parseForm(sig[wrapperSize:])
	if err != nil {
		return Signature{}, fmt.Errorf("keychain wrapper: %w", err)
	}
	return Signature{form: f, account: ident.Address(sig[1:wrapperSize]), wrapped: true}, nil
}

// parseForm parses a direct signature. The length is checked before the first byte: the first byte of a secp256k1
// signature belongs to r and can have any value.
func parseForm(sig []byte) (f form, err error) {
	var name string
	switch {
	case len(sig) == secp256k1Size:
		name = "secp256k1"
		f, err = parseSecp256k1(sig)
	case sig[0] == formP256:
		name = "p256"
		f, err = parseP256(sig)
	case sig[0] == formWebAuthn:
		name = "webauthn"
		f, err = parseWebAuthn(sig)
	case sig[0] == formWrapper:
		return nil, errors.New("a wrapper may not carry another one")
	default:
		return nil, fmt.Errorf("unknown signature form 0x%02x of %d bytes", sig[0], len(sig))
	}
	if err != nil {
		return nil, fmt.Errorf("%s signature: %w", name, err)
	}
	return f, nil
}

// Type returns the type of the key that signed; for a wrapper, that of the wrapped signature.
func (s Signature) Type() pb.CustodySignatureType {
	if s.form == nil {
		return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_NONE
	}
	return s.form.signatureType()
}

// Account returns the account of a keychain wrapper; ok is false for a direct signature.
func (s Signature) Account() (account ident.Address, ok bool) {
	return s.account, s.wrapped
}

// Recover verifies the signature over digest and returns the id of the key that made it.
func (s Signature) Recover(digest [32]byte) (ident.Address, error) {
	if s.form == nil {
		return ident.Address{}, errors.New("custody signature is empty")
	}
	return s.form.recover(digest)
}

// Bytes returns the encoded signature.
func (s Signature) Bytes() []byte {
	if s.form == nil {
		return nil
	}
	if !s.wrapped {
		return s.form.appendTo(nil)
	}
	return Wrap(s.account, s.form.appendTo(nil))
}

// Wrap returns a direct signature in a keychain wrapper for account.
func Wrap(account ident.Address, sig []byte) []byte {
	b := make([]byte, 0, wrapperSize+len(sig))
	b = append(b, formWrapper)
	b = append(b, account[:]...)
	return append(b, sig...)
}
