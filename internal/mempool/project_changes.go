package mempool

import (
	"time"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// projectChanges records which projects recent blocks changed, for at least maxSessionAge: no session needs older
// changes.
type projectChanges struct {
	current, previous map[ident.Hash]projectChange
	rotatedAt         time.Time // when current was created
}

// projectChange holds the heights of the latest change of a project by one account and of the latest one by any other.
type projectChange struct {
	author ident.Address
	height uint64
	others uint64
}

// add records the projects that a block changed.
func (c *projectChanges) add(block *ledger.Committed, now time.Time) {
	if c.current == nil || now.Sub(c.rotatedAt) >= maxSessionAge {
		c.current, c.previous, c.rotatedAt = make(map[ident.Hash]projectChange), c.current, now
	}
	for _, applied := range block.Applied {
		if applied.Message.AffectsNoProject() {
			continue
		}
		for _, project := range applied.Effects.Projects {
			last, found := c.current[project]
			if found && last.author != applied.Message.Owner {
				last.others = last.height
			}
			last.author, last.height = applied.Message.Owner, block.Height
			c.current[project] = last
		}
	}
}

// byOthers reports whether an account other than the author of m has changed a project that m acts on above a height.
func (c *projectChanges) byOthers(m *message.Envelope, height uint64) bool {
	for _, project := range m.Projects() {
		for _, change := range [...]projectChange{c.current[project], c.previous[project]} {
			if change.others > height || change.height > height && change.author != m.Owner {
				return true
			}
		}
	}
	return false
}
