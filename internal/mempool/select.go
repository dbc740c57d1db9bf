package mempool

import (
	"slices"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// Candidates selects the messages for the next block. It takes one message of each sender in turn (round-robin), so that
// no sender starves another, and keeps the order of each sender's messages.
//
// A block holds account messages before project messages, and projects by id (P6.1). A sender whose next message may
// depend on an order that this would reverse contributes no further message to the block.
func (p *Pool) Candidates() []*message.Envelope {
	p.mu.Lock()
	defer p.mu.Unlock()
	var selected []*message.Envelope
	block := blockLimits{projects: make(map[ident.Hash]int)}
	cursors := make([]senderCursor, 0, len(p.active))
	for _, s := range p.activeSenders() {
		cursors = append(cursors, senderCursor{entries: s.entries()})
	}
	for len(cursors) > 0 && !block.full {
		remaining := cursors[:0]
		for _, c := range cursors {
			m := c.entries[0].Envelope
			if block.full || !c.keepsOrder(m) || !block.add(m) {
				continue
			}
			selected = append(selected, m)
			if c.entries = c.entries[1:]; len(c.entries) > 0 {
				remaining = append(remaining, c)
			}
		}
		cursors = remaining
	}
	if len(p.active) > 1 { // the next block starts with another sender
		p.active = append(slices.Clone(p.active[1:]), p.active[0])
	}
	return selected
}

// senderCursor is the position in one sender's messages during the selection for a block.
type senderCursor struct {
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
	full            bool
}

// add counts a message and reports whether it fits into the block.
func (b *blockLimits) add(m *message.Envelope) bool {
	if b.messages == ledger.MaxBlockMessages || b.bytes+len(m.Transaction()) > ledger.MaxBlockBytes {
		b.full = true
		return false
	}
	if project, grouped := m.Project(); grouped {
		if b.projects[project] == ledger.MaxProjectMessages {
			return false
		}
		b.projects[project]++
	}
	b.messages++
	b.bytes += len(m.Transaction())
	return true
}
