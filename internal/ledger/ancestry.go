package ledger

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// MaxFastForward is how many commits a ref may move forward in one update, and what the search for its
// old commit may visit (P9.3).
const MaxFastForward = 10_000

// Each commit keeps its generation, its depth on the first-parent chain, and one jump to an ancestor on
// that chain. Jumps are laid out as in a skew-binary list: a commit jumps as far as its parent's jump
// jumps when the parent's last two jumps were of one length, else to its parent. Any ancestor on the chain
// is then found in a logarithmic number of reads.

// setLineage fills in the fields of a new commit that make ancestry cheap. It returns the parent that is
// not known, if any.
func (s *step) setLineage(project ident.Hash, row *pb.CommitRow) (missing []byte) {
	row.Generation = 1
	for i, parent := range row.GetParents() {
		known := s.commit(project, hash(parent))
		if known == nil {
			return parent
		}
		row.Generation = max(row.GetGeneration(), known.GetGeneration()+1)
		if i > 0 {
			continue
		}
		row.Depth, row.Jump, row.JumpDepth = known.GetDepth()+1, parent, known.GetDepth()
		if len(known.GetJump()) == 0 {
			continue
		}
		beyond := s.commit(project, hash(known.GetJump()))
		if beyond != nil && len(beyond.GetJump()) > 0 &&
			known.GetDepth()-known.GetJumpDepth() == beyond.GetDepth()-beyond.GetJumpDepth() {
			row.Jump, row.JumpDepth = beyond.GetJump(), beyond.GetJumpDepth()
		}
	}
	return nil
}

func (s *step) commit(project, commit ident.Hash) *pb.CommitRow {
	return load[pb.CommitRow](s.rows, schema.CommitKey(project, commit))
}

// isAncestor says whether old is an ancestor of next, within MaxFastForward commits.
func (s *step) isAncestor(project, old, next ident.Hash) bool {
	from, target := s.commit(project, next), s.commit(project, old)
	if from.GetGeneration() <= target.GetGeneration() {
		return false
	}
	if from.GetDepth()-target.GetDepth() <= MaxFastForward && s.onFirstParents(project, next, old, target.GetDepth()) {
		return true
	}
	return s.searchAncestors(project, next, old, target.GetGeneration())
}

// onFirstParents follows jumps and first parents from a commit down to a depth, where it must meet target.
func (s *step) onFirstParents(project, from, target ident.Hash, depth uint32) bool {
	at, row := from, s.commit(project, from)
	for row != nil && row.GetDepth() > depth {
		above := row.GetDepth()
		switch {
		case len(row.GetJump()) > 0 && row.GetJumpDepth() >= depth:
			at = hash(row.GetJump())
		case len(row.GetParents()) > 0:
			at = hash(row.GetParents()[0])
		default:
			return false
		}
		// A commit that was pruned and declared anew may lie deeper than its children believe.
		if row = s.commit(project, at); row.GetDepth() >= above {
			return false
		}
	}
	return at == target
}

// searchAncestors walks the graph breadth first and turns back at the target's generation, below which it
// cannot lie.
func (s *step) searchAncestors(project, from, target ident.Hash, generation uint32) bool {
	seen := map[ident.Hash]struct{}{from: {}}
	queue := []ident.Hash{from}
	for visits := 0; len(queue) > 0 && visits < MaxFastForward; visits++ {
		s.visits++
		row := s.commit(project, queue[0])
		queue = queue[1:]
		if row.GetGeneration() <= generation {
			continue
		}
		for _, parent := range row.GetParents() {
			p := hash(parent)
			if p == target {
				return true
			}
			if _, ok := seen[p]; !ok {
				seen[p] = struct{}{}
				queue = append(queue, p)
			}
		}
	}
	return false
}
