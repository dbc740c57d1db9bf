package custody

import (
	"errors"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// MaxSignatureSize bounds an encoded custody signature of any form, in bytes (P5).
const MaxSignatureSize = 16_384

// Form bytes. A secp256k1 signature has none: it is known by its length alone.
const (
	formP256     = 0x01
	formWebAuthn = 0x02
	formWrapper  = 0x03
)

// wrapperSize is what the keychain wrapper puts before the signature it carries, in bytes.
const wrapperSize = 1 + ident.AddressSize

// Signature is a custody signature of one of the forms of P4.2. Only Parse makes one; the zero Signature
// has no form, and recovering from it is an error.
type Signature struct {
	form    form
	account ident.Address
	wrapped bool
}

// form is one of the three ways a wallet signs.
type form interface {
	signatureType() pb.CustodySignatureType
	recover(digest [32]byte) (ident.Address, error)
	appendTo(b []byte) []byte
}

// Parse reads a custody signature. It keeps no reference to sig.
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

// parseForm reads a signature that stands alone. Length goes before the first byte: the first byte of a
// secp256k1 signature belongs to r and may look like any other form.
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

// Type is the type of the key that signed; a wrapper takes the type of what it carries.
func (s Signature) Type() pb.CustodySignatureType {
	if s.form == nil {
		return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_NONE
	}
	return s.form.signatureType()
}

// Account is the account a keychain wrapper names; ok is false for a direct signature.
func (s Signature) Account() (account ident.Address, ok bool) {
	return s.account, s.wrapped
}

// Recover verifies the signature over digest and gives the id of the key that made it.
func (s Signature) Recover(digest [32]byte) (ident.Address, error) {
	if s.form == nil {
		return ident.Address{}, errors.New("custody signature is empty")
	}
	return s.form.recover(digest)
}

// Bytes encodes the signature from its parsed parts.
func (s Signature) Bytes() []byte {
	if s.form == nil {
		return nil
	}
	if !s.wrapped {
		return s.form.appendTo(nil)
	}
	return Wrap(s.account, s.form.appendTo(nil))
}

// Wrap puts a direct signature into a keychain wrapper for account.
func Wrap(account ident.Address, sig []byte) []byte {
	b := make([]byte, 0, wrapperSize+len(sig))
	b = append(b, formWrapper)
	b = append(b, account[:]...)
	return append(b, sig...)
}
