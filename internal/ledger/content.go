package ledger

import (
	"bytes"
	"cmp"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// Limits on the content rows of a project (P8.6).
const (
	// MaxContents is the number of content rows of a project beyond which the oldest are pruned.
	MaxContents = 2_000
	// PrunedContents is the number of content rows that are pruned together, so that the scan for the oldest is rare.
	PrunedContents = 200
)

// content returns the content row of a project with a digest, nil if there is none or the digest is empty.
func (s *transition) content(project ident.Hash, digest []byte) *pb.ContentRow {
	if len(digest) == 0 {
		return nil
	}
	return load[pb.ContentRow](s.rows, schema.ContentKey(project, hash(digest)))
}

// addContent adds the content row of a digest, unless the digest is empty or the row exists, and prunes the rows beyond the
// limit. The caller saves the project.
func (s *transition) addContent(id ident.Hash, project *pb.ProjectRow, digest []byte, url string) {
	if len(digest) > 0 {
		s.putContent(id, project, digest, url)
		s.pruneContent(id, project)
	}
}

// putContent adds a content row, unless the project has one with that digest. The caller saves the project.
func (s *transition) putContent(id ident.Hash, project *pb.ProjectRow, digest []byte, url string) {
	key := schema.ContentKey(id, hash(digest))
	if s.rows.has(key) {
		return
	}
	s.rows.create(key, &pb.ContentRow{Url: url, BlockNumber: s.block.Height}, inContentRow)
	project.ContentCount++
}

// pruneContent deletes the oldest content rows, by block and then by digest, of a project that has too many. The rows of
// this block are not among them, because a block has fewer messages for one project.
func (s *transition) pruneContent(id ident.Hash, project *pb.ProjectRow) {
	if project.GetContentCount() <= MaxContents {
		return
	}
	type entry struct {
		key, value []byte
		block      uint64
	}
	entries := make([]entry, 0, project.GetContentCount())
	// The rows change only together with that of the project, which has their number.
	s.rows.scanUnrecorded(schema.ContentPrefix(id), func(key, value []byte) bool {
		s.visit()
		var row pb.ContentRow
		s.rows.fail(schema.Decode(value, &row))
		copied := slices.Concat(key, value)
		entries = append(entries, entry{copied[:len(key):len(key)], copied[len(key):], row.GetBlockNumber()})
		return true
	})
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.block, b.block), bytes.Compare(a.key, b.key)) })
	for _, e := range entries[:min(PrunedContents, len(entries))] {
		s.rows.deleteKnown(e.key, e.value)
		project.ContentCount--
	}
}
