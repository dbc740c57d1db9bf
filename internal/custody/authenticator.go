package custody

import (
	"crypto/sha256"

	pb "makechain/gen/makechain"
)

// What the simulated authenticator says about where it is used. Nothing checks it (P4.3).
const (
	simulatedRelyingParty = "localhost"
	simulatedOrigin       = "http://localhost"
)

// WebAuthnWallet is a passkey: a P-256 key behind a simulated authenticator that always finds its user
// present and verified.
type WebAuthnWallet struct {
	P256Wallet
}

// NewWebAuthnWallet makes a wallet from a secret. It shares its key id with the P256Wallet of that secret.
func NewWebAuthnWallet(secret [32]byte) (*WebAuthnWallet, error) {
	w, err := NewP256Wallet(secret)
	if err != nil {
		return nil, err
	}
	return &WebAuthnWallet{P256Wallet: *w}, nil
}

// Type is the signature type to authorize the key with.
func (*WebAuthnWallet) Type() pb.CustodySignatureType {
	return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256
}

// Sign answers an assertion whose challenge is the digest.
func (w *WebAuthnWallet) Sign(digest [32]byte) ([]byte, error) {
	relyingParty := sha256.Sum256([]byte(simulatedRelyingParty))
	var s webAuthnSignature
	copy(s.authenticatorData[:], relyingParty[:])
	s.authenticatorData[flagsOffset] = flagUserPresent | flagUserVerified
	s.clientDataJSON = simulatedClientData(webAuthnChallenge(digest))
	keyed, err := w.signHash(webAuthnHash(s.authenticatorData[:], s.clientDataJSON))
	if err != nil {
		return nil, err
	}
	s.keyedSignature = keyed
	return s.appendTo(nil), nil
}

// simulatedClientData writes the members in the order in which browsers write them. A challenge is
// base64url and an origin fixed, so nothing needs escaping.
func simulatedClientData(challenge string) []byte {
	return []byte(`{"type":"` + webAuthnGet + `","challenge":"` + challenge +
		`","origin":"` + simulatedOrigin + `","crossOrigin":false}`)
}
