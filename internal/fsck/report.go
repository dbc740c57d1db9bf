package fsck

import (
	"bytes"
	"fmt"
	"strings"
)

// Class is a kind of damage.
type Class string

// What can be wrong with rows.
const (
	// BadKey: the key lies under no known prefix or does not parse; also a tombstone or a prune marker of a
	// kind that has none (I4).
	BadKey Class = "bad_key"
	// BadValue: the value is empty, does not decode, is not canonical, or has a field that no message can write.
	BadValue Class = "bad_value"
	// Orphan: the row belongs to a project that has no row.
	Orphan Class = "orphan"
	// WrongCount: a count differs from the rows it counts, or is missing (I3, P7.2).
	WrongCount Class = "wrong_count"
	// OverLimit: there are more rows than a limit that never shrinks allows (P4.8, P8.6).
	OverLimit Class = "over_limit"
	// BadReverseRow: a row and the row that repeats it elsewhere do not agree, or one of them is missing (I3).
	BadReverseRow Class = "bad_reverse_row"
	// BadTombstone: an entry is more than one of active, removed and pruned (I4).
	BadTombstone Class = "bad_tombstone"
	// BadCustody: a custody key contradicts itself or the account's nonce (I5).
	BadCustody Class = "bad_custody"
	// BadUsername: a username and its account do not name each other (I6).
	BadUsername Class = "bad_username"
	// BadStorage: units, grants and claims do not agree, or there is a username without a grant (I7).
	BadStorage Class = "bad_storage"
	// BadName: a project's name row is missing, wrong, or there for a removed project (P7.1).
	BadName Class = "bad_name"
	// BadLineage: a fork and its fork-parent row do not agree, or a merge request's source does not descend
	// from its target (I9).
	BadLineage Class = "bad_lineage"
	// BadRef: a ref points at a commit that is not known, or at times that cannot be.
	BadRef Class = "bad_ref"
	// BadCommit: a commit's parents are missing, or its place among them is wrong.
	BadCommit Class = "bad_commit"
	// BadDerived: a derived row is missing or says what the state does not.
	BadDerived Class = "bad_derived"
	// BadValidators: no change leads to such a set of validators.
	BadValidators Class = "bad_validators"
)

// MaxFindings bounds what a report keeps. Damage beyond it is counted only.
const MaxFindings = 1_000

// Finding is one thing that is wrong.
type Finding struct {
	Class Class
	Key   []byte // the row that is wrong or missing
	Text  string // a sentence that says what is wrong with it
}

func (f Finding) String() string { return fmt.Sprintf("%s: row %x: %s", f.Class, f.Key, f.Text) }

// Report is what a check comes to.
type Report struct {
	Rows     int // visited
	Findings []Finding
	Dropped  int // findings beyond MaxFindings
}

// Clean says whether nothing is wrong.
func (r *Report) Clean() bool { return len(r.Findings) == 0 }

// String lists the findings, one a line.
func (r *Report) String() string {
	var text strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintln(&text, f)
	}
	if r.Dropped > 0 {
		fmt.Fprintf(&text, "and %d more\n", r.Dropped)
	}
	fmt.Fprintf(&text, "%d rows, %d findings\n", r.Rows, len(r.Findings)+r.Dropped)
	return text.String()
}

// add keeps a finding. Rows that lie side by side often miss the same row, which is said once.
func (r *Report) add(f Finding) {
	if n := len(r.Findings); n > 0 {
		last := r.Findings[n-1]
		if last.Class == f.Class && last.Text == f.Text && bytes.Equal(last.Key, f.Key) {
			return
		}
	}
	if len(r.Findings) == MaxFindings {
		r.Dropped++
		return
	}
	f.Key = bytes.Clone(f.Key)
	r.Findings = append(r.Findings, f)
}
