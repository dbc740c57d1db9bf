package remotehelper

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/gitid"
	"makechain/internal/push"
	"makechain/message"
)

// Reasons for a rejected ref that git knows and prints in its own words, with advice.
const (
	reasonFetchFirst     = "fetch first"
	reasonNonFastForward = "non-fast forward"
	reasonAlreadyExists  = "already exists"
	reasonStale          = "stale info"
)

// push pushes refs. Each line is "push [+]<source>:<destination>"; without a source the destination is deleted. The result of
// each ref is reported to git.
func (h *Helper) push(ctx context.Context, lines []string) error {
	if err := h.load(ctx); err != nil {
		return err
	}
	p := &pushing{helper: h, results: map[string]string{}, request: push.Request{Expected: map[string]message.Hash{}}}
	for _, line := range lines {
		if err := p.add(strings.TrimPrefix(line, "push ")); err != nil {
			return err
		}
	}
	if err := p.resolve(ctx); err != nil {
		return err
	}
	if h.options.atomic && len(lines) > 1 {
		p.rejectAll("the chain updates one ref at a time, so --atomic is for one ref only")
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	for _, name := range p.names {
		answer := "ok " + name
		if reason := p.results[name]; reason != "" {
			answer = "error " + name + " " + reason
		}
		if err := h.print(answer + "\n"); err != nil {
			return err
		}
	}
	return h.print("\n")
}

// pushing is a push of some refs.
type pushing struct {
	helper  *Helper
	request push.Request
	names   []string
	sources []string          // what the refs of the request are set to, in the same order
	results map[string]string // why refs are rejected
}

// add adds a ref to the request. Its commit is not known before resolve.
func (p *pushing) add(spec string) error {
	spec, force := strings.CutPrefix(spec, "+")
	source, name, found := strings.Cut(spec, ":")
	if !found || name == "" {
		return fmt.Errorf("git sent the command %q", "push "+spec)
	}
	p.names = append(p.names, name)
	lease, hasLease := p.helper.options.expected[name]
	p.request.Expected[name] = p.helper.listed(name)
	if hasLease {
		expected, err := gitid.Parse(lease)
		if err != nil {
			return err
		}
		p.request.Expected[name] = expected
	}
	if source == "" {
		p.request.Delete = append(p.request.Delete, name)
		return nil
	}
	ref := push.Ref{Name: name, Type: push.RefType(name), Force: force || hasLease || p.helper.options.force}
	p.request.Refs, p.sources = append(p.request.Refs, ref), append(p.sources, source)
	return nil
}

// listed returns the object that git has seen a ref at, zero for a ref that did not exist.
func (h *Helper) listed(name string) message.Hash {
	for _, ref := range h.project.Refs {
		if ref.Name != name {
			continue
		}
		if ref.TagObject != (message.Hash{}) {
			return ref.TagObject
		}
		return ref.Commit
	}
	return message.Hash{}
}

// resolve sets the commits and tag objects of the request, and rejects refs that cannot be pushed. It starts few processes
// for any number of refs.
func (p *pushing) resolve(ctx context.Context) error {
	if len(p.sources) == 0 {
		return nil
	}
	var input strings.Builder
	for _, source := range p.sources {
		fmt.Fprintf(&input, "%s\n%s^{commit}\n", source, source)
	}
	printed, err := p.helper.Config.inner.git(ctx, strings.NewReader(input.String()), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		return err
	}
	lines := strings.Split(printed, "\n")
	if len(lines) != 2*len(p.sources) {
		return fmt.Errorf("git cat-file printed %d lines for %d objects", len(lines), 2*len(p.sources))
	}
	rejected := map[string]string{}
	var commits []string
	for i := range p.request.Refs {
		ref := &p.request.Refs[i]
		reason, err := setObjects(ref, lines[2*i], lines[2*i+1])
		if err != nil {
			return fmt.Errorf("%s: %w", p.sources[i], err)
		}
		if reason != "" {
			rejected[ref.Name] = reason
			continue
		}
		commits = append(commits, gitid.String(ref.Commit))
	}
	usesLFS, err := findLFS(ctx, p.helper.Config.inner, commits)
	if err != nil {
		return err
	}
	for _, ref := range p.request.Refs {
		if usesLFS[gitid.String(ref.Commit)] {
			rejected[ref.Name] = "it uses Git LFS (filter=lfs in .gitattributes), whose files the stores do not have"
		}
	}
	for name, reason := range rejected {
		p.reject(name, reason)
	}
	return nil
}

// setObjects sets the commit and the tag object of a ref. It returns why the ref cannot be pushed, or "".
func setObjects(ref *push.Ref, object, peeled string) (reason string, err error) {
	id, kind, _ := strings.Cut(object, " ")
	at, err := gitid.Parse(id)
	if err != nil {
		return "", err
	}
	commit, isCommit := strings.CutSuffix(peeled, " commit")
	if !isCommit {
		return "it points to a " + kind + " that is not one of a commit; the chain only has refs to commits", nil
	}
	if ref.Commit, err = gitid.Parse(commit); err != nil {
		return "", err
	}
	if kind == "tag" {
		if ref.Type != pb.RefType_REF_TYPE_TAG {
			return "it points to a tag object, which only tags can", nil
		}
		ref.TagObject = at
	}
	return "", nil
}

// maxSearched is the number of commits that one process searches; their ids are in its arguments.
const maxSearched = 500

// findLFS returns which commits have files that are kept in Git LFS, outside of git.
func findLFS(ctx context.Context, git inner, commits []string) (map[string]bool, error) {
	found := map[string]bool{}
	slices.Sort(commits)
	for some := range slices.Chunk(slices.Compact(commits), maxSearched) {
		args := slices.Concat([]string{"grep", "-l", "-e", "filter=lfs"}, some, []string{"--", ":(glob)**/.gitattributes"})
		printed, err := git.git(ctx, nil, args...)
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
			continue
		}
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(printed) {
			commit, _, _ := strings.Cut(line, ":")
			found[commit] = true
		}
	}
	return found, nil
}

// reject removes a ref from the request.
func (p *pushing) reject(name, reason string) {
	p.results[name] = strings.ReplaceAll(reason, "\n", " ")
	var refs []push.Ref
	for _, ref := range p.request.Refs {
		if ref.Name != name {
			refs = append(refs, ref)
		}
	}
	var deleted []string
	for _, other := range p.request.Delete {
		if other != name {
			deleted = append(deleted, other)
		}
	}
	p.request.Refs, p.request.Delete = refs, deleted
}

func (p *pushing) rejectAll(reason string) {
	for _, name := range p.names {
		if p.results[name] == "" {
			p.reject(name, reason)
		}
	}
}

// run pushes the refs. When one of them is rejected the others are pushed, as git does.
func (p *pushing) run(ctx context.Context) error {
	if len(p.request.Refs)+len(p.request.Delete) == 0 {
		return nil
	}
	h := p.helper
	job, err := h.NewPush(ctx, h.project.ID)
	if err != nil {
		return err
	}
	if h.options.progress {
		job.Progress = func(committed, commits int) {
			end := "\r"
			if committed >= commits {
				end = ", done.\n"
			}
			_, _ = fmt.Fprintf(h.Notes, "Pushing commits: %d/%d%s", committed, commits, end) // nothing depends on it
		}
	}
	if !h.options.dryRun {
		if job.Uploader, err = h.OpenUploader(ctx, h.project.ID); err != nil {
			return err
		}
	}
	for len(p.request.Refs)+len(p.request.Delete) > 0 {
		var plan *push.Plan
		if h.options.dryRun {
			_, err = job.Plan(ctx, p.request)
		} else {
			if plan, err = job.Run(ctx, p.request); err == nil {
				job.Tidy(ctx, plan, h.note)
			}
		}
		if err == nil {
			h.noteMerged(ctx, job, plan)
			return nil
		}
		name, reason := p.rejected(err)
		if name == "" {
			h.note("%v", err)
			summary, _, _ := strings.Cut(err.Error(), "\n")
			p.rejectAll(h.named(summary))
			return nil
		}
		p.reject(name, reason)
	}
	return nil
}

// mergedTimeout is the time for reading merge requests after a push.
const mergedTimeout = 5 * time.Second

// noteMerged prints which open merge requests a push contains. The push is done, so errors do not matter. The plan is nil after
// a dry run.
func (h *Helper) noteMerged(ctx context.Context, job *push.Push, plan *push.Plan) {
	if plan == nil || h.options.verbosity < 1 || !h.Config.MergeRequests {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, mergedTimeout)
	defer cancel()
	merged, err := job.MergedRequests(ctx, plan)
	if err != nil {
		return
	}
	node := ""
	if h.Address.Node != "" {
		node = " --node " + h.Address.Node
	}
	for _, request := range merged {
		_, _ = fmt.Fprintf(h.Notes, "note: %s%s\n", push.DescribeMerged(h.Address.Project.String(), request), node) // nothing depends on it
	}
}

// rejected returns the ref that an error is about and the reason for git; "" for an error that is about all refs.
func (p *pushing) rejected(err error) (name, reason string) {
	var notForward *push.NonFastForwardError
	var changed *push.ChangedError
	var missing *push.RefNotFoundError
	var typed *push.RefTypeError
	var long *push.RefNameTooLongError
	switch {
	case errors.As(err, &notForward) && notForward.Ref.Type == pb.RefType_REF_TYPE_TAG:
		return notForward.Ref.Name, reasonAlreadyExists
	case errors.As(err, &notForward) && notForward.IsLocal:
		return notForward.Ref.Name, reasonNonFastForward
	case errors.As(err, &notForward):
		return notForward.Ref.Name, reasonFetchFirst
	case errors.As(err, &changed):
		if _, hasLease := p.helper.options.expected[changed.Name]; hasLease {
			return changed.Name, reasonStale
		}
		return changed.Name, reasonFetchFirst
	case errors.As(err, &missing):
		return missing.Name, "the chain does not have it"
	case errors.As(err, &typed):
		return typed.Name, err.Error()
	case errors.As(err, &long):
		return long.Name, err.Error()
	default:
		return "", ""
	}
}
