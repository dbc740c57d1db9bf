package ledger

import (
	"fmt"

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
		known, found := s.lineage(project, hash(parent))
		if !found {
			return parent
		}
		row.Generation = max(row.GetGeneration(), known.Generation+1)
		if i > 0 {
			continue
		}
		row.Depth, row.Jump, row.JumpDepth = known.Depth+1, parent, known.Depth
		if len(known.Jump) == 0 {
			continue
		}
		beyond, _ := s.lineage(project, hash(known.Jump))
		if len(beyond.Jump) > 0 && known.Depth-known.JumpDepth == beyond.Depth-beyond.JumpDepth {
			row.Jump, row.JumpDepth = beyond.Jump, beyond.JumpDepth
		}
	}
	return nil
}

// lineage is that of a commit, empty when the commit is not known.
func (s *step) lineage(project, commit ident.Hash) (lineage schema.Lineage, found bool) {
	key := schema.CommitKey(project, commit)
	value := s.rows.get(key)
	if value == nil {
		return schema.Lineage{}, false
	}
	lineage, err := schema.ParseLineage(value)
	if err != nil {
		s.rows.fail(fmt.Errorf("row %x: %w", key, err))
	}
	return lineage, true
}

// isAncestor says whether old is an ancestor of next, within MaxFastForward commits.
func (s *step) isAncestor(project, old, next ident.Hash) bool {
	from, _ := s.lineage(project, next)
	target, _ := s.lineage(project, old)
	if from.Generation <= target.Generation {
		return false
	}
	if from.Depth-target.Depth <= MaxFastForward && s.onFirstParents(project, next, old, target.Depth) {
		return true
	}
	return s.searchAncestors(project, next, old, target.Generation)
}

// onFirstParents follows jumps and first parents from a commit down to a depth, where it must meet target.
func (s *step) onFirstParents(project, from, target ident.Hash, depth uint32) bool {
	at := from
	line, _ := s.lineage(project, from)
	for line.Depth > depth {
		above := line.Depth
		switch {
		case len(line.Jump) > 0 && line.JumpDepth >= depth:
			at = hash(line.Jump)
		case len(line.Parents) > 0:
			at = hash(line.Parents[0])
		default:
			return false
		}
		// A commit that was pruned and declared anew may lie deeper than its children believe.
		if line, _ = s.lineage(project, at); line.Depth >= above {
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
		line, _ := s.lineage(project, queue[0])
		queue = queue[1:]
		if line.Generation <= generation {
			continue
		}
		for _, parent := range line.Parents {
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
