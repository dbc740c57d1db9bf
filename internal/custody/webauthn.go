package custody

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// maxWebAuthnSize is the maximum size of the WebAuthn form, including the form byte (P4.2).
const maxWebAuthnSize = 2_048

// authenticatorDataSize is the size of a relying party hash, a flag byte and a counter. Longer data would contain
// attested data or extensions, which are refused.
const authenticatorDataSize = 37

// minWebAuthnSize is the size with empty client data, which Parse refuses because it is not JSON.
const minWebAuthnSize = 1 + authenticatorDataSize + keyedSize

// Flags of the authenticator data, in the byte after the hash of the relying party.
const (
	flagsOffset           = 32
	flagUserPresent  byte = 0x01
	flagUserVerified      = 0x04
	flagAttestedData      = 0x40
	flagExtensions        = 0x80
)

// webAuthnGet is the type of client data of an assertion, as opposed to a registration.
const webAuthnGet = "webauthn.get"

// webAuthnSignature is an assertion whose challenge is the digest. Origin and relying party are not
// checked: authority is the challenge and the key (P4.3).
type webAuthnSignature struct {
	authenticatorData [authenticatorDataSize]byte
	clientDataJSON    []byte
	challenge         string
	keyedSignature
}

func parseWebAuthn(sig []byte) (webAuthnSignature, error) {
	if len(sig) < minWebAuthnSize || len(sig) > maxWebAuthnSize {
		return webAuthnSignature{}, fmt.Errorf("%d bytes, want %d to %d", len(sig), minWebAuthnSize, maxWebAuthnSize)
	}
	remaining := sig[1:]
	s := webAuthnSignature{authenticatorData: [authenticatorDataSize]byte(remaining[:authenticatorDataSize])}
	if err := checkFlags(s.authenticatorData[flagsOffset]); err != nil {
		return webAuthnSignature{}, err
	}
	remaining = remaining[authenticatorDataSize:]
	s.clientDataJSON = append([]byte(nil), remaining[:len(remaining)-keyedSize]...)
	client, err := parseClientData(s.clientDataJSON)
	if err != nil {
		return webAuthnSignature{}, fmt.Errorf("client data: %w", err)
	}
	if client.kind != webAuthnGet {
		return webAuthnSignature{}, fmt.Errorf("client data: type %q, want %q", client.kind, webAuthnGet)
	}
	s.challenge = client.challenge
	s.keyedSignature, err = parseKeyed(remaining[len(remaining)-keyedSize:])
	return s, err
}

func checkFlags(flags byte) error {
	switch {
	case flags&flagUserPresent == 0:
		return fmt.Errorf("flags 0x%02x: user not present", flags)
	case flags&flagUserVerified == 0:
		return fmt.Errorf("flags 0x%02x: user not verified", flags)
	case flags&flagAttestedData != 0:
		return fmt.Errorf("flags 0x%02x: attested data is not allowed", flags)
	case flags&flagExtensions != 0:
		return fmt.Errorf("flags 0x%02x: extensions are not allowed", flags)
	}
	return nil
}

func (webAuthnSignature) signatureType() pb.CustodySignatureType {
	return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256
}

func (s webAuthnSignature) recover(digest [32]byte) (ident.Address, error) {
	// Challenges are compared as text, so that only one base64 encoding of the digest is valid.
	if s.challenge != base64.RawURLEncoding.EncodeToString(digest[:]) {
		return ident.Address{}, errors.New("webauthn signature: challenge is not this digest")
	}
	client := sha256.Sum256(s.clientDataJSON)
	id, err := s.verify(sha256.Sum256(append(s.authenticatorData[:], client[:]...)))
	if err != nil {
		return ident.Address{}, fmt.Errorf("webauthn signature: %w", err)
	}
	return id, nil
}

func (s webAuthnSignature) appendTo(b []byte) []byte {
	b = append(append(b, formWebAuthn), s.authenticatorData[:]...)
	return s.keyedSignature.appendTo(append(b, s.clientDataJSON...))
}
