// Package validators implements the changes that the validators of a chain decide: of the validator set, of the settlement,
// and of the version of the rules. It has the encoding of a change as a transaction, its signatures, and the state that results from it.
//
// A block may end with one change. A change names the chain, its sequence number and what it sets. It applies if validators
// with more than two thirds of the current voting power signed it. What it sets is a row of the state, so it is available
// after replay and state sync and can be proven. Until the first change of a kind, genesis applies. Each kind has a sequence
// of its own.
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

// marker is the first byte of a change. No message starts with a zero byte, because protobuf has no field number 0. The
// second byte is the number of its kind.
const marker = 0x00

// SignatureSize is the length of an Ed25519 signature in bytes.
const SignatureSize = 64

// Sizes of the parts of an encoded change, in bytes.
const (
	headSize   = 3 // marker, kind, length of the chain id
	numberSize = 8
	countSize  = 2
)

// Change sets a part of the state. Signatures are sorted by key without duplicates.
type Change struct {
	ChainID    string
	Sequence   uint64 // of the resulting row: the number of changes of this kind since genesis
	Content    Content
	Signatures []Signature
}

// Content is what a change sets: Powers, Settlement or Activation.
type Content interface {
	kind() *kind
	// encode appends the encoding.
	encode(encoded []byte) []byte
	// check validates what does not depend on the chain.
	check() error
	// document sets the field of the JSON form.
	document(file *changeJSON)
	// sequence returns the number of changes of this kind that led to a state.
	sequence(state *State) uint64
	// appliedIn reports whether a state has the content.
	appliedIn(state *State) bool
	// apply returns the result of a change with this content whose chain and sequence number are right.
	apply(r *Rules, state *State) (*Applied, error)
}

// kind is a kind of changes.
type kind struct {
	number byte   // second byte of the transaction
	name   string // in errors and logs
	domain string // separates signatures of these changes from all others
	row    []byte // key of the row that they write
	decode func(r *reader) Content
}

// kindOf returns the kind with a number, nil if there is none.
func kindOf(number byte) *kind {
	switch number {
	case powersNumber:
		return powersKind()
	case settlementNumber:
		return settlementKind()
	case activationNumber:
		return activationKind()
	default:
		return nil
	}
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

// New returns an unsigned change that follows a state.
func New(chainID string, state *State, content Content) *Change {
	return &Change{ChainID: chainID, Sequence: content.sequence(state) + 1, Content: content}
}

// Name returns what kind of change it is, as in "validator change".
func (c *Change) Name() string { return c.Content.kind().name }

// Encode returns the change as a transaction.
func (c *Change) Encode() []byte {
	encoded := binary.BigEndian.AppendUint16(c.signed(), uint16(len(c.Signatures)))
	for _, s := range c.Signatures {
		encoded = append(append(encoded, s.Key[:]...), s.Signature[:]...)
	}
	return encoded
}

// signed returns the part of the encoding that is signed.
func (c *Change) signed() []byte {
	encoded := append([]byte{marker, c.Content.kind().number, byte(len(c.ChainID))}, c.ChainID...)
	return c.Content.encode(binary.BigEndian.AppendUint64(encoded, c.Sequence))
}

// Decode decodes a transaction. It accepts exactly the output of Encode.
func Decode(tx []byte) (*Change, error) {
	r := &reader{remaining: tx}
	head := r.take(headSize)
	if head == nil || head[0] != marker || kindOf(head[1]) == nil {
		return nil, errors.New("change: unknown kind")
	}
	of := kindOf(head[1])
	c := &Change{ChainID: string(r.take(int(head[2])))}
	c.Sequence = r.number(numberSize)
	c.Content = of.decode(r)
	for n := r.number(countSize); n > 0 && !r.short; n-- {
		signed := Signature{Key: r.key()}
		copy(signed.Signature[:], r.take(SignatureSize))
		c.Signatures = append(c.Signatures, signed)
	}
	if r.short || len(r.remaining) > 0 {
		return nil, fmt.Errorf("%s: truncated or too long", of.name)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", of.name, err)
	}
	return c, nil
}

// check validates the parts of a change that do not depend on the state.
func (c *Change) check() error {
	if c.ChainID == "" || len(c.ChainID) > genesis.MaxChainIDLength {
		return fmt.Errorf("chain id of %d bytes, want 1 to %d", len(c.ChainID), genesis.MaxChainIDLength)
	}
	if c.Sequence == 0 {
		return errors.New("sequence is 0, which is that of genesis")
	}
	if len(c.Signatures) > genesis.MaxValidators {
		return fmt.Errorf("%d signatures, want at most %d", len(c.Signatures), genesis.MaxValidators)
	}
	if err := c.Content.check(); err != nil {
		return err
	}
	for i, s := range c.Signatures {
		if i > 0 && bySigner(c.Signatures[i-1], s) >= 0 {
			return fmt.Errorf("the signature of %s is out of order or duplicate", s.Key)
		}
	}
	return nil
}

// AppliedIn reports whether a state is the result of the change, or of another change with the same effect.
func (c *Change) AppliedIn(state *State) bool {
	return c.Sequence == c.Content.sequence(state) && c.Content.appliedIn(state)
}

// NextSequence returns the sequence number of the next change of this kind.
func (c *Change) NextSequence(state *State) uint64 { return c.Content.sequence(state) + 1 }

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
