package message

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// MaxSize is the largest encoded message, in bytes (P2.8).
const MaxSize = 1 << 20

// Tags of the four fields of a transaction, in order, and of the type inside the data.
const (
	dataTag      = 1<<3 | lengthWireType
	hashTag      = 2<<3 | lengthWireType
	signatureTag = 3<<3 | lengthWireType
	signerTag    = 4<<3 | lengthWireType
	typeTag      = 1<<3 | varintWireType
)

// Decode decodes a transaction: the canonical encoding of a message with its data, hash, signature and signer and
// nothing else (P11.1). It does not check the signature or the rules of P5, except the lengths of lists; see VerifySignature
// and Validate. It keeps no reference to tx.
func Decode(tx []byte) (*Envelope, *Refusal) {
	if len(tx) > MaxSize {
		return nil, tooLarge(len(tx))
	}
	parts, refusal := split(bytes.Clone(tx))
	if refusal != nil {
		return nil, refusal
	}
	if t, ok := claimedType(parts.data); ok && !isType(t) {
		return nil, unknownType(t)
	}
	err := boundedTable().check(parts.data)
	if long := (*listError)(nil); errors.As(err, &long) {
		return nil, Invalid(long.path, "more than %d elements", long.limit)
	} else if err != nil {
		return nil, refuseField(CodeMalformed, "data", "not canonical: %v", err)
	}
	return parts.envelope()
}

// HashOf returns the hash field of a transaction without any check, for fast lookups.
func HashOf(tx []byte) (hash Hash, ok bool) {
	const after = 2 + SignatureSize + 2 + ident.PublicKeySize // a tag and a length before each
	if len(tx) < after+ident.HashSize {
		return hash, false
	}
	copy(hash[:], tx[len(tx)-after-ident.HashSize:])
	return hash, true
}

// seal returns the envelope of canonical data with its hash, signature and signer.
func seal(data, hash, signature, signer []byte) (*Envelope, *Refusal) {
	tx := join(data, hash, signature, signer)
	if len(tx) > MaxSize {
		return nil, tooLarge(len(tx))
	}
	parts, refusal := split(tx)
	if refusal != nil {
		return nil, refusal
	}
	return parts.envelope()
}

// transaction is an encoded message with slices of its parts.
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

// split finds the parts of a transaction without copying them. The three after the data have fixed sizes and are
// required (P2.1), so each has exactly one encoding.
func split(tx []byte) (transaction, *Refusal) {
	t := transaction{tx: tx}
	remaining := tx
	for _, field := range []struct {
		name  string
		tag   byte
		size  int // 0 for any size
		value *[]byte
	}{
		{"data", dataTag, 0, &t.data},
		{"hash", hashTag, ident.HashSize, &t.hash},
		{"signature", signatureTag, SignatureSize, &t.signature},
		{"signer", signerTag, ident.PublicKeySize, &t.signer},
	} {
		if len(remaining) == 0 || remaining[0] != field.tag {
			return t, refuseField(CodeMalformed, field.name, "missing or out of order")
		}
		length, n := readVarint(remaining[1:])
		if n == 0 {
			return t, refuseField(CodeMalformed, field.name, "%v", errVarint)
		}
		if field.size > 0 && length != uint64(field.size) {
			return t, refuseField(CodeMalformed, field.name, "%d bytes, want %d", length, field.size)
		}
		remaining = remaining[1+n:]
		if length > uint64(len(remaining)) {
			return t, refuseField(CodeMalformed, field.name, "%v", errLength)
		}
		*field.value, remaining = remaining[:length], remaining[length:]
	}
	if len(remaining) > 0 {
		return t, Refuse(Verification, CodeMalformed, "%d bytes after the signer, want none", len(remaining))
	}
	return t, nil
}

// claimedType returns the type in the first field of data. It is read before the canonical check because an unknown
// type usually comes with an unknown body, and the type is the better reason for a refusal.
func claimedType(data []byte) (number int64, ok bool) {
	if len(data) == 0 || data[0] != typeTag {
		return 0, false
	}
	value, n := readVarint(data[1:])
	return int64(value), n > 0
}

// envelope returns the envelope of a transaction whose data is canonical. The envelope keeps the transaction's memory.
func (t transaction) envelope() (*Envelope, *Refusal) {
	e := &Envelope{
		Data:      new(pb.MessageData),
		Hash:      Hash(t.hash),
		Signer:    PublicKey(t.signer),
		Signature: [SignatureSize]byte(t.signature),
		tx:        t.tx,
	}
	if blake3.Sum256(t.data) != e.Hash {
		return nil, refuseField(CodeHashMismatch, "hash", "%s is not the hash of data", e.Hash)
	}
	if err := proto.Unmarshal(t.data, e.Data); err != nil {
		return nil, refuseField(CodeMalformed, "data", "%v", err)
	}
	if refusal := e.readData(); refusal != nil {
		return nil, refusal
	}
	return e, nil
}

// readData checks the fields that every message has: a known type with its body, a network and an owner.
func (e *Envelope) readData() *Refusal {
	if !IsType(e.Type()) {
		return unknownType(int64(e.Type()))
	}
	if !e.kind().hasBody(e.Data) {
		return refuseField(CodeMalformed, "body", "%s needs exactly the body %s", typeName(e.Type()), bodyName(e.Type()))
	}
	if n := e.Data.GetNetwork(); n == pb.Network_NETWORK_NONE || pb.Network_name[int32(n)] == "" {
		return refuseField(CodeWrongNetwork, "network", "%d is none of mainnet, testnet and devnet", n)
	}
	owner, ok := ident.AddressFrom(e.Data.GetOwnerAddress())
	if !ok {
		return refuseField(CodeMalformed, "owner_address", "%d bytes, want %d", len(e.Data.GetOwnerAddress()), ident.AddressSize)
	}
	e.Owner = owner
	return nil
}

// DecodeValid decodes a transaction and makes all checks that need neither the state nor the signature: Decode,
// CheckNetwork and Validate.
func DecodeValid(tx []byte, network pb.Network) (*Envelope, *Refusal) {
	e, refusal := Decode(tx)
	if refusal == nil {
		refusal = e.CheckNetwork(network)
	}
	if refusal == nil {
		refusal = e.Validate()
	}
	if refusal != nil {
		return nil, refusal
	}
	return e, nil
}

// refuseField returns a refusal of the verification stage that names a field.
func refuseField(code Code, field, format string, args ...any) *Refusal {
	r := Refuse(Verification, code, format, args...)
	r.Field, r.Reason = field, field+": "+r.Reason
	return r
}

func tooLarge(size int) *Refusal {
	return Refuse(Verification, CodeTooLarge, "%d bytes, at most %d", size, MaxSize)
}

func unknownType(number int64) *Refusal {
	return refuseField(CodeUnknownType, "type", "%d is not a message type", number)
}
