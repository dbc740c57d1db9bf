package fsck

import (
	"bytes"
	"fmt"
	"strings"
)

// Class is a kind of damage.
type Class string

// The classes of damage.
const (
	// BadKey is a key with an unknown prefix or that does not parse, or a tombstone or prune marker of a kind of row
	// that has none (I4).
	BadKey Class = "bad_key"
	// BadValue is a value that is empty, does not decode or is not canonical, or a field that no message can write.
	BadValue Class = "bad_value"
	// Orphan is a row of a project that has no project row.
	Orphan Class = "orphan"
	// WrongCount is a count that is missing or differs from the rows it counts (I3, P7.2).
	WrongCount Class = "wrong_count"
	// OverLimit is a number of rows beyond a fixed limit (P4.8, P8.6).
	OverLimit Class = "over_limit"
	// OverBounds is a kind of row of which the state has more, or a row that is larger, than the accounts, the units ever granted
	// and the projects ever created allow (I11).
	OverBounds Class = "over_bounds"
	// BadReverseRow is a row whose reverse row is missing or differs (I3).
	BadReverseRow Class = "bad_reverse_row"
	// BadTombstone is an entry that is more than one of active, removed and pruned (I4).
	BadTombstone Class = "bad_tombstone"
	// BadCustody is a custody key that is inconsistent with itself or with the nonce of the account (I5).
	BadCustody Class = "bad_custody"
	// BadUsername is a username and an account that do not name each other (I6).
	BadUsername Class = "bad_username"
	// BadStorage is an inconsistency of units, grants and claims, or a username without a grant (I7).
	BadStorage Class = "bad_storage"
	// BadName is the name row of a project that is missing, wrong, or present for a removed project (P7.1).
	BadName Class = "bad_name"
	// BadRemoval is a project that is swept but not removed or has other rows (P9.6).
	BadRemoval Class = "bad_removal"
	// BadLineage is a fork that does not match its fork-parent row, or a merge request whose source is not a fork of
	// its target (I9).
	BadLineage Class = "bad_lineage"
	// BadRef is a ref at a missing commit, or with an impossible nonce or timestamp.
	BadRef Class = "bad_ref"
	// BadCommit is a commit whose parents are missing, or whose generation, depth or jump pointer is wrong.
	BadCommit Class = "bad_commit"
	// BadDerived is a derived row that is missing or does not match the state.
	BadDerived Class = "bad_derived"
	// BadValidators is a validator set to which no change can lead.
	BadValidators Class = "bad_validators"
	// BadSettlement is a settlement to which no change can lead.
	BadSettlement Class = "bad_settlement"
	// BadRules is an activation of rules to which no change can lead.
	BadRules Class = "bad_rules"
)

// MaxFindings is the maximum number of findings in a report. Further findings are only counted.
const MaxFindings = 1_000

// Finding is one inconsistency.
type Finding struct {
	Class Class
	Key   []byte // the row that is wrong or missing
	Text  string // a description
}

func (f Finding) String() string { return fmt.Sprintf("%s: row %x: %s", f.Class, f.Key, f.Text) }

// Report is the result of a check.
type Report struct {
	Rows     int // visited
	Findings []Finding
	Dropped  int // findings beyond MaxFindings
}

// Clean reports whether there are no findings.
func (r *Report) Clean() bool { return len(r.Findings) == 0 }

// String returns the findings, one per line.
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

// add adds a finding. Adjacent rows often lead to the same finding, which is reported once.
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
