// Package ledger implements the state transition: given a view of the state, a message and the block time, it returns
// the rows that change, or a refusal.
//
// It is a pure function of its input: no clock, no randomness, no goroutines, and no I/O except reads of the view. A
// message applies completely or not at all, and only if it changes the state. Every message must have passed
// message.Open or Decode, its signature check, Validate and CheckNetwork.
package ledger

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// View is a consistent view of the rows before a block.
type View interface {
	// Get returns the value at key, nil when there is no such row. The value stays valid and must not be modified.
	Get(key []byte) ([]byte, error)
	// Scan calls fn for every row with lower <= key < upper in ascending order until fn returns false. The
	// arguments of fn are valid only during the call.
	Scan(lower, upper []byte, fn func(key, value []byte) bool) error
}

// Params are the parameters of a chain that genesis fixes.
type Params struct {
	Network    pb.Network
	ChainID    string
	Rules      uint64 // the version of the rules; 0 is RulesVersion
	Settlement Settlement
}

// Block is the height and time of the block in which messages apply.
type Block struct {
	Height uint64
	Time   uint64 // unix seconds
}

// Committed is a decided block and its effects, as indexes, feeds and the mempool receive it.
type Committed struct {
	Block

	Hash    ident.Hash // the consensus engine's hash of the block
	Root    [32]byte   // the state root after the block
	Applied []Applied
	Changes []schema.Change
}

// Ledger applies messages with the parameters of one chain.
type Ledger struct {
	params Params
	reuse  *Reuse
}

// New returns a ledger for a chain with the given parameters.
func New(params Params) *Ledger { return &Ledger{params: params} }

// Effects lists what a message affected, for feeds and indexes.
type Effects struct {
	Accounts []ident.Address // the author first, then other affected accounts
	Projects []ident.Hash
	Ref      *RefChange
	// Reads is the number of rows that were read from the view, the cost of the message.
	Reads int
	// Visits is the number of commits that graph searches of the message visited (P6.5).
	Visits int
	// VisitsOwner is the account against whose limit the visits count. It is zero when there are none.
	VisitsOwner ident.Address
}

// RefChange is one entry of a ref log. A zero hash means that the ref did not exist before or after the change.
type RefChange struct {
	Project  ident.Hash
	Name     []byte
	Old, New ident.Hash
	Nonce    uint64
	Force    bool
	// TagObject is the tag object of the ref after the change, zero if there is none.
	TagObject ident.Hash
}

// Session applies messages one after another on top of a view and keeps the changed rows in memory.
type Session struct {
	params *Params
	block  Block
	rules  uint64 // the version in force
	rows   *overlay
	visits int          // commits visited by graph searches of all messages, refused ones included
	limits *visitLimits // nil for a session that is not a block
	failed *FailedSearches
	reuse  *Reuse // nil if every message is executed
	reused int    // messages whose executions were reused

	recording bool
	recorded  *Execution // of the last message, nil if it was not applied or cannot be reused
}

// Begin starts a session. The view must stay readable until the session is no longer used.
func (l *Ledger) Begin(view View, block Block) *Session { return l.begin(view, block, typicalPending) }

// begin starts a session with memory for the given number of messages.
func (l *Ledger) begin(view View, block Block, messages int) *Session {
	s := &Session{params: &l.params, block: block, rows: newOverlay(view, messages*rowsPerMessage, l.reuse.nextVersion()), reuse: l.reuse}
	rules, err := l.params.RulesIn(view, block.Height)
	s.rules = rules
	s.rows.fail(err)
	return s
}

const (
	// typicalPending is how many messages most senders have pending.
	typicalPending = 4
	// rowsPerMessage is how many rows most messages access that earlier messages of the session did not.
	rowsPerMessage = 4
)

// Changes returns the rows that differ from the view, in key order.
func (s *Session) Changes() []schema.Change {
	changes, _ := s.rows.changes()
	return changes
}

// Visits returns the number of commits that graph searches visited for all messages so far. It includes refused messages:
// the difference of two calls is the cost of the message between them.
func (s *Session) Visits() int { return s.visits }

// Bytes returns the approximate memory of the rows that the session has read and written.
func (s *Session) Bytes() int { return s.rows.bytes }

// Written returns the approximate memory of the rows that the last message wrote.
func (s *Session) Written() int { return s.rows.written() }

// Undo undoes the last message if it was applied. It must be called before the next Apply.
func (s *Session) Undo() { s.rows.rollback() }

// Trim drops the rows that were read but not written. They are read again when a message needs them.
func (s *Session) Trim() { s.rows.trim() }

// Remember lets the session use and extend a list of searches that failed before.
func (s *Session) Remember(failed *FailedSearches) { s.failed = failed }

// Apply applies one message, or returns a refusal and leaves the session unchanged. An error means that the view could
// not be read or contains rows that this ledger never writes; the session must not be used afterwards.
func (s *Session) Apply(m *message.Envelope) (*Effects, *message.Refusal, error) {
	return effectsOf(s.applyAgain(m, nil))
}

// effectsOf returns the result of Apply.
func effectsOf(t *transition, refusal *message.Refusal, err error) (*Effects, *message.Refusal, error) {
	if refusal != nil || err != nil {
		return nil, refusal, err
	}
	return &t.effects, nil, nil
}

// apply is Apply for a block. A message for which the block has no visits left is neither applied nor refused: overLimit
// of its transition is set.
func (s *Session) apply(m *message.Envelope) (*transition, *message.Refusal, error) {
	return s.applyAgain(m, s.find(m))
}

// applyAgain is apply for a message with a recorded execution, nil if there is none.
func (s *Session) applyAgain(m *message.Envelope, before *Execution) (*transition, *message.Refusal, error) {
	s.rows.commit()
	reads := s.rows.reads
	if t := s.replay(m, before); t != nil {
		t.effects.Reads = s.rows.reads - reads
		return t, nil, s.rows.err
	}
	t := &transition{Session: s, Envelope: m, times: allTimes(), effects: Effects{Accounts: []ident.Address{m.Owner}}}
	s.startRecord()
	refusal := t.run()
	t.addVisits()
	if s.rows.err != nil {
		return nil, nil, s.rows.err
	}
	if t.overLimit {
		s.rows.rollback()
		return t, nil, nil
	}
	if refusal == nil && !s.rows.changed() {
		refusal = refuse(message.CodeNothingNew, "the message changes nothing")
	}
	if refusal != nil {
		s.rows.rollback()
		return t, refusal, nil
	}
	t.effects.Reads = s.rows.reads - reads
	s.recorded = t.execution()
	return t, nil, nil
}
