package ledger

import "makechain/internal/ident"

// maxFailedSearches is the largest number of searches that one FailedSearches contains.
const maxFailedSearches = 128

// FailedSearches is a list of updates that are not fast-forwards, so that the search, which visits up to MaxFastForward
// commits, is not repeated while the state is the same. A caller uses it for messages of one account on one block: the graph
// that the pending messages of different accounts lead to may differ. Blocks are executed without it.
type FailedSearches struct {
	searches map[search]struct{}
}

// search is a search for the commit old among the ancestors of the commit next.
type search struct{ project, old, next ident.Hash }

// Clear removes all searches.
func (f *FailedSearches) Clear() { f.searches = nil }

func (f *FailedSearches) contains(s search) bool {
	if f == nil {
		return false
	}
	_, found := f.searches[s]
	return found
}

func (f *FailedSearches) add(s search) {
	if f == nil || len(f.searches) == maxFailedSearches {
		return
	}
	if f.searches == nil {
		f.searches = make(map[search]struct{})
	}
	f.searches[s] = struct{}{}
}

// isFastForward reports whether the commit old is an ancestor of next within MaxFastForward commits.
func (s *transition) isFastForward(project, old, next ident.Hash) bool {
	key := search{project, old, next}
	if s.failed.contains(key) {
		return false
	}
	if s.isAncestor(project, old, next) {
		return true
	}
	if s.rows.err == nil {
		s.failed.add(key)
	}
	return false
}
