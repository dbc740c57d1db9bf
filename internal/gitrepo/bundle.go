package gitrepo

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"

	"makechain/internal/gitbundle"
	"makechain/internal/gitid"
	"makechain/internal/ident"
)

// WriteBundle writes a git bundle with everything that is reachable from refs and not from known commits, all of which must be
// in the repository. Deltas of the repository's packs are reused. The same repository gives the same bytes.
func (r *Repo) WriteBundle(ctx context.Context, refs []gitbundle.Ref, known []ident.Hash, to io.Writer) error {
	prerequisites, err := r.prerequisites(ctx, refs, known)
	if err != nil {
		return err
	}
	header, err := gitbundle.Header{Format: gitbundle.FormatOf(refs[0].ID), Prerequisites: prerequisites, Refs: refs}.Append(nil)
	if err != nil {
		return err
	}
	if _, err := to.Write(header); err != nil {
		return err
	}
	var revisions strings.Builder
	for _, ref := range refs {
		revisions.WriteString(ref.ID + "\n")
	}
	for _, id := range prerequisites {
		revisions.WriteString("^" + id + "\n")
	}
	return r.stream(ctx, strings.NewReader(revisions.String()), func(out *bufio.Reader) error {
		_, err := io.Copy(to, out)
		return err
	}, "pack-objects", "--quiet", "--revs", "--thin", "--delta-base-offset", "--threads=1", "--stdout")
}

// prerequisites returns the commits that a bundle builds on: parents of its commits that are known, and known commits that refs
// point at, through tags.
func (r *Repo) prerequisites(ctx context.Context, refs []gitbundle.Ref, known []ident.Hash) ([]string, error) {
	if len(known) == 0 {
		return nil, nil
	}
	var input, peeled strings.Builder
	for _, ref := range refs {
		input.WriteString(ref.ID + "\n")
		peeled.WriteString(ref.ID + "^{commit}\n")
	}
	for _, commit := range known {
		input.WriteString("^" + gitid.String(commit) + "\n")
	}
	var found []string
	isNew := map[string]bool{}
	err := r.eachLine(ctx, strings.NewReader(input.String()), func(line string) error {
		if id, isBoundary := strings.CutPrefix(line, "-"); isBoundary {
			found = append(found, id)
		} else {
			isNew[line] = true
		}
		return nil
	}, "rev-list", "--boundary", "--stdin")
	if err != nil {
		return nil, err
	}
	err = r.eachLine(ctx, strings.NewReader(peeled.String()), func(line string) error {
		if id, isCommit := strings.CutSuffix(line, " commit"); isCommit && !isNew[id] {
			found = append(found, id)
		}
		return nil
	}, "cat-file", "--batch-check=%(objectname) %(objecttype)")
	slices.Sort(found)
	return slices.Compact(found), err
}
