package mempool

import (
	"slices"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// Candidates selects the messages for the next block, and returns the visits that it reserves for those that search the
// commit graph, by hash. It takes one message of each sender in turn (round-robin) and keeps the order of each sender's
// messages. Senders that did not get a message into the last selection come first, so that none starves another.
//
// A block holds account messages before project messages, and projects by id (P6.1). A sender whose next message may
// depend on an order that this would reverse, or does not fit, contributes no further message to the block.
func (p *Pool) Candidates() (selected []*message.Envelope, reserved map[ident.Hash]int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	block := blockLimits{projects: make(map[ident.Hash]int), visits: p.visitors.grant()}
	reserved = make(map[ident.Hash]int)
	senders := p.activeSenders()
	cursors := make([]senderCursor, 0, len(senders))
	for _, s := range senders {
		cursors = append(cursors, senderCursor{sender: s, entries: s.entries()})
	}
	var waiting, served []*sender
	for first := true; len(cursors) > 0; first = false {
		remaining := cursors[:0]
		for _, c := range cursors {
			e := c.entries[0]
			fits := !block.full && c.keepsOrder(e.Envelope) && block.add(e)
			if first && fits {
				served = append(served, c.sender)
			} else if first {
				waiting = append(waiting, c.sender)
			}
			if !fits {
				continue
			}
			selected = append(selected, e.Envelope)
			if e.visits > 0 {
				reserved[e.Hash] = e.visits
			}
			if c.entries = c.entries[1:]; len(c.entries) > 0 {
				remaining = append(remaining, c)
			}
		}
		cursors = remaining
	}
	if len(served) > 1 && len(waiting) == 0 { // the next block starts with another sender
		served = append(served[1:], served[0])
	}
	p.active = slices.Concat(waiting, served)
	return selected, reserved
}

// Assembled corrects what the pool expects of messages that Candidates selected and the block did not hold: those that
// visit more commits than was reserved for them get the maximum.
func (p *Pool) Assembled(result *ledger.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, over := range result.OverLimit {
		if e := p.pending[over.Message.Hash]; e != nil {
			p.visitors.add(over.Owner, ledger.MaxOwnerVisits-e.visits)
			e.visits, e.visitsOwner = ledger.MaxOwnerVisits, over.Owner
		}
	}
}

// senderCursor is the position in one sender's messages during the selection for a block.
type senderCursor struct {
	sender   *sender
	entries  []*entry     // not selected yet
	projects []ident.Hash // of the project messages selected so far
}

// keepsOrder reports whether the block's order keeps m after the sender's earlier messages that m may depend on. It
// records the project of m.
func (c *senderCursor) keepsOrder(m *message.Envelope) bool {
	isSelected := func(project ident.Hash) bool { return slices.Contains(c.projects, project) }
	project, grouped := m.Project()
	if !grouped {
		return len(c.projects) == 0 || m.AffectsNoProject() && !slices.ContainsFunc(m.Projects(), isSelected)
	}
	if add := m.Data.GetMergeRequestAdd(); add != nil {
		if source, _ := ident.HashFrom(add.GetSourceProjectId()); isSelected(source) {
			return false
		}
	}
	if !isSelected(project) {
		c.projects = append(c.projects, project)
	}
	return true
}

// blockLimits counts selected messages against the limits of a block (P6.5).
type blockLimits struct {
	messages, bytes int
	projects        map[ident.Hash]int
	visits          map[ident.Address]int // left for the messages of each project owner
	full            bool
}

// add counts a message and reports whether it fits into the block.
func (b *blockLimits) add(e *entry) bool {
	if b.messages == ledger.MaxBlockMessages || b.bytes+len(e.Transaction()) > ledger.MaxBlockBytes {
		b.full = true
		return false
	}
	project, grouped := e.Project()
	if grouped && b.projects[project] == ledger.MaxProjectMessages || e.visits > 0 && b.visits[e.visitsOwner] < e.visits {
		return false
	}
	if grouped {
		b.projects[project]++
	}
	if e.visits > 0 {
		b.visits[e.visitsOwner] -= e.visits
	}
	b.messages++
	b.bytes += len(e.Transaction())
	return true
}
