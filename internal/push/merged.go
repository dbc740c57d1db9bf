package push

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/internal/ident"
	"makechain/internal/limit"
	"makechain/internal/term"
	"makechain/message"
)

const (
	// maxRequestPages is the number of pages of open merge requests that are read after a push.
	maxRequestPages = 2
	// MaxMergedRequests is the largest number of merge requests that MergedRequests returns.
	MaxMergedRequests = 20
)

// MergedRequests returns open merge requests into the branches of a push whose commits these branches contain: those that the push
// has added, and for a branch that did not change all. It looks at the first 400 open requests of the project and at commits
// that the repository has, and returns at most MaxMergedRequests. The requests are the node's word.
func (p *Push) MergedRequests(ctx context.Context, plan *Plan) ([]*pb.MergeRequestSummary, error) {
	if plan.openRequests == 0 {
		return nil, nil
	}
	open, err := p.openRequests(ctx)
	if err != nil {
		return nil, err
	}
	var merged []*pb.MergeRequestSummary
	for _, branch := range plan.branches() {
		requests := slices.DeleteFunc(slices.Clone(open), func(r *pb.MergeRequestSummary) bool { return string(r.GetTargetRef()) != branch.Name })
		commits, err := p.localCommits(ctx, sourceCommits(requests))
		if err != nil {
			return nil, err
		}
		added, err := p.addedCommits(ctx, commits, branch)
		if err != nil {
			return nil, err
		}
		for _, request := range requests {
			if slices.Contains(added, message.Hash(request.GetSourceCommitHash())) {
				merged = append(merged, request)
			}
		}
	}
	return merged[:min(len(merged), MaxMergedRequests)], nil
}

// openRequests reads the first pages of the project's open merge requests, without invalid ones.
func (p *Push) openRequests(ctx context.Context) ([]*pb.MergeRequestSummary, error) {
	var open []*pb.MergeRequestSummary
	cursor := []byte(nil)
	for range maxRequestPages {
		page, err := client.Call(ctx, p.Client.ListMergeRequests, &pb.ListMergeRequestsRequest{
			ProjectId: p.Project[:], Limit: limit.MaxPage, Cursor: cursor,
		})
		if err != nil {
			return nil, err
		}
		for _, request := range page.GetMergeRequests() {
			_, hasID := ident.HashFrom(request.GetRequestId())
			if _, hasCommit := ident.HashFrom(request.GetSourceCommitHash()); hasID && hasCommit {
				open = append(open, request)
			}
		}
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			break
		}
	}
	return open, nil
}

// branches returns the branches of the plan as they are after the push. Old is zero for a branch that did not change.
func (p *Plan) branches() []RefUpdate {
	var branches []RefUpdate
	for _, update := range p.Updates {
		if update.Action != Delete && update.Type == pb.RefType_REF_TYPE_BRANCH {
			branches = append(branches, update)
		}
	}
	for _, ref := range p.Unchanged {
		if ref.Type == pb.RefType_REF_TYPE_BRANCH {
			branches = append(branches, RefUpdate{Ref: ref.Ref})
		}
	}
	return branches
}

// sourceCommits returns the commits of merge requests.
func sourceCommits(requests []*pb.MergeRequestSummary) []message.Hash {
	commits := make([]message.Hash, len(requests))
	for i, request := range requests {
		commits[i] = message.Hash(request.GetSourceCommitHash())
	}
	return commits
}

// addedCommits returns those of the commits that a branch contains, and did not contain before.
func (p *Push) addedCommits(ctx context.Context, commits []message.Hash, branch RefUpdate) ([]message.Hash, error) {
	outside, err := p.Repo.List(ctx, gitrepo.Range{Include: commits, Exclude: []message.Hash{branch.Commit}})
	if err != nil {
		return nil, err
	}
	added := slices.DeleteFunc(slices.Clone(commits), func(c message.Hash) bool { return slices.Contains(outside, c) })
	before, err := p.localCommits(ctx, slices.DeleteFunc([]message.Hash{branch.Old}, func(c message.Hash) bool { return c == message.Hash{} }))
	if err != nil || len(before) == 0 {
		return added, err
	}
	isNew, err := p.Repo.List(ctx, gitrepo.Range{Include: added, Exclude: before})
	return slices.DeleteFunc(added, func(c message.Hash) bool { return !slices.Contains(isNew, c) }), err
}

// DescribeMerged returns that a branch contains an open merge request of a project, and how to close it.
func DescribeMerged(project string, request *pb.MergeRequestSummary) string {
	id := hex.EncodeToString(request.GetRequestId())[:term.ShortDigits]
	return fmt.Sprintf("%s contains the merge request %s (%s); to close it: makechain mr close %s %s --merged",
		term.Text(ShortRefName(string(request.GetTargetRef()))), id, term.Text(request.GetTitle()), project, id)
}
