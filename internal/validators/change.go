// Package validators implements changes of the validator set: a change signed by validators, its encoding as a
// transaction, and the set that results from it.
//
// A block may end with one change. A change names the chain, its sequence number and the voting powers that it sets. It
// applies if validators with more than two thirds of the current voting power signed it. The resulting set is a row of
// the state, so it is available after replay and state sync and can be proven. Until the first change the validators are
// those of genesis.
//
// Invariants: a change has exactly one encoding, which is not the encoding of any message; a set is not empty, within the
// limits of genesis and sorted by public key; no change moves more than a third of the voting power, so that a light
// client that trusts one set can verify the next. The package is pure.
package validators

import (
	"encoding/binary"
	"errors"
	"fmt"

	"makechain/internal/genesis"
	"makechain/internal/ident"
)

// The first bytes of a change. No message starts with a zero byte, because protobuf has no field number 0.
const (
	marker  = 0x00
	version = 0x01
)

// SignatureSize is the length of an Ed25519 signature in bytes.
const SignatureSize = 64

// Sizes of the parts of an encoded change, in bytes.
const (
	headSize   = 3 // marker, version, length of the chain id
	numberSize = 8
	countSize  = 2
)

// Change sets the voting powers of some validators. Both lists are sorted by key without duplicates.
type Change struct {
	ChainID    string
	Sequence   uint64 // the sequence of the resulting set
	Validators []Validator
	Signatures []Signature
}

// Signature is the signature of a validator on a change.
type Signature struct {
	Key       ident.PublicKey
	Signature [SignatureSize]byte
}

// IsChange reports whether a transaction is a change. All other transactions are messages.
func IsChange(tx []byte) bool { return len(tx) > 0 && tx[0] == marker }

// Split splits the transactions of a block into the messages and the change at the end, nil if there is none.
func Split(transactions [][]byte) (messages [][]byte, change []byte) {
	if last := len(transactions) - 1; last >= 0 && IsChange(transactions[last]) {
		return transactions[:last], transactions[last]
	}
	return transactions, nil
}

// Encode returns the change as a transaction.
func (c *Change) Encode() []byte {
	encoded := binary.BigEndian.AppendUint16(c.content(), uint16(len(c.Signatures)))
	for _, s := range c.Signatures {
		encoded = append(append(encoded, s.Key[:]...), s.Signature[:]...)
	}
	return encoded
}

// content returns the part of the encoding that is signed.
func (c *Change) content() []byte {
	encoded := append([]byte{marker, version, byte(len(c.ChainID))}, c.ChainID...)
	encoded = binary.BigEndian.AppendUint64(encoded, c.Sequence)
	encoded = binary.BigEndian.AppendUint16(encoded, uint16(len(c.Validators)))
	for _, v := range c.Validators {
		encoded = binary.BigEndian.AppendUint64(append(encoded, v.Key[:]...), uint64(v.Power))
	}
	return encoded
}

// Decode decodes a transaction. It accepts exactly the output of Encode.
func Decode(tx []byte) (*Change, error) {
	r := &reader{remaining: tx}
	if head := r.take(headSize); head == nil || head[0] != marker || head[1] != version {
		return nil, errors.New("validator change: unknown version")
	}
	c := &Change{ChainID: string(r.take(int(tx[2])))}
	c.Sequence = r.number(numberSize)
	for n := r.number(countSize); n > 0 && !r.short; n-- {
		key := r.key()
		c.Validators = append(c.Validators, Validator{Key: key, Power: int64(r.number(numberSize))})
	}
	for n := r.number(countSize); n > 0 && !r.short; n-- {
		signed := Signature{Key: r.key()}
		copy(signed.Signature[:], r.take(SignatureSize))
		c.Signatures = append(c.Signatures, signed)
	}
	if r.short || len(r.remaining) > 0 {
		return nil, errors.New("validator change: truncated or too long")
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("validator change: %w", err)
	}
	return c, nil
}

// check validates the parts of a change that do not depend on the current set.
func (c *Change) check() error {
	if c.ChainID == "" || len(c.ChainID) > genesis.MaxChainIDLength {
		return fmt.Errorf("chain id of %d bytes, want 1 to %d", len(c.ChainID), genesis.MaxChainIDLength)
	}
	if c.Sequence == 0 {
		return errors.New("sequence is 0, which is the genesis set")
	}
	if len(c.Validators) == 0 || len(c.Validators) > genesis.MaxValidators || len(c.Signatures) > genesis.MaxValidators {
		return fmt.Errorf("%d validators and %d signatures, want 1 to %d validators and at most as many signatures",
			len(c.Validators), len(c.Signatures), genesis.MaxValidators)
	}
	for i, v := range c.Validators {
		if v.Key.SmallOrder() { // as a key of zeros is
			return fmt.Errorf("the key of validator %s is of small order", v.Key)
		}
		if v.Power < 0 || v.Power > genesis.MaxTotalPower {
			return fmt.Errorf("validator %s has power %d, want 0 to %d", v.Key, v.Power, int64(genesis.MaxTotalPower))
		}
		if i > 0 && byKey(c.Validators[i-1], v) >= 0 {
			return fmt.Errorf("validator %s is out of order or duplicate", v.Key)
		}
	}
	for i, s := range c.Signatures {
		if i > 0 && bySigner(c.Signatures[i-1], s) >= 0 {
			return fmt.Errorf("the signature of %s is out of order or duplicate", s.Key)
		}
	}
	return nil
}

// AppliedIn reports whether set is the result of the change, or of another change with the same effect.
func (c *Change) AppliedIn(set *Set) bool {
	if c.Sequence != set.Sequence {
		return false
	}
	for _, v := range c.Validators {
		if set.Power(v.Key) != v.Power {
			return false
		}
	}
	return true
}

// reader reads fields from the front of a byte slice. short is set when a field was missing.
type reader struct {
	remaining []byte
	short     bool
}

func (r *reader) take(size int) []byte {
	if r.short || len(r.remaining) < size {
		r.short = true
		return nil
	}
	field := r.remaining[:size]
	r.remaining = r.remaining[size:]
	return field
}

func (r *reader) number(size int) uint64 {
	var n uint64
	for _, b := range r.take(size) {
		n = n<<8 | uint64(b)
	}
	return n
}

func (r *reader) key() (key ident.PublicKey) {
	copy(key[:], r.take(len(key)))
	return key
}
