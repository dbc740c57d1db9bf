package validators

import (
	"encoding/binary"
	"errors"
	"fmt"

	"makechain/internal/genesis"
	"makechain/internal/ident"
)

// The first bytes of a change. No message begins with a zero: in protobuf no field has the number 0.
const (
	marker  = 0x00
	version = 0x01
)

// SignatureSize is the length of an Ed25519 signature.
const SignatureSize = 64

// Sizes of what a change is made of.
const (
	headSize   = 3 // marker, version, length of the chain id
	numberSize = 8
	countSize  = 2
)

// Change sets the powers of some validators. Both lists are ordered by key, each key there once.
type Change struct {
	ChainID    string
	Sequence   uint64 // that of the set it leads to
	Validators []Validator
	Signatures []Signature
}

// Signature is a validator's consent.
type Signature struct {
	Key       ident.PublicKey
	Signature [SignatureSize]byte
}

// IsChange says whether a transaction is meant to be a change. All others are meant to be messages.
func IsChange(tx []byte) bool { return len(tx) > 0 && tx[0] == marker }

// Split parts the transactions of a block into its messages and the change that it ends with, if it does.
func Split(transactions [][]byte) (messages [][]byte, change []byte) {
	if last := len(transactions) - 1; last >= 0 && IsChange(transactions[last]) {
		return transactions[:last], transactions[last]
	}
	return transactions, nil
}

// Encode is the change as a transaction.
func (c *Change) Encode() []byte {
	encoded := binary.BigEndian.AppendUint16(c.content(), uint16(len(c.Signatures)))
	for _, s := range c.Signatures {
		encoded = append(append(encoded, s.Key[:]...), s.Signature[:]...)
	}
	return encoded
}

// content is the part of the encoding that is signed.
func (c *Change) content() []byte {
	encoded := append([]byte{marker, version, byte(len(c.ChainID))}, c.ChainID...)
	encoded = binary.BigEndian.AppendUint64(encoded, c.Sequence)
	encoded = binary.BigEndian.AppendUint16(encoded, uint16(len(c.Validators)))
	for _, v := range c.Validators {
		encoded = binary.BigEndian.AppendUint64(append(encoded, v.Key[:]...), uint64(v.Power))
	}
	return encoded
}

// Decode reads a transaction that Encode wrote, and no other.
func Decode(tx []byte) (*Change, error) {
	r := &reader{rest: tx}
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
	if r.short || len(r.rest) > 0 {
		return nil, errors.New("validator change: cut short or too long")
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("validator change: %w", err)
	}
	return c, nil
}

// check says what is wrong with a change, whatever the set it is for.
func (c *Change) check() error {
	if c.ChainID == "" || len(c.ChainID) > genesis.MaxChainIDLength {
		return fmt.Errorf("chain id of %d bytes, want 1 to %d", len(c.ChainID), genesis.MaxChainIDLength)
	}
	if c.Sequence == 0 {
		return errors.New("sequence 0 is that of genesis")
	}
	if len(c.Validators) == 0 || len(c.Validators) > genesis.MaxValidators || len(c.Signatures) > genesis.MaxValidators {
		return fmt.Errorf("%d validators and %d signatures, want 1 to %d and at most as many", len(c.Validators), len(c.Signatures), genesis.MaxValidators)
	}
	for i, v := range c.Validators {
		if v.Key == (ident.PublicKey{}) || v.Power < 0 || v.Power > genesis.MaxTotalPower {
			return fmt.Errorf("validator %s with power %d", v.Key, v.Power)
		}
		if i > 0 && byKey(c.Validators[i-1], v) >= 0 {
			return fmt.Errorf("validator %s is out of order or there twice", v.Key)
		}
	}
	for i, s := range c.Signatures {
		if i > 0 && bySigner(c.Signatures[i-1], s) >= 0 {
			return fmt.Errorf("the signature of %s is out of order or there twice", s.Key)
		}
	}
	return nil
}

// LedTo says whether a set is the one that followed from the change, or from another with the same effect.
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

// reader takes fields off the front and remembers that one was missing.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) take(size int) []byte {
	if r.short || len(r.rest) < size {
		r.short = true
		return nil
	}
	taken := r.rest[:size]
	r.rest = r.rest[size:]
	return taken
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
