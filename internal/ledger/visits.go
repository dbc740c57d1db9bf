package ledger

import (
	"math"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// Limits on the commits that the graph searches of a block visit (P6.5). They bound the cost of graphs that are
// constructed to be slow to search. No message visits more than MaxOwnerVisits (P8.7, P9.3), so each fits into a block.
const (
	MaxBlockVisits = 100_000
	// MaxOwnerVisits applies to the messages for all projects of one owner, so that nobody uses a block alone.
	MaxOwnerVisits = 20_000
)

// visitLimits are the limits of a block on graph searches.
type visitLimits struct {
	owners   map[ident.Address]int // visits so far by project owner, those of refused messages included
	reserved int                   // visits that the block keeps for later messages
}

// visit counts a commit that a graph search visits. It returns false when the block has no visits left for the message:
// the search must stop, and the message is not applied, whatever it returns.
func (s *transition) visit() bool {
	if s.effects.Visits == 0 {
		s.effects.VisitsOwner = s.owner()
		s.maxVisits = s.visitsLeft(s.effects.VisitsOwner)
	}
	if s.effects.Visits >= s.maxVisits {
		s.overLimit = true
		return false
	}
	s.effects.Visits++
	return true
}

// visitsLeft returns how many commits a message may visit that counts against the limit of owner.
func (s *Session) visitsLeft(owner ident.Address) int {
	if s.limits == nil {
		return math.MaxInt
	}
	return min(MaxOwnerVisits-s.limits.owners[owner], MaxBlockVisits-s.visits-s.limits.reserved)
}

// addVisits adds the visits of a message to those of the session.
func (s *transition) addVisits() {
	s.visits += s.effects.Visits
	if s.limits != nil && s.effects.Visits > 0 {
		s.limits.owners[s.effects.VisitsOwner] += s.effects.Visits
	}
}

// owner returns the account against whose limit the visits of the message count. Most messages have read the row of their
// project before.
func (s *transition) owner() ident.Address {
	if id, grouped := s.Project(); grouped && s.project.key != nil && s.project.id == id {
		return s.project.owner
	}
	return s.visitsOwner(s.Envelope)
}

// visitsOwner returns the account against whose limit the visits of a message count: the owner of the project to which
// the message belongs, whoever its author is, and the author of a message that belongs to no project.
func (s *Session) visitsOwner(m *message.Envelope) ident.Address {
	if id, grouped := m.Project(); grouped {
		if project := load[pb.ProjectRow](s.rows, schema.ProjectKey(id)); project != nil {
			return address(project.GetOwnerAddress())
		}
	}
	return m.Owner
}
