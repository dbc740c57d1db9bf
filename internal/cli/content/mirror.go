package content

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/paging"
	"makechain/internal/cli/query"
	"makechain/internal/cli/signing"
	"makechain/internal/cli/stores"
	"makechain/internal/cli/usage"
	"makechain/internal/contentserver"
	"makechain/internal/mirror"
	"makechain/internal/remotehelper"
	"makechain/internal/term"
	"makechain/message"
)

// mirrorFlags are the flags of mirror.
type mirrorFlags struct {
	query   query.Flags
	signing signing.Flags
	to      string
	from    []string
	all     bool
	watch   bool
}

func newMirrorCommand() *cobra.Command {
	var f mirrorFlags
	command := &cobra.Command{
		Use:   "mirror <project>... --to <store>",
		Short: "Copy the content of projects into another store",
		Long: `Copy the git bundles that the chain names and the store does not have. They are read from the
stores of --from, the node, and the stores that the projects name on the chain, except in
private networks. Their digests are verified. The exit code is 1 if a git bundle is missing.`,
		Example: `  makechain content mirror alice/hello --to /srv/content
  makechain content mirror --all --to "s3://bucket/content?endpoint=https://s3.example" --watch`,
		ValidArgsFunction: connection.Complete(connection.Projects),
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		switch {
		case f.to == "":
			return usage.Errorf(command, "missing --to, the store to copy to")
		case f.all == (len(args) > 0):
			return usage.Errorf(command, "want either projects or --all")
		}
		if err := contentserver.CheckStore(f.to); err != nil {
			return usage.Errorf(command, "--to: %w", err)
		}
		return f.query.Run(command, func(q *query.Query) error { return f.run(q, args) })
	}
	f.query.Register(command)
	f.signing.Register(command)
	flags := command.Flags()
	flags.StringVar(&f.to, "to", "", "directory or bucket to copy to: a path, or s3://bucket/prefix?endpoint=https://host&region=name")
	flags.StringArrayVar(&f.from, "from", nil, "store to read from first, a URL or directory; can be repeated")
	flags.BoolVar(&f.all, "all", false, "copy all public projects of the chain")
	flags.BoolVar(&f.watch, "watch", false, "follow the chain and copy new content until interrupted")
	return command
}

func (f *mirrorFlags) run(q *query.Query, args []string) error {
	ctx := q.Context()
	opener, err := openStores(q, &f.query, &f.signing, f.from)
	if err != nil {
		return err
	}
	target, err := contentserver.OpenStore(ctx, f.to)
	if err != nil {
		return err
	}
	run := &mirroring{
		query: q, all: f.all,
		mirror: &mirror.Mirror{Chain: q.Client, Opener: opener, Target: target, PublicOnly: f.all},
		due:    map[message.Hash]uint64{}, missing: map[message.Hash]time.Time{},
	}
	for _, name := range args {
		id, err := q.Client.Project(ctx, name)
		if err != nil {
			return err
		}
		run.projects = append(run.projects, id)
	}
	if f.watch {
		return run.watch(ctx)
	}
	summary, err := run.pass(ctx)
	if err != nil {
		return err
	}
	return summary.print(q, &f.query)
}

// openStores returns what opens the stores of projects: those of from, the node's, and those on the chain, except in private
// networks.
func openStores(q *query.Query, flags *query.Flags, keys *signing.Flags, from []string) (*remotehelper.Helper, error) {
	config := &remotehelper.Config{Stores: from, Replicas: remotehelper.DefaultReplicas}
	helper, _, err := stores.Connect(q.Context(), flags.Connection.Node, q.Client, config, q.Command.ErrOrStderr(),
		func() (*message.Author, error) { return keys.Author(q.Command, q.ConfigDir(), q.Client) })
	if err == nil {
		helper.FollowPrivate = false
	}
	return helper, err
}

// mirroring is one run of mirror.
type mirroring struct {
	query    *query.Query
	mirror   *mirror.Mirror
	all      bool
	projects []message.Hash // that are copied, unless all are

	due     map[message.Hash]uint64    // projects that have changed in a block, which proofs may not include yet
	missing map[message.Hash]time.Time // projects whose content is incomplete, and when they are tried again
}

// mirrored is what was done for a project.
type mirrored struct {
	project message.Hash
	*mirror.Result
	failed error
}

// mirrorSummary is what was done for all projects.
type mirrorSummary []mirrored

// pass copies all selected projects. A project that fails does not keep others from being copied.
func (m *mirroring) pass(ctx context.Context) (mirrorSummary, error) {
	projects := m.projects
	if m.all {
		var err error
		if projects, err = publicProjects(ctx, m.query.Client); err != nil {
			return nil, err
		}
	}
	progress := term.StartProgress(m.query.Command.ErrOrStderr(), "copying content")
	defer progress.Stop()
	var summary mirrorSummary
	for i, id := range projects {
		progress.Set("copying content", i, len(projects))
		result, err := m.mirror.Copy(ctx, id)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		summary = append(summary, mirrored{id, result, err})
	}
	return summary, nil
}

// publicProjects returns all public projects that are not removed. That the list is complete is the node's word.
func publicProjects(ctx context.Context, c *client.Client) (ids []message.Hash, err error) {
	for cursor := []byte(nil); ; {
		page, err := client.Call(ctx, c.ListProjects, &pb.ListProjectsRequest{Limit: paging.Max, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, project := range page.GetProjects() {
			if project.GetVisibility() == pb.Visibility_VISIBILITY_PUBLIC && project.GetStatus() != statusRemoved {
				ids = append(ids, message.Hash(project.GetProjectId()))
			}
		}
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			return ids, nil
		}
	}
}

// statusRemoved is the status of a removed project.
const statusRemoved = "removed"

// print prints the summary. It returns an error if something is missing.
func (s mirrorSummary) print(q *query.Query, flags *query.Flags) error {
	p := q.Printer()
	table := p.Table("PROJECT", "PRESENT", "COPIED", "SIZE", "REPLACED", "MISSING")
	rows := []map[string]any{}
	missing, failed := 0, 0
	notes := q.Command.ErrOrStderr()
	for _, one := range s {
		if one.failed != nil {
			failed++
			_, _ = fmt.Fprintf(notes, "makechain: %s: %s\n", p.Project(one.project[:]), usage.Describe(one.failed)) // the error is returned
			continue
		}
		missing += len(one.Missing)
		one.report(q, p)
		digests := []string{}
		for _, lacks := range one.Missing {
			digests = append(digests, lacks.Digest.String())
		}
		rows = append(rows, map[string]any{
			"project_id": one.project.String(), "present": one.Present, "copied": one.Copied,
			"bytes": output.Number(uint64(one.Bytes)), "replaced": one.Replaced, "missing": digests,
		})
		table.Row(p.Project(one.project[:]), output.Number(uint64(one.Present)), output.Number(uint64(one.Copied)),
			term.Size(uint64(one.Bytes)), output.Number(uint64(one.Replaced)), output.Number(uint64(len(one.Missing))))
	}
	err := flags.Output.PrintValue(q.Command, map[string]any{"projects": rows}, func(*term.Printer) { table.Print("no projects") })
	switch {
	case err != nil:
		return err
	case missing > 0:
		return fmt.Errorf("%s: no store has them", term.Count(uint64(missing), "git bundle")+" missing")
	case failed > 0:
		return fmt.Errorf("%s could not be copied", term.Count(uint64(failed), "project"))
	}
	return nil
}

// report prints the git bundles that are missing and why.
func (m *mirrored) report(q *query.Query, p *output.Printer) {
	notes := q.Command.ErrOrStderr()
	for _, lacks := range m.Missing {
		_, _ = fmt.Fprintf(notes, "makechain: %s: git bundle %s is missing\n", p.Project(m.project[:]), lacks.Digest)
		for _, reason := range lacks.Reasons {
			_, _ = fmt.Fprintf(notes, "  %s\n", term.Text(reason.Error()))
		}
	}
}

const (
	// missingRetry is the time after which content that no store had is searched again.
	missingRetry = time.Minute
	// maxRetry is the longest time between two attempts to follow the chain.
	maxRetry = time.Minute
)

// watch copies all selected projects, then those that change, until ctx ends.
func (m *mirroring) watch(ctx context.Context) error {
	chain := contentserver.NewRemote(m.query.Client)
	retry := backoff.New(time.Second, maxRetry)
	for {
		err := m.follow(ctx, chain, retry.Reset)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_, _ = fmt.Fprintf(m.query.Command.ErrOrStderr(), "makechain: %s\n", usage.Describe(err)) // it is tried again
		if err := retry.Wait(ctx); err != nil {
			return err
		}
	}
}

// follow copies all selected projects and then, after each block, those that it has changed. progress is called after each block.
func (m *mirroring) follow(ctx context.Context, chain *contentserver.Remote, progress func()) error {
	status, err := chain.Status(ctx)
	if err != nil {
		return err
	}
	summary, err := m.pass(ctx)
	if err != nil {
		return err
	}
	for _, one := range summary {
		m.done(&one)
	}
	for at := status.Height; ; {
		block, err := chain.Next(ctx, at)
		if err != nil {
			return err
		}
		for _, id := range block.Projects {
			if m.all || slices.Contains(m.projects, id) {
				m.due[id] = block.Height
			}
		}
		if err := m.copyDue(ctx); err != nil {
			return err
		}
		at = block.Height
		progress()
	}
}

// copyDue copies the projects that have changed or are incomplete.
func (m *mirroring) copyDue(ctx context.Context) error {
	now := time.Now()
	for id, at := range m.missing {
		if now.After(at) && m.due[id] == 0 {
			m.due[id] = 1
		}
	}
	for id := range m.due {
		result, err := m.mirror.Copy(ctx, id)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m.done(&mirrored{id, result, err})
	}
	return nil
}

// done records and prints what was done for a project.
func (m *mirroring) done(one *mirrored) {
	p, id := m.query.Printer(), one.project
	_, known := m.missing[id]
	delete(m.missing, id)
	if errors.Is(one.failed, mirror.ErrPrivate) || query.IsNotFound(one.failed) {
		delete(m.due, id)
		return
	}
	if one.failed != nil {
		m.missing[id] = time.Now().Add(missingRetry)
		delete(m.due, id)
		_, _ = fmt.Fprintf(m.query.Command.ErrOrStderr(), "makechain: %s: %s\n", p.Project(id[:]), usage.Describe(one.failed))
		return
	}
	if one.Block >= m.due[id] {
		delete(m.due, id)
	}
	if len(one.Missing) > 0 {
		m.missing[id] = time.Now().Add(missingRetry)
		if !known { // once, not with each attempt
			one.report(m.query, p)
		}
	}
	if one.Copied > 0 {
		p.Line("%s: copied %s, %s", p.Project(id[:]), term.Count(uint64(one.Copied), "git bundle"), term.Size(uint64(one.Bytes)))
	}
}
