package push

import (
	"context"
	"errors"
	"fmt"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/gitbundle"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// ConsolidateAfter is the number of git bundles after which a push uploads everything in one, so that a clone from files need not
// read all of them.
const ConsolidateAfter = 500

// IncompleteError is returned by Consolidate when the repository does not have everything that the refs of the project reach.
type IncompleteError struct{ Reason string }

func (e *IncompleteError) Error() string {
	return "this repository does not have everything that the refs of the project reach: " + e.Reason
}

// ErrNoRefs is returned by Consolidate for a project without refs.
var ErrNoRefs = errors.New("the project has no refs, so there is nothing to upload")

// ShouldConsolidate reports whether a push has made the number of the project's git bundles exceed a multiple of
// ConsolidateAfter, or has made the chain drop the oldest of them.
func (p *Plan) ShouldConsolidate() bool {
	before, after := p.contents, p.contents+p.uploaded
	if p.uploaded == 0 || after <= ConsolidateAfter {
		return false
	}
	return (after-1)/ConsolidateAfter > max(before-1, 0)/ConsolidateAfter || after > ledger.MaxContents
}

// Tidy consolidates the content of the project if a push has made that necessary. The push has succeeded, so a failure is only
// reported by note.
func (p *Push) Tidy(ctx context.Context, plan *Plan, note func(format string, args ...any)) {
	if !plan.ShouldConsolidate() {
		return
	}
	if _, err := p.Consolidate(ctx); err != nil {
		note("the project has more than %d git bundles, and they could not be replaced by one: %v; run makechain content consolidate",
			ConsolidateAfter, err)
	}
}

// contentCount returns the number of git bundles that the chain names for the project.
func (p *Push) contentCount(ctx context.Context) (int, error) {
	value, _, err := p.Client.Row(ctx, schema.ProjectKey(p.Project))
	if err != nil || value == nil {
		return 0, err
	}
	row := new(pb.ProjectRow)
	err = schema.Decode(value, row)
	return int(row.GetContentCount()), err
}

// Consolidate uploads everything that the refs of the project reach as one git bundle without prerequisites, or as several that
// build on one another if it is too large, and names it on the chain. It returns the digests. Afterwards earlier git bundles are not
// needed. It returns an IncompleteError if the repository lacks something.
func (p *Push) Consolidate(ctx context.Context) ([]message.Hash, error) {
	if err := p.Journal.drain(ctx, p.Client); err != nil {
		return nil, err
	}
	current, err := p.state(ctx)
	if err != nil {
		return nil, err
	}
	refs, commits, err := p.everything(ctx, current)
	if err != nil {
		return nil, err
	}
	s := &sender{Push: p, plan: &Plan{Project: p.Project}}
	if err := s.uploadBundle(ctx, commits, refs, nil); err != nil {
		if failed, ok := errors.AsType[*gitrepo.Error](err); ok {
			err = &IncompleteError{failed.Error()}
		}
		return nil, err
	}
	digests := make([]message.Hash, len(s.contents))
	for i, c := range s.contents {
		digests[i] = c.digest
	}
	if err := p.Uploader.Confirm(ctx, p.Project, digests); err != nil {
		return nil, err
	}
	return digests, s.nameAll(ctx, current)
}

// everything returns what all refs of the project point at, for the header of a git bundle, and all commits that they reach.
func (p *Push) everything(ctx context.Context, current *state) ([]gitbundle.Ref, []message.Hash, error) {
	if p.Repo.IsShallow() {
		return nil, nil, &IncompleteError{"it is a shallow clone"}
	}
	var refs []gitbundle.Ref
	var wanted gitrepo.Range
	for i, name := range current.names {
		object := message.Hash(current.refs[name].GetHash())
		wanted.Include = append(wanted.Include, object)
		if tag, ok := ident.HashFrom(current.refs[name].GetTagObject()); ok {
			object = tag
		}
		if !gitbundle.IsRefName(name) || !strings.HasPrefix(name, "refs/") {
			name = fmt.Sprintf("refs/makechain/%d", i)
		}
		refs = append(refs, gitbundle.Ref{Name: name, ID: gitid.String(object)})
	}
	if len(refs) == 0 {
		return nil, nil, ErrNoRefs
	}
	have, err := p.Repo.Has(ctx, wanted.Include)
	if err != nil {
		return nil, nil, err
	}
	for i, commit := range wanted.Include {
		if !have[commit] {
			return nil, nil, &IncompleteError{fmt.Sprintf("%s is at %s", ShortRefName(current.names[i]), short(commit))}
		}
	}
	commits, err := p.Repo.List(ctx, wanted)
	return refs, commits, err
}

// nameAll names the uploaded git bundles with temporary refs, which are deleted when that is committed. They point at a commit that
// a ref has already.
func (s *sender) nameAll(ctx context.Context, current *state) error {
	at := message.Hash(current.refs[current.names[0]].GetHash())
	var holders []RefUpdate
	for _, c := range s.contents {
		hold := RefUpdate{Ref: Ref{Name: holderName(c.digest), Type: RefType(""), Commit: at}, Action: Create, nonce: 1, content: c.digest}
		nonce := uint64(2)
		if existing := current.refs[hold.Name]; existing != nil { // of a run that was interrupted: the chain has named it
			nonce, hold.Commit = existing.GetNonce()+1, message.Hash(existing.GetHash())
		} else if err := s.sendUpdate(ctx, &hold, false); err != nil {
			return err
		}
		holders = append(holders, RefUpdate{Ref: hold.Ref, Action: Delete, Old: hold.Commit, nonce: nonce, floor: hold.floor})
	}
	if err := s.await(ctx, 0); err != nil {
		return err
	}
	for i := range holders {
		if err := s.sendUpdate(ctx, &holders[i], true); err != nil {
			return err
		}
	}
	if err := s.await(ctx, 0); err != nil {
		return err
	}
	return s.Journal.clear()
}
