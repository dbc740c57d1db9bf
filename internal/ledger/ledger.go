// Package ledger is the state transition: a view of the state, a message and the block's time go in, the
// rows it changes or a refusal come out.
//
// It is a pure function of its input: no clock, no randomness, no goroutine, no input or output but the
// reads of the view. A message applies whole or not at all, and applies only if it changes state. Every
// message handed to it has passed message.Open or Decode, its signature check, Validate and CheckNetwork.
package ledger

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// View is a consistent picture of the rows before a block.
type View interface {
	// Get returns the value at key, nil when there is no such row. It stays valid and is not modified.
	Get(key []byte) ([]byte, error)
	// Scan calls fn for every row with lower <= key < upper in ascending order until fn returns false.
	// What fn is given is valid only during the call.
	Scan(lower, upper []byte, fn func(key, value []byte) bool) error
}

// Params are what genesis fixes for the life of a chain.
type Params struct {
	Network pb.Network
	// Attesters may vouch for storage claims; Threshold of them must. Without attesters no claim applies.
	Attesters []ident.PublicKey
	Threshold int
}

// Block is where a message applies.
type Block struct {
	Height uint64
	Time   uint64 // unix seconds
}

// Ledger applies messages under the rules of one chain.
type Ledger struct {
	params Params
}

// New makes the ledger of a chain.
func New(params Params) *Ledger { return &Ledger{params: params} }

// Effects says what a message changed, for those who keep feeds and indexes.
type Effects struct {
	Accounts []ident.Address // the author first, then those it acted upon
	Projects []ident.Hash
	Ref      *RefChange
	// Reads counts the rows that had to be fetched from the view: what the message cost.
	Reads int
}

// RefChange is one line of a ref's log. A zero hash means that the ref did not exist before or after.
type RefChange struct {
	Project  ident.Hash
	Name     []byte
	Old, New ident.Hash
	Nonce    uint64
	Force    bool
}

// Session applies messages one after another on top of a view and keeps what they change in memory.
type Session struct {
	params *Params
	block  Block
	rows   *overlay
	visits int // commits that searches went through
}

// Begin starts a session. The view must stay readable until the session is no longer used.
func (l *Ledger) Begin(view View, block Block) *Session { return l.begin(view, block, fewMessages) }

// begin starts a session for about as many messages.
func (l *Ledger) begin(view View, block Block, messages int) *Session {
	return &Session{params: &l.params, block: block, rows: newOverlay(view, messages*rowsPerMessage)}
}

const (
	// fewMessages is what most senders have pending.
	fewMessages = 4
	// rowsPerMessage is how many rows most messages read or write that those before them did not.
	rowsPerMessage = 4
)

// Changes lists the rows that differ from the view, in key order.
func (s *Session) Changes() []schema.Change { return s.rows.changes() }

// Apply applies one message, or refuses it and leaves the session as it was. An error means that the view
// could not be read or holds what this ledger never wrote; the session is of no use afterwards.
func (s *Session) Apply(m *message.Envelope) (*Effects, *message.Refusal, error) {
	s.rows.settle()
	reads := s.rows.reads
	step := &step{Session: s, Envelope: m, touched: Effects{Accounts: []ident.Address{m.Owner}}}
	refusal := step.run()
	if s.rows.err != nil {
		return nil, nil, s.rows.err
	}
	if refusal == nil && !s.rows.changed() {
		refusal = refuse(message.CodeNothingNew, "the message changes nothing")
	}
	if refusal != nil {
		s.rows.rollback()
		return nil, refusal, nil
	}
	step.touched.Reads = s.rows.reads - reads
	return &step.touched, nil, nil
}
