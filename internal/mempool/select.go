package mempool

import (
	"slices"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// Candidates chooses what to make the next block of. Senders take turns, a message each, so that none starves another,
// and a sender's messages are chosen in their order. What one block cannot hold stays for the next.
//
// A block holds account messages before project messages, and projects by id (P6.1). A sender whose next
// message may rely on the order it was sent in, which that arrangement would turn round, waits for the next block.
func (p *Pool) Candidates() []*message.Envelope {
	p.mu.Lock()
	defer p.mu.Unlock()
	var chosen []*message.Envelope
	room := selection{projects: make(map[ident.Hash]int)}
	turns := make([]turn, 0, len(p.ring))
	for _, s := range p.turns() {
		turns = append(turns, turn{queue: s.waiting()})
	}
	for len(turns) > 0 && !room.full {
		left := turns[:0]
		for _, t := range turns {
			m := t.queue[0].Envelope
			if room.full || !t.inOrder(m) || !room.take(m) {
				continue
			}
			chosen = append(chosen, m)
			if t.queue = t.queue[1:]; len(t.queue) > 0 {
				left = append(left, t)
			}
		}
		turns = left
	}
	if len(p.ring) > 1 { // another sender begins the next block
		p.ring = append(slices.Clone(p.ring[1:]), p.ring[0])
	}
	return chosen
}

// turn is a sender's place in the choice of one block.
type turn struct {
	queue    []*entry
	projects []ident.Hash // of the project messages chosen so far
}

// inOrder says whether m can be in the block without overtaking what the sender sent before it and it may rest on.
func (t *turn) inOrder(m *message.Envelope) bool {
	project, grouped := m.Project()
	if !grouped {
		return len(t.projects) == 0 || m.AffectsNoProject() && !slices.ContainsFunc(m.Projects(), t.worksOn)
	}
	if add := m.Data.GetMergeRequestAdd(); add != nil {
		source, _ := ident.HashFrom(add.GetSourceProjectId())
		if t.worksOn(source) {
			return false
		}
	}
	if !t.worksOn(project) {
		t.projects = append(t.projects, project)
	}
	return true
}

func (t *turn) worksOn(project ident.Hash) bool { return slices.Contains(t.projects, project) }

// selection counts what was chosen against what a block may hold (P6.5).
type selection struct {
	messages, bytes int
	projects        map[ident.Hash]int
	full            bool
}

// take counts a message in, unless it does not fit.
func (s *selection) take(m *message.Envelope) bool {
	if s.messages == ledger.MaxBlockMessages || s.bytes+len(m.Transaction()) > ledger.MaxBlockBytes {
		s.full = true
		return false
	}
	if project, grouped := m.Project(); grouped {
		if s.projects[project] == ledger.MaxProjectMessages {
			return false
		}
		s.projects[project]++
	}
	s.messages++
	s.bytes += len(m.Transaction())
	return true
}
