// Package contentauth builds and verifies the statements that authorize uploads to a content service and reads of private
// projects (docs/content.md).
//
// A statement is a text that a registered Ed25519 key signs. The text names the chain, the service and what is requested,
// so that a signature cannot be used on another chain, at another service or for another request, and it differs from
// everything else that such keys sign. The text is not sent: the service computes it from the request. Whether the key is
// registered and what it may do is not checked here: that is on the chain.
package contentauth

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	"makechain/internal/ident"
)

// Purpose is what a statement authorizes.
type Purpose string

// The purposes.
const (
	// Upload authorizes the upload of the bytes with a digest and a length. With length 0 it authorizes a HEAD request that
	// renews the upload.
	Upload Purpose = "upload"
	// Read authorizes reads of a private project. It has neither digest nor length.
	Read Purpose = "read"
	// Import authorizes copying the content of another project, whose id is in the place of the digest.
	Import Purpose = "import"
)

const (
	// Scheme is the scheme of the Authorization header.
	Scheme = "Makechain"
	// Validity is how far the issue time may be from the time of the service, in both directions.
	Validity = 5 * time.Minute

	tag = "makechain/content/v1"
	// maxHost is the greatest length of a domain name with a port.
	maxHost = 260
	// textLines is the number of lines of a statement, and maxText its greatest length.
	textLines = 8
	maxText   = 1 << 10
	// maxChainID is the greatest length of a chain id.
	maxChainID = 50
)

var (
	// ErrExpired is returned for a statement that was issued too long ago or in the future.
	ErrExpired = errors.New("the statement was not issued within the last 5 minutes")
	// ErrSignature is returned for a signature that does not match the statement.
	ErrSignature = errors.New("the signature does not match the statement that the service expects for this request")
)

// Statement is what is requested of which service.
type Statement struct {
	ChainID string
	Purpose Purpose
	// Host is the Host header of the request. Upper and lower case are the same.
	Host    string
	Project ident.Hash
	// Digest is zero for none.
	Digest ident.Hash
	Length int64
}

// Text returns the text that is signed. It fails if a field is invalid or could run into the next one.
func (s *Statement) Text(issued int64) ([]byte, error) {
	if s.ChainID == "" || len(s.ChainID) > maxChainID || !isPrintable(s.ChainID) {
		return nil, fmt.Errorf("%q is not a valid chain id", s.ChainID)
	}
	if s.Host == "" || len(s.Host) > maxHost || !isPrintable(s.Host) {
		return nil, fmt.Errorf("%q is not a valid host", s.Host)
	}
	if s.Purpose != Upload && s.Purpose != Read && s.Purpose != Import {
		return nil, fmt.Errorf("%q is not a purpose of a statement", s.Purpose)
	}
	if s.Length < 0 || issued < 0 {
		return nil, errors.New("a statement has no negative numbers")
	}
	digest := "-"
	if s.Digest != (ident.Hash{}) {
		digest = s.Digest.String()
	}
	return fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%s\n%s\n%d\n%d\n",
		tag, s.ChainID, s.Purpose, strings.ToLower(s.Host), s.Project, digest, s.Length, issued), nil
}

// isPrintable reports whether a text consists of visible ASCII characters.
func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Authorization is a signature of a statement, which is sent in the Authorization header.
type Authorization struct {
	Key ident.PublicKey
	// Issued is the issue time in Unix seconds.
	Issued    int64
	Signature [ed25519.SignatureSize]byte
}

// Sign signs a statement with the key of a seed.
func Sign(seed [ed25519.SeedSize]byte, s *Statement, now time.Time) (Authorization, error) {
	text, err := s.Text(now.Unix())
	if err != nil {
		return Authorization{}, err
	}
	secret := ed25519.NewKeyFromSeed(seed[:])
	return Authorization{
		Key:       ident.PublicKey(secret[ed25519.SeedSize:]),
		Issued:    now.Unix(),
		Signature: [ed25519.SignatureSize]byte(ed25519.Sign(secret, text)),
	}, nil
}

// A Signer signs texts with a key, which it may not have itself.
type Signer interface {
	Key() ident.PublicKey
	SignStatement(text []byte) ([]byte, error)
}

// SignWith signs a statement with a signer.
func SignWith(signer Signer, s *Statement, now time.Time) (Authorization, error) {
	text, err := s.Text(now.Unix())
	if err != nil {
		return Authorization{}, err
	}
	signature, err := signer.SignStatement(text)
	if err != nil {
		return Authorization{}, err
	}
	if len(signature) != ed25519.SignatureSize {
		return Authorization{}, fmt.Errorf("a signature of %d bytes, want %d", len(signature), ed25519.SignatureSize)
	}
	return Authorization{Key: signer.Key(), Issued: now.Unix(), Signature: [ed25519.SignatureSize]byte(signature)}, nil
}

// IsStatement reports whether a text is that of a statement, so that its signature is valid for nothing else.
func IsStatement(text []byte) bool {
	return len(text) <= maxText && bytes.HasPrefix(text, []byte(tag+"\n")) && bytes.Count(text, []byte("\n")) == textLines
}

// String returns the value of the header.
func (a *Authorization) String() string {
	return fmt.Sprintf("%s %s %d %x", Scheme, a.Key, a.Issued, a.Signature)
}

// Parse parses the value of an Authorization header. There is one valid form for each value, except that upper and lower
// case of the scheme are the same.
func Parse(header string) (a Authorization, err error) {
	parts := strings.Split(header, " ")
	if !strings.EqualFold(parts[0], Scheme) {
		return a, fmt.Errorf("the Authorization header does not have the scheme %s", Scheme)
	}
	if len(parts) != 4 {
		return a, fmt.Errorf("the Authorization header is not of the form %s <key> <issue time> <signature>", Scheme)
	}
	if !decodeHex(a.Key[:], parts[1]) {
		return a, errors.New("the key in the Authorization header is not 64 lower-case hex digits")
	}
	if a.Issued, err = strconv.ParseInt(parts[2], 10, 64); err != nil || a.Issued < 0 || strconv.FormatInt(a.Issued, 10) != parts[2] {
		return a, errors.New("the issue time in the Authorization header is not a number of seconds")
	}
	if !decodeHex(a.Signature[:], parts[3]) {
		return a, errors.New("the signature in the Authorization header is not 128 lower-case hex digits")
	}
	return a, nil
}

func decodeHex(dst []byte, text string) bool {
	if len(text) != hex.EncodedLen(len(dst)) || strings.ToLower(text) != text {
		return false
	}
	_, err := hex.Decode(dst, []byte(text))
	return err == nil
}

// Verify checks that the authorization is valid at a time and signs the statement.
func (a *Authorization) Verify(s *Statement, now time.Time) error {
	if seconds := int64(Validity / time.Second); a.Issued < now.Unix()-seconds || a.Issued > now.Unix()+seconds {
		return ErrExpired
	}
	text, err := s.Text(a.Issued)
	if err != nil {
		return err
	}
	options := ed25519.Options{Verify: ed25519.VerifyOptionsZIP_215}
	if !ed25519.VerifyWithOptions(a.Key[:], text, a.Signature[:], &options) {
		return ErrSignature
	}
	return nil
}
