package ledger

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// Commits of a project (P8.6, P8.7).
const (
	// MaxCommits is what a project keeps before unreachable commits are pruned.
	MaxCommits = 10_000
	// MaxReachVisits bounds the search for what refs reach; beyond it nothing is pruned.
	MaxReachVisits = 100_000
	// minPruneStep is how many commits a project gains, at least, between two such searches.
	minPruneStep = 1_000
)

func (s *step) commitBundle(b *pb.CommitBundleBody) *message.Refusal {
	id := hash(b.GetProjectId())
	project, refusal := s.writableProject(id, pb.Permission_PERMISSION_WRITE)
	if refusal != nil {
		return refusal
	}
	if pruned := project.GetPrunedBundleTimestamp(); pruned != 0 && s.timestamp() <= pruned {
		return s.staleWrite("a bundle whose commits were pruned", pruned)
	}
	var fresh []ident.Hash
	for i, meta := range b.GetCommits() {
		commit := hash(meta.GetHash())
		if known := load[pb.CommitRow](s.rows, schema.CommitKey(id, commit)); known != nil {
			s.mention(id, commit, known)
			continue
		}
		row := &pb.CommitRow{
			Parents: meta.GetParents(), TreeRoot: meta.GetTreeRoot(), AuthorTimestamp: meta.GetAuthorTimestamp(),
			Title: meta.GetTitle(), MessageHash: meta.GetMessageHash(), AuthorAddress: meta.GetAuthorAddress(),
			ContentDigest: b.GetContentDigest(), Url: b.GetUrl(),
		}
		if missing := s.setLineage(id, row); missing != nil {
			return refuse(message.CodeUnknownCommit, "commits[%d]: parent %x is neither known in the project nor earlier in the bundle", i, missing)
		}
		s.putCommit(id, commit, row)
		fresh = append(fresh, commit)
	}
	if len(fresh) == 0 {
		return refuse(message.CodeNothingNew, "every commit of the bundle is known already")
	}
	project.CommitCount += uint32(len(fresh))
	s.pruneCommits(id, project, fresh)
	s.saveProject(id, project)
	return nil
}

// mention notes on a known commit that this bundle carries it too: once the commit is pruned, this bundle
// would have something new again.
func (s *step) mention(project, commit ident.Hash, row *pb.CommitRow) {
	if s.timestamp() > row.GetBundleTimestamp() {
		row.BundleTimestamp = s.timestamp()
		s.rows.put(schema.CommitKey(project, commit), row)
	}
}

// putCommit stores a new commit as brought by this message, with its place in the order of pruning.
func (s *step) putCommit(project, commit ident.Hash, row *pb.CommitRow) {
	row.BlockNumber, row.BundleTimestamp = s.block.Height, s.timestamp()
	s.rows.put(schema.CommitKey(project, commit), row)
	s.rows.insert(schema.CommitAgeKey(project, s.block.Height, commit), schema.Present)
}

// pruneCommits deletes the oldest commits over the limit that no ref reaches, sparing what this message
// brought: a push sends its commits before it moves the ref.
func (s *step) pruneCommits(id ident.Hash, project *pb.ProjectRow, fresh []ident.Hash) {
	if project.GetCommitCount() <= max(MaxCommits, project.GetCommitPruneAt()) {
		return
	}
	reached, all := s.reachable(id)
	if all {
		for _, commit := range fresh {
			reached[commit] = struct{}{}
		}
		s.dropOldest(id, project, func(commit ident.Hash) bool {
			_, kept := reached[commit]
			return kept
		})
	}
	// Searching costs a read for every commit, so the next one waits until a tenth has been added.
	project.CommitPruneAt = project.GetCommitCount() + max(minPruneStep, project.GetCommitCount()/10)
}

func (s *step) dropOldest(id ident.Hash, project *pb.ProjectRow, keep func(ident.Hash) bool) {
	over := int(project.GetCommitCount()) - MaxCommits
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
		key := schema.CommitKey(id, commit)
		row := load[pb.CommitRow](s.rows, key)
		s.rows.delete(key)
		s.rows.delete(age)
		project.CommitCount--
		project.PrunedBundleTimestamp = max(project.GetPrunedBundleTimestamp(), row.GetBundleTimestamp())
	}
}

// reachable collects what the refs of a project reach; all is false when that is too much to visit.
func (s *step) reachable(id ident.Hash) (reached map[ident.Hash]struct{}, all bool) {
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
		return true
	})
	for len(queue) > 0 {
		if len(reached) > MaxReachVisits {
			return nil, false
		}
		s.visits++
		commit := queue[0]
		queue = queue[1:]
		line, _ := s.lineage(id, commit)
		for _, parent := range line.Parents {
			visit(hash(parent))
		}
	}
	return reached, true
}
