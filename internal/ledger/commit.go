package ledger

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// Limits on the commits of a project (P8.6, P8.7).
const (
	// MaxCommits is the number of commits beyond which unreachable commits are pruned.
	MaxCommits = 10_000
	// MaxReachVisits is the maximum number of commits that the search for reachable commits visits. Beyond it nothing is
	// pruned.
	MaxReachVisits = MaxOwnerVisits
	// MaxPrunedCommits is the maximum number of commits that one message prunes. Later bundles prune what is left.
	MaxPrunedCommits = 1_000
	// CommitsPerUnit is the maximum number of commits of a project, reachable or not, per usable unit of its owner. An owner
	// without usable units counts as one with a single unit, because a bundle needs no storage.
	CommitsPerUnit = 100_000
	// minPruneStep is the minimum number of commits that a project gains between two such searches.
	minPruneStep = 1_000
)

func (s *transition) commitBundle(b *pb.CommitBundleBody) *message.Refusal {
	id := hash(b.GetProjectId())
	project, refusal := s.writableProject(id, pb.Permission_PERMISSION_WRITE)
	if refusal != nil {
		return refusal
	}
	if pruned := project.GetPrunedBundleTimestamp(); pruned != 0 && s.timestamp() <= pruned {
		return s.staleWrite("a bundle with commits that were pruned", pruned)
	}
	var fresh []ident.Hash
	for i, meta := range b.GetCommits() {
		commit := hash(meta.GetHash())
		key := schema.CommitKey(id, commit)
		if existing := load[pb.CommitRow](s.rows, key); existing != nil {
			// If the commit is pruned, this bundle would bring it again, so its timestamp counts as well.
			if s.timestamp() > existing.GetBundleTimestamp() {
				existing.BundleTimestamp = s.timestamp()
				s.rows.put(key, existing)
			}
			continue
		}
		row := &pb.CommitRow{
			Parents: meta.GetParents(), TreeRoot: meta.GetTreeRoot(), AuthorTimestamp: meta.GetAuthorTimestamp(),
			Title: meta.GetTitle(), MessageHash: meta.GetMessageHash(), AuthorAddress: meta.GetAuthorAddress(),
			AuthorName: meta.GetAuthorName(), ContentDigest: b.GetContentDigest(),
		}
		if missing := s.setLineage(id, row); missing != nil {
			return refuse(message.CodeUnknownCommit, "commits[%d]: parent %x is neither in the project nor earlier in the bundle", i, missing)
		}
		s.putCommit(key, id, commit, row)
		fresh = append(fresh, commit)
	}
	if len(fresh) == 0 {
		return refuse(message.CodeNothingNew, "all commits of the bundle already exist in the project")
	}
	// The contents come first: a message visits at most MaxOwnerVisits rows, and the search for reachable commits adapts.
	s.addContent(id, project, b.GetContentDigest(), b.GetUrl())
	project.CommitCount += uint32(len(fresh))
	limit := s.commitLimit(project)
	s.pruneCommits(id, project, fresh, limit)
	if count := uint64(project.GetCommitCount()); count > limit {
		return refuse(message.CodeQuotaExceeded, "the project would have %s, the limit of its owner's storage is %d", plural(count, "commit"), limit)
	}
	s.saveProject(id, project)
	return nil
}

// commitLimit returns the maximum number of commits of a project. The row of its owner is read only if a single unit is not
// enough.
func (s *transition) commitLimit(project *pb.ProjectRow) uint64 {
	if project.GetCommitCount() <= CommitsPerUnit {
		return CommitsPerUnit
	}
	return CommitsPerUnit * max(1, uint64(UsableUnits(s.sweep(address(project.GetOwnerAddress())))))
}

// putCommit stores a new commit of this message at its key, and the age row that orders commits for pruning.
func (s *transition) putCommit(key []byte, project, commit ident.Hash, row *pb.CommitRow) {
	row.BlockNumber, row.BundleTimestamp = s.block.Height, s.timestamp()
	s.rows.create(key, row, inCommitRow)
	s.rows.insertAtHeight(schema.CommitAgeKey(project, s.block.Height, commit), schema.Present, inCommitAgeKey)
}

// pruneCommits deletes the oldest commits beyond MaxCommits that no ref reaches. It keeps the fresh commits of this
// message, because a push sends its commits before it updates the ref. A project beyond its quota is always searched.
func (s *transition) pruneCommits(id ident.Hash, project *pb.ProjectRow, fresh []ident.Hash, quota uint64) {
	count := project.GetCommitCount()
	if count <= max(MaxCommits, project.GetCommitPruneAt()) && uint64(count) <= quota {
		return
	}
	reached, complete := s.reachable(id)
	pruned, limit := 0, min(MaxPrunedCommits, MaxOwnerVisits-s.effects.Visits)
	if complete {
		for _, commit := range fresh {
			reached[commit] = struct{}{}
		}
		pruned = s.dropOldest(id, project, limit, func(commit ident.Hash) bool {
			_, kept := reached[commit]
			return kept
		})
	}
	if pruned > 0 && pruned == limit {
		project.CommitPruneAt = 0 // the next bundle prunes what may be left
		return
	}
	// A search reads every reachable commit, so the next one happens after a tenth has been added.
	project.CommitPruneAt = project.GetCommitCount() + max(minPruneStep, project.GetCommitCount()/10)
}

// dropOldest deletes the oldest commits beyond MaxCommits for which keep is false, at most limit, and returns their number.
func (s *transition) dropOldest(id ident.Hash, project *pb.ProjectRow, limit int, keep func(ident.Hash) bool) int {
	over := min(int(project.GetCommitCount())-MaxCommits, limit)
	if over <= 0 {
		return 0
	}
	var ages [][]byte
	s.rows.scan(schema.CommitAgePrefix(id), func(age, _ []byte) bool {
		commit, err := schema.ParseCommitAgeKey(age)
		s.rows.fail(err)
		if !keep(commit) {
			ages = append(ages, bytes.Clone(age))
		}
		return len(ages) < over
	})
	for _, age := range ages {
		commit, err := schema.ParseCommitAgeKey(age)
		s.rows.fail(err)
		s.visit() // if the block has no visits left, the whole message is deferred
		key := schema.CommitKey(id, commit)
		row := load[pb.CommitRow](s.rows, key)
		s.rows.delete(key)
		s.rows.deleteKnown(age, schema.Present)
		project.CommitCount--
		project.PrunedBundleTimestamp = max(project.GetPrunedBundleTimestamp(), row.GetBundleTimestamp())
	}
	return len(ages)
}

// reachable returns the commits that the refs of a project reach. complete is false when there are more than
// MaxReachVisits, less what the message has visited before. The refs count as visits, too, because there can be many for one
// commit.
func (s *transition) reachable(id ident.Hash) (reached map[ident.Hash]struct{}, complete bool) {
	reached = make(map[ident.Hash]struct{})
	var queue []ident.Hash
	visit := func(commit ident.Hash) {
		if _, seen := reached[commit]; !seen {
			reached[commit] = struct{}{}
			queue = append(queue, commit)
		}
	}
	s.rows.scan(schema.RefKey(id, nil), func(_, value []byte) bool {
		var ref pb.RefRow
		s.rows.fail(schema.Decode(value, &ref))
		visit(hash(ref.GetHash()))
		return s.visit()
	})
	limit := MaxReachVisits - s.effects.Visits
	for len(queue) > 0 {
		if len(reached) > limit || !s.visit() {
			return nil, false
		}
		commit := queue[0]
		queue = queue[1:]
		line, _ := s.lineage(id, commit)
		for parent := range line.Parents() {
			visit(hash(parent))
		}
	}
	return reached, true
}
