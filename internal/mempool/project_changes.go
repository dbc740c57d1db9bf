package mempool

import (
	"time"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// moves remembers which projects the blocks of the last while have changed. It forgets what no session is older than.
type moves struct {
	recent, before map[ident.Hash]move
	turned         time.Time // when recent began
}

// move is the latest change of a project by one author, and the latest by anybody else.
type move struct {
	author ident.Address
	height uint64
	others uint64
}

// add notes what a block has changed.
func (m *moves) add(block *ledger.Committed, now time.Time) {
	if m.recent == nil || now.Sub(m.turned) >= sessionAge {
		m.recent, m.before, m.turned = make(map[ident.Hash]move), m.recent, now
	}
	for _, applied := range block.Applied {
		if applied.Message.AffectsNoProject() {
			continue // who likes a project is no matter for those who work on it
		}
		for _, project := range applied.Effects.Projects {
			last, found := m.recent[project]
			if found && last.author != applied.Message.Owner {
				last.others = last.height
			}
			last.author, last.height = applied.Message.Owner, block.Height
			m.recent[project] = last
		}
	}
}

// since says whether somebody other than the author of a message has changed what it acts on above a height.
func (m *moves) since(height uint64, e *message.Envelope) bool {
	for _, project := range e.Projects() {
		for _, moved := range [...]move{m.recent[project], m.before[project]} {
			if moved.others > height || moved.height > height && moved.author != e.Owner {
				return true
			}
		}
	}
	return false
}
