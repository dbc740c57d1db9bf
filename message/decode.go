package message

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// MaxSize is the largest encoded message, in bytes (P2.8).
const MaxSize = 1 << 20

// Tags of the four fields of a transaction, in their order, and of the type inside the data.
const (
	dataTag      = 1<<3 | lengthWireType
	hashTag      = 2<<3 | lengthWireType
	signatureTag = 3<<3 | lengthWireType
	signerTag    = 4<<3 | lengthWireType
	typeTag      = 1<<3 | varintWireType
)

// Decode reads a transaction: the canonical encoding of a message with its data, hash, signature and signer
// and nothing else (P11.1). The signature and the rules of P5 are left to VerifySignature and Validate.
// It keeps no reference to tx.
func Decode(tx []byte) (*Envelope, *Refusal) {
	if len(tx) > MaxSize {
		return nil, tooLarge(len(tx))
	}
	parts, err := split(bytes.Clone(tx))
	if err != nil {
		return nil, Refuse(Verification, CodeMalformed, "%v", err)
	}
	if t, ok := claimedType(parts.data); ok && !knownType(t) {
		return nil, unknownType(t)
	}
	if err := dataTable().check(parts.data); err != nil {
		return nil, malformed("data", "not canonical: %v", err)
	}
	return parts.envelope()
}

// transaction is an encoded message and where its parts lie in it. Its data is canonical once it has been
// checked or was made by Canonical.
type transaction struct {
	tx                            []byte
	data, hash, signature, signer []byte
}

// join encodes a transaction.
func join(data, hash, signature, signer []byte) []byte {
	size := len(data) + len(hash) + len(signature) + len(signer) + 4*(1+binary.MaxVarintLen32)
	tx := appendField(make([]byte, 0, size), dataTag, data)
	tx = appendField(tx, hashTag, hash)
	tx = appendField(tx, signatureTag, signature)
	return appendField(tx, signerTag, signer)
}

func appendField(b []byte, tag byte, value []byte) []byte {
	b = binary.AppendUvarint(append(b, tag), uint64(len(value)))
	return append(b, value...)
}

// split finds the parts of a transaction without copying them. The three that follow the data have fixed
// sizes and may not be left out (P2.1), so there is only one way to write them.
func split(tx []byte) (t transaction, err error) {
	t.tx = tx
	rest := tx
	if t.data, rest, err = takeField(rest, "data", dataTag, 0); err != nil {
		return t, err
	}
	if t.hash, rest, err = takeField(rest, "hash", hashTag, ident.HashSize); err != nil {
		return t, err
	}
	if t.signature, rest, err = takeField(rest, "signature", signatureTag, SignatureSize); err != nil {
		return t, err
	}
	if t.signer, rest, err = takeField(rest, "signer", signerTag, ident.PublicKeySize); err != nil {
		return t, err
	}
	if len(rest) > 0 {
		return t, fmt.Errorf("%d bytes after the signer: a transaction has no other fields", len(rest))
	}
	return t, nil
}

// takeField reads the field that must come next; a want of 0 leaves its length open.
func takeField(b []byte, name string, tag byte, want int) (value, rest []byte, err error) {
	if len(b) == 0 || b[0] != tag {
		return nil, nil, fmt.Errorf("%s: missing or out of place", name)
	}
	length, n := readVarint(b[1:])
	if n == 0 {
		return nil, nil, fmt.Errorf("%s: %w", name, errVarint)
	}
	if want > 0 && length != uint64(want) {
		return nil, nil, fmt.Errorf("%s: %d bytes, want %d", name, length, want)
	}
	b = b[1+n:]
	if length > uint64(len(b)) {
		return nil, nil, fmt.Errorf("%s: %w", name, errLength)
	}
	return b[:length:length], b[length:], nil
}

// claimedType is the type that data says it is of, read before anything else: a type this protocol does not
// have usually comes with a body it does not have either, and the type is the better thing to complain about.
func claimedType(data []byte) (number uint64, ok bool) {
	if len(data) == 0 || data[0] != typeTag {
		return 0, false
	}
	number, n := readVarint(data[1:])
	return number, n > 0
}

// envelope makes an envelope of a transaction whose data is canonical. It takes the transaction's memory over.
func (t transaction) envelope() (*Envelope, *Refusal) {
	e := &Envelope{
		Data:      new(pb.MessageData),
		Hash:      Hash(t.hash),
		Signer:    PublicKey(t.signer),
		Signature: [SignatureSize]byte(t.signature),
		tx:        t.tx,
	}
	if blake3.Sum256(t.data) != e.Hash {
		return nil, Refuse(Verification, CodeHashMismatch, "hash: %s is not the hash of data", e.Hash)
	}
	if err := proto.Unmarshal(t.data, e.Data); err != nil {
		return nil, malformed("data", "%v", err)
	}
	if refusal := e.readData(); refusal != nil {
		return nil, refusal
	}
	return e, nil
}

// readData checks what every message has in common: a known type with its body, a network and an owner.
func (e *Envelope) readData() *Refusal {
	if !knownType(uint64(e.Type())) {
		return unknownType(uint64(e.Type()))
	}
	if !e.kind().hasBody(e.Data) {
		return malformed("body", "%s needs exactly the body %s", typeName(e.Type()), bodyName(e.Type()))
	}
	if n := e.Data.GetNetwork(); n == pb.Network_NETWORK_NONE || pb.Network_name[int32(n)] == "" {
		return Refuse(Verification, CodeWrongNetwork, "network: %d is none of mainnet, testnet and devnet", n)
	}
	owner, ok := ident.AddressFrom(e.Data.GetOwnerAddress())
	if !ok {
		return malformed("owner_address", "%d bytes, want %d", len(e.Data.GetOwnerAddress()), ident.AddressSize)
	}
	e.Owner = owner
	return nil
}

// malformed makes a refusal of the verification stage that names a field.
func malformed(field, format string, args ...any) *Refusal {
	r := Refuse(Verification, CodeMalformed, format, args...)
	r.Field, r.Reason = field, field+": "+r.Reason
	return r
}

func tooLarge(size int) *Refusal {
	return Refuse(Verification, CodeTooLarge, "%d bytes, at most %d", size, MaxSize)
}

func unknownType(number uint64) *Refusal {
	return Refuse(Verification, CodeUnknownType, "type: %d is not a message type", int32(number))
}
