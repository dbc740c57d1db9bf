package ledger

import (
	"bytes"
	"fmt"
	"slices"

	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// Limits of a block (P6.5).
const (
	MaxBlockMessages   = 10_000
	MaxProjectMessages = 500
	MaxBlockBytes      = 3 << 19 // 1.5 MiB
)

// Applied is a message of a block and its effects.
type Applied struct {
	Message *message.Envelope
	Effects *Effects
}

// Refused is a message that was left out of a block, and why.
type Refused struct {
	Message *message.Envelope
	Refusal *message.Refusal
}

// OverLimit is a deferred message whose graph searches visit more commits than the block had left for it.
type OverLimit struct {
	Message *message.Envelope
	Owner   ident.Address // the account against whose limit the visits count
}

// Result is the result of executing a block.
type Result struct {
	Applied []Applied // in the order of the block
	Changes []schema.Change
	// Set by Assemble only:
	Refused   []Refused
	Deferred  []*message.Envelope // did not fit or are too early; they may apply in a later block
	OverLimit []OverLimit

	// Reused is the number of messages whose executions were reused, those of Applied.
	Reused   int
	versions []rowVersion // of Changes
}

// AddRow adds a row that a block writes and that none of its messages has written.
func (r *Result) AddRow(row schema.Change) {
	at, _ := slices.BinarySearchFunc(r.Changes, row, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	if len(r.versions) == len(r.Changes) {
		r.versions = slices.Insert(r.versions, at, rowVersion{keyHash(row.Key), unrecorded})
	}
	r.Changes = slices.Insert(r.Changes, at, row)
}

// InvalidBlockError is returned for a proposed block that is not valid.
type InvalidBlockError struct {
	Index   int
	Refusal *message.Refusal // of the message at Index, if that is the reason
	Reason  string
}

func (e *InvalidBlockError) Error() string {
	if e.Refusal != nil {
		return fmt.Sprintf("message %d cannot apply: %v", e.Index, e.Refusal)
	}
	return fmt.Sprintf("message %d: %s", e.Index, e.Reason)
}

// Assemble builds a block from candidates: it orders them (P6.1), applies those that apply and leaves out the others.
// reserved holds the visits that candidates are expected to make, by hash: no other message uses these up.
func (l *Ledger) Assemble(view View, block Block, candidates []*message.Envelope, reserved map[ident.Hash]int) (*Result, error) {
	session, result := l.beginBlock(view, block, len(candidates)), &Result{}
	for _, visits := range reserved { // order: it is a sum
		session.limits.reserved += visits
	}
	var limits blockLimits
	// A message may depend on earlier messages of its author, or for the same project, so it is deferred with them.
	deferred, overLimit := make(map[ident.Address]bool), make(map[ident.Address]bool)
	for _, m := range Ordered(candidates) {
		session.limits.reserved -= reserved[m.Hash]
		if limits.exceeded(m) != "" || len(overLimit) > 0 && overLimit[session.visitsOwner(m)] {
			deferred[m.Owner] = true
			result.Deferred = append(result.Deferred, m)
			continue
		}
		t, refusal, err := session.apply(m)
		switch {
		case err != nil:
			return nil, err
		case t.overLimit:
			deferred[m.Owner], overLimit[t.effects.VisitsOwner] = true, true
			result.Deferred = append(result.Deferred, m)
			result.OverLimit = append(result.OverLimit, OverLimit{Message: m, Owner: t.effects.VisitsOwner})
		case refusal == nil:
			limits.add(m)
			result.Applied = append(result.Applied, Applied{Message: m, Effects: &t.effects})
		case refusal.Code == message.CodeTooEarly || deferred[m.Owner]:
			deferred[m.Owner] = true
			result.Deferred = append(result.Deferred, m)
		default:
			result.Refused = append(result.Refused, Refused{Message: m, Refusal: refusal})
		}
	}
	return session.finish(result)
}

// Execute applies a block as proposed. It returns an *InvalidBlockError for a block in the wrong order, beyond a limit or
// with a message that does not apply. Any other error means that the view could not be read.
func (l *Ledger) Execute(view View, block Block, messages []*message.Envelope) (*Result, error) {
	session, result := l.beginBlock(view, block, len(messages)), &Result{}
	var limits blockLimits
	for i, m := range messages {
		if i > 0 && sortKeyOf(messages[i-1]).compare(sortKeyOf(m)) > 0 {
			return nil, &InvalidBlockError{Index: i, Reason: "out of order: account messages come first, then project messages by project id"}
		}
		if reason := limits.exceeded(m); reason != "" {
			return nil, &InvalidBlockError{Index: i, Reason: reason}
		}
		t, refusal, err := session.apply(m)
		switch {
		case err != nil:
			return nil, err
		case t.overLimit:
			return nil, &InvalidBlockError{Index: i, Reason: fmt.Sprintf("the messages of a block visit at most %d commits, "+
				"those for the projects of one owner at most %d", MaxBlockVisits, MaxOwnerVisits)}
		case refusal != nil:
			return nil, &InvalidBlockError{Index: i, Refusal: refusal}
		}
		limits.add(m)
		result.Applied = append(result.Applied, Applied{Message: m, Effects: &t.effects})
	}
	return session.finish(result)
}

// finish sweeps removed projects, unless the block has no messages, and sets the changes of the block.
func (s *Session) finish(result *Result) (*Result, error) {
	if s.rows.err != nil { // of a block without messages
		return nil, s.rows.err
	}
	if len(result.Applied) > 0 {
		if err := s.Sweep(); err != nil {
			return nil, err
		}
	}
	result.Changes, result.versions = s.rows.changes()
	result.Reused = s.reused
	return result, nil
}

// beginBlock starts a session for a block of at most the given number of messages.
func (l *Ledger) beginBlock(view View, block Block, messages int) *Session {
	session := l.begin(view, block, min(messages, MaxBlockMessages))
	session.limits = &visitLimits{owners: make(map[ident.Address]int)}
	return session
}

// Ordered returns messages in block order: account messages first, then project messages by project id, in each group
// in the given order (P6.1).
func Ordered(messages []*message.Envelope) []*message.Envelope {
	keys := make([]sortKey, len(messages))
	for i, m := range messages {
		keys[i] = sortKeyOf(m)
	}
	slices.SortStableFunc(keys, sortKey.compare)
	ordered := make([]*message.Envelope, len(messages))
	for i, k := range keys {
		ordered[i] = k.message
	}
	return ordered
}

// sortKey determines the position of a message in a block.
type sortKey struct {
	message *message.Envelope
	grouped bool // the message belongs to a project
	project ident.Hash
}

func sortKeyOf(m *message.Envelope) sortKey {
	project, grouped := m.Project()
	return sortKey{message: m, grouped: grouped, project: project}
}

// compare returns 0 for messages whose order the proposer may choose.
func (k sortKey) compare(other sortKey) int {
	switch {
	case !k.grouped && !other.grouped:
		return 0
	case !k.grouped:
		return -1
	case !other.grouped:
		return 1
	}
	return bytes.Compare(k.project[:], other.project[:])
}

// blockLimits counts the messages and bytes of a block. Once the block is full no later message is accepted, so that no
// message overtakes one it may depend on.
type blockLimits struct {
	messages, bytes int
	project         ident.Hash
	projectMessages int
	closed          bool
}

// exceeded returns the limit that m would exceed, or the empty string.
func (c *blockLimits) exceeded(m *message.Envelope) string {
	project, grouped := m.Project()
	switch {
	case c.closed || c.messages >= MaxBlockMessages:
		c.closed = true
		return fmt.Sprintf("a block holds at most %d messages", MaxBlockMessages)
	case c.bytes+len(m.Transaction()) > MaxBlockBytes:
		c.closed = true
		return fmt.Sprintf("a block holds at most %d bytes", MaxBlockBytes)
	case grouped && project == c.project && c.projectMessages >= MaxProjectMessages:
		return fmt.Sprintf("a block holds at most %d messages of one project", MaxProjectMessages)
	}
	return ""
}

func (c *blockLimits) add(m *message.Envelope) {
	c.messages++
	c.bytes += len(m.Transaction())
	project, grouped := m.Project()
	if !grouped {
		return
	}
	if project != c.project {
		c.project, c.projectMessages = project, 0
	}
	c.projectMessages++
}
