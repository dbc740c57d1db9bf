package peers

import (
	"errors"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/encoding/protowire"

	"makechain/internal/ident"
	"makechain/message"
)

// Fields of Message on the wire.
const (
	dataField      = 1
	hashField      = 2
	signatureField = 3
	signerField    = 4
)

var (
	errForm = errors.New("not a signed message")
	errHash = errors.New("the hash does not match")
)

// signed is a message with its signed data, which is not decoded.
type signed struct {
	message.Envelope

	data []byte
}

func parseSigned(m []byte) (*signed, error) {
	s := new(signed)
	var hash, signature, signer []byte
	for len(m) > 0 {
		number, kind, n := protowire.ConsumeTag(m)
		if n < 0 || kind != protowire.BytesType {
			return nil, errForm
		}
		value, size := protowire.ConsumeBytes(m[n:])
		if size < 0 {
			return nil, errForm
		}
		m = m[n+size:]
		switch number {
		case dataField:
			s.data = value
		case hashField:
			hash = value
		case signatureField:
			signature = value
		case signerField:
			signer = value
		}
	}
	if len(hash) != ident.HashSize || len(signature) != message.SignatureSize || len(signer) != len(s.Signer) {
		return nil, errForm
	}
	s.Hash, s.Signer = message.Hash(hash), message.PublicKey(signer)
	s.Signature = [message.SignatureSize]byte(signature)
	return s, nil
}

func (s *signed) checkHash() error {
	if blake3.Sum256(s.data) != s.Hash {
		return errHash
	}
	return nil
}
