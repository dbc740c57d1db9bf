package ledger

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// MaxFastForward is the maximum number of commits between the old and the new commit of a fast-forward, and of commits
// that the search for the old commit visits (P9.3).
const MaxFastForward = 10_000

// Each commit stores its generation, its depth on the first-parent chain, and a jump pointer to an ancestor on that
// chain. Jump pointers form a skew-binary list: if the jumps of the parent and of the parent's jump target have the
// same length, a commit jumps to the end of the second, otherwise to its parent. Any ancestor on the chain is then
// found in a logarithmic number of reads.

// setLineage sets the generation, depth and jump pointer of a new commit. It returns the first parent hash that does not
// exist in the project, if any.
func (s *transition) setLineage(project ident.Hash, row *pb.CommitRow) (missing []byte) {
	row.Generation = 1
	for i, parent := range row.GetParents() {
		line, found := s.lineage(project, hash(parent))
		if !found {
			return parent
		}
		row.Generation = max(row.GetGeneration(), line.Generation+1)
		if i > 0 {
			continue
		}
		row.Depth, row.Jump, row.JumpDepth = line.Depth+1, parent, line.Depth
		if len(line.Jump) == 0 {
			continue
		}
		beyond, _ := s.lineage(project, hash(line.Jump))
		if len(beyond.Jump) > 0 && line.Depth-line.JumpDepth == beyond.Depth-beyond.JumpDepth {
			row.Jump, row.JumpDepth = beyond.Jump, beyond.JumpDepth
		}
	}
	return nil
}

// lineage returns the lineage fields of a commit, and whether the commit exists.
func (s *transition) lineage(project, commit ident.Hash) (lineage schema.Lineage, found bool) {
	var buffer [schema.CommitKeySize]byte
	value := s.rows.peek(schema.AppendCommitKey(buffer[:0], project, commit))
	if value == nil {
		return schema.Lineage{}, false
	}
	lineage, err := schema.ParseLineage(value)
	if err != nil {
		s.rows.fail(fmt.Errorf("commit %s of project %s: %w", commit, project, err))
	}
	return lineage, true
}

// isAncestor reports whether old is an ancestor of next within MaxFastForward commits.
func (s *transition) isAncestor(project, old, next ident.Hash) bool {
	from, _ := s.lineage(project, next)
	target, _ := s.lineage(project, old)
	if from.Generation <= target.Generation {
		return false
	}
	if from.Depth-target.Depth <= MaxFastForward && s.onFirstParents(project, from, old, target.Depth) {
		return true
	}
	return s.searchAncestors(project, next, old, target.Generation)
}

// onFirstParents follows jump pointers and first parents from a commit that is not target, with the given lineage, down to
// a depth and reports whether the commit there is target.
func (s *transition) onFirstParents(project ident.Hash, line schema.Lineage, target ident.Hash, depth uint32) bool {
	var at ident.Hash
	for line.Depth > depth {
		above := line.Depth
		switch {
		case len(line.Jump) > 0 && line.JumpDepth >= depth:
			at = hash(line.Jump)
		case len(line.FirstParent) > 0:
			at = hash(line.FirstParent)
		default:
			return false
		}
		// A commit that was pruned and added again with other parents may be deeper than its children recorded.
		if line, _ = s.lineage(project, at); line.Depth >= above {
			return false
		}
	}
	return at == target
}

// searchAncestors searches the graph breadth first for target and does not go below its generation.
func (s *transition) searchAncestors(project, from, target ident.Hash, generation uint32) bool {
	seen := map[ident.Hash]struct{}{from: {}}
	queue := []ident.Hash{from}
	for visits := 0; len(queue) > 0 && visits < MaxFastForward; visits++ {
		if !s.visit() {
			return false
		}
		line, _ := s.lineage(project, queue[0])
		queue = queue[1:]
		if line.Generation <= generation {
			continue
		}
		for parent := range line.Parents() {
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
