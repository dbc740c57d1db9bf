// Package custodytest simulates the hardware that makes custody signatures, for tests.
package custodytest

import (
	"crypto/sha256"
	"encoding/base64"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
)

// Origin and relying party of the simulated assertions. Verification ignores both (P4.3).
const (
	relyingParty = "localhost"
	origin       = "http://localhost"
)

// Parts of a WebAuthn signature (P4.2, P4.3).
const (
	formWebAuthn          = 0x02
	authenticatorDataSize = 37
	flagsOffset           = 32
	userPresentVerified   = 0x01 | 0x04
)

// WebAuthnWallet is a passkey: a P-256 key behind a simulated authenticator whose user is always present and
// verified. It has the key id of the P256Wallet of the same secret.
type WebAuthnWallet struct {
	*custody.P256Wallet
}

// NewWebAuthnWallet returns the wallet of a secret.
func NewWebAuthnWallet(secret [32]byte) (*WebAuthnWallet, error) {
	w, err := custody.NewP256Wallet(secret)
	if err != nil {
		return nil, err
	}
	return &WebAuthnWallet{w}, nil
}

// Type returns the signature type to authorize the key with.
func (*WebAuthnWallet) Type() pb.CustodySignatureType {
	return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256
}

// Sign returns an assertion whose challenge is the digest. The client data has the members in the order in which
// browsers write them; neither a base64url challenge nor the origin needs escaping.
func (w *WebAuthnWallet) Sign(digest [32]byte) ([]byte, error) {
	clientData := []byte(`{"type":"webauthn.get","challenge":"` + base64.RawURLEncoding.EncodeToString(digest[:]) +
		`","origin":"` + origin + `","crossOrigin":false}`)
	party := sha256.Sum256([]byte(relyingParty))
	var authenticatorData [authenticatorDataSize]byte
	copy(authenticatorData[:], party[:])
	authenticatorData[flagsOffset] = userPresentVerified

	clientHash := sha256.Sum256(clientData)
	keyed, err := w.SignHash(sha256.Sum256(append(authenticatorData[:], clientHash[:]...)))
	if err != nil {
		return nil, err
	}
	signature := append([]byte{formWebAuthn}, authenticatorData[:]...)
	return append(append(signature, clientData...), keyed...), nil
}
