package message

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Envelope is a message whose encoding and hash have been checked: what the rest of the program works on.
// It is immutable, and made by Open, Decode or an Author.
type Envelope struct {
	Data      *pb.MessageData
	Hash      ident.Hash
	Owner     ident.Address
	Signer    ident.PublicKey
	Signature [64]byte

	tx []byte
}

// Transaction is the canonical encoding of the message as it stands in a block (P11.1).
func (e *Envelope) Transaction() []byte { return e.tx }
