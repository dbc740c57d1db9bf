package ledger

import (
	"bytes"
	"fmt"
	"slices"

	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// What a block may hold (P6.5).
const (
	MaxBlockMessages   = 10_000
	MaxProjectMessages = 500
	MaxBlockBytes      = 3 << 19 // 1.5 MiB
	// MaxBlockVisits is how many commits the messages of a block may visit, in searches for ancestors and for what
	// refs reach, before the block is full. It bounds what a graph made to be slow can cost.
	MaxBlockVisits = 100_000
)

// Applied is a message of a block and what it did.
type Applied struct {
	Message *message.Envelope
	Effects *Effects
}

// Refused is a message that was left out, and why.
type Refused struct {
	Message *message.Envelope
	Refusal *message.Refusal
}

// Result is what executing a block comes to.
type Result struct {
	Applied []Applied // in the order of the block
	Changes []schema.Change
	// Only when a block is assembled:
	Refused  []Refused
	Deferred []*message.Envelope // did not fit, or wait for a later block's time; worth another try
}

// InvalidBlockError says why a proposed block breaks the rules.
type InvalidBlockError struct {
	Index   int
	Refusal *message.Refusal // of the message at Index, when that is the reason
	Reason  string
}

func (e *InvalidBlockError) Error() string {
	if e.Refusal != nil {
		return fmt.Sprintf("message %d cannot apply: %v", e.Index, e.Refusal)
	}
	return fmt.Sprintf("message %d: %s", e.Index, e.Reason)
}

// Assemble makes a block of candidates: it orders them (P6.1), applies what applies and leaves out the rest.
func (l *Ledger) Assemble(view View, block Block, candidates []*message.Envelope) (*Result, error) {
	session, result := l.begin(view, block, min(len(candidates), MaxBlockMessages)), &Result{}
	var caps blockCaps
	// What an author sends may rest on what the author sent before, so it waits with it.
	waiting := make(map[ident.Address]bool)
	for _, m := range Ordered(candidates) {
		if caps.full(m, session.visits) != "" {
			waiting[m.Owner] = true
			result.Deferred = append(result.Deferred, m)
			continue
		}
		touched, refusal, err := session.Apply(m)
		switch {
		case err != nil:
			return nil, err
		case refusal == nil:
			caps.add(m)
			result.Applied = append(result.Applied, Applied{Message: m, Effects: touched})
		case refusal.Code == message.CodeTooEarly || waiting[m.Owner]:
			waiting[m.Owner] = true
			result.Deferred = append(result.Deferred, m)
		default:
			result.Refused = append(result.Refused, Refused{Message: m, Refusal: refusal})
		}
	}
	result.Changes = session.Changes()
	return result, nil
}

// Execute applies a block as proposed. An *InvalidBlockError refuses the block: wrong order, over a cap, or
// a message that cannot apply. Any other error is a failure to read the view.
func (l *Ledger) Execute(view View, block Block, messages []*message.Envelope) (*Result, error) {
	session, result := l.begin(view, block, min(len(messages), MaxBlockMessages)), &Result{}
	var caps blockCaps
	for i, m := range messages {
		if i > 0 && placeOf(messages[i-1]).compare(placeOf(m)) > 0 {
			return nil, &InvalidBlockError{Index: i, Reason: "out of order: account messages come first, then projects by id"}
		}
		if over := caps.full(m, session.visits); over != "" {
			return nil, &InvalidBlockError{Index: i, Reason: over}
		}
		touched, refusal, err := session.Apply(m)
		if err != nil {
			return nil, err
		}
		if refusal != nil {
			return nil, &InvalidBlockError{Index: i, Refusal: refusal}
		}
		caps.add(m)
		result.Applied = append(result.Applied, Applied{Message: m, Effects: touched})
	}
	result.Changes = session.Changes()
	return result, nil
}

// Ordered arranges messages as a block holds them: account messages first, then project messages grouped
// by project id, each in the order given (P6.1).
func Ordered(messages []*message.Envelope) []*message.Envelope {
	places := make([]place, len(messages))
	for i, m := range messages {
		places[i] = placeOf(m)
	}
	slices.SortStableFunc(places, place.compare)
	ordered := make([]*message.Envelope, len(messages))
	for i, p := range places {
		ordered[i] = p.message
	}
	return ordered
}

// place is where a message stands in a block.
type place struct {
	message *message.Envelope
	grouped bool // it is a message of a project
	project ident.Hash
}

func placeOf(m *message.Envelope) place {
	project, grouped := m.Project()
	return place{message: m, grouped: grouped, project: project}
}

// compare is 0 for messages whose order is the proposer's to choose.
func (p place) compare(other place) int {
	switch {
	case !p.grouped && !other.grouped:
		return 0
	case !p.grouped:
		return -1
	case !other.grouped:
		return 1
	}
	return bytes.Compare(p.project[:], other.project[:])
}

// blockCaps counts what a block holds while it grows. Once a message did not fit, nothing later does, so
// that no message overtakes one it may depend on.
type blockCaps struct {
	messages, bytes int
	project         ident.Hash
	ofProject       int
	closed          bool
}

// full says why m does not fit any more, or nothing.
func (c *blockCaps) full(m *message.Envelope, visits int) string {
	project, grouped := m.Project()
	switch {
	case c.closed || c.messages >= MaxBlockMessages:
		c.closed = true
		return fmt.Sprintf("a block holds at most %d messages", MaxBlockMessages)
	case visits >= MaxBlockVisits:
		c.closed = true
		return fmt.Sprintf("the messages of a block visit at most %d commits", MaxBlockVisits)
	case c.bytes+len(m.Transaction()) > MaxBlockBytes:
		c.closed = true
		return fmt.Sprintf("a block holds at most %d bytes", MaxBlockBytes)
	case grouped && project == c.project && c.ofProject >= MaxProjectMessages:
		return fmt.Sprintf("a block holds at most %d messages of one project", MaxProjectMessages)
	}
	return ""
}

func (c *blockCaps) add(m *message.Envelope) {
	c.messages++
	c.bytes += len(m.Transaction())
	project, grouped := m.Project()
	if !grouped {
		return
	}
	if project != c.project {
		c.project, c.ofProject = project, 0
	}
	c.ofProject++
}
