package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/internal/push"
	"makechain/internal/term"
	"makechain/message"
)

const (
	// settingProject is where a repository keeps the project it is pushed to: makechain.project.
	settingProject = "project"
	// projectLook is the time between two looks for a project that is being created.
	projectLook = 100 * time.Millisecond
	// inFlightFile keeps what a push has under way, in git's own directory.
	inFlightFile = "in-flight"
)

// pushing is a push as it is asked for.
type pushing struct {
	remote

	selection

	delete        []string
	force, whole  bool
	create, plans bool
	url           string
}

func newPushCommand() *cobra.Command {
	var p pushing
	command := &cobra.Command{
		Use:   "push [<project>] [<branch>...]",
		Short: "Bring commits and refs of a git repository to a project",
		Long: `Bring commits and refs of a git repository to a project.

Without branches it is the one that is checked out. A name can also be a tag, or <revision>:<ref>
to call it something else. The project is kept in the repository after the first push, and can be
left out from then on. A push that was interrupted goes on when it is repeated.`,
		Example: `  makechain push alice/hello
  makechain push
  makechain push --all --tags
  makechain push alice/hello HEAD:review --force
  makechain push --delete review`,
		ValidArgsFunction: completing(projectNames),
		RunE:              p.run,
	}
	p.registerWriter(command)
	flags := command.Flags()
	flags.BoolVar(&p.all, "all", false, "push all branches")
	flags.BoolVar(&p.tags, "tags", false, "push all tags")
	flags.BoolVar(&p.force, "force", false, "move branches backwards or sideways, and tags at all")
	flags.StringArrayVar(&p.delete, "delete", nil, "delete this ref of the project; may be repeated")
	flags.BoolVar(&p.plans, "dry-run", false, "say what would be done, and do nothing")
	flags.BoolVar(&p.create, "create", false, "create the project if there is none")
	flags.BoolVar(&p.whole, "recheck", false, "look at every commit, also those that refs of the project reach already")
	flags.StringVar(&p.url, "url", "", "where the content of the commits can be fetched, to stand with them on the chain")
	return command
}

func (p *pushing) run(command *cobra.Command, args []string) error {
	if !p.wait {
		return misused(command, "a push always waits: what follows builds on what went before")
	}
	repo, err := gitrepo.Open(command.Context(), ".")
	if err != nil {
		return advisePush(err)
	}
	return p.reading(command, func(ctx context.Context, c *client.Client) error {
		project, names, err := p.target(ctx, command, repo, args)
		if err != nil {
			return err
		}
		wanted, err := p.choose(ctx, command, repo, names, len(p.delete) > 0)
		if err != nil {
			return advisePush(err)
		}
		err = p.push(command, c, repo, project, wanted)
		if cause := ctx.Err(); err != nil && cause != nil {
			err = fmt.Errorf("%w: %w", cause, err) // whatever the interruption made fail
		}
		return advisePush(err)
	})
}

// target parts the arguments into project and refs. The project may be left out when the repository knows it; then a
// first argument that is the name of a branch or tag is one.
func (p *pushing) target(ctx context.Context, command *cobra.Command, repo *gitrepo.Repo, args []string) (project string, names []string, err error) {
	remembered, err := repo.Config(ctx, settingProject)
	switch {
	case err != nil:
		return "", nil, err
	case len(args) == 0 && remembered == "":
		return "", nil, misused(command, "missing the project: this repository was not pushed before")
	case len(args) == 0:
		return remembered, nil, nil
	}
	_, err = client.ParseProject(args[0])
	if remembered == "" {
		return args[0], args[1:], err
	}
	known, failed := isRef(ctx, repo, args[0])
	if known || failed != nil || err != nil {
		return remembered, args, failed
	}
	return args[0], args[1:], nil
}

// push finds the project, carries the push out and says what was done.
func (p *pushing) push(command *cobra.Command, c *client.Client, repo *gitrepo.Repo, name string, refs []push.Ref) error {
	ctx := command.Context()
	id, author, err := p.project(command, c, name)
	if err != nil {
		return err
	}
	request := push.Request{Refs: refs, Force: p.force, AllCommits: p.whole}
	for _, label := range p.delete {
		ref, err := c.Ref(ctx, id, label)
		if err != nil {
			return err
		}
		request.Delete = append(request.Delete, ref.Name)
	}
	progress := term.StartProgress(command.ErrOrStderr(), "comparing with the chain")
	job := &push.Push{
		Repo: repo, Client: c, Author: author, Project: id, Content: message.Content{URL: p.url},
		Journal: push.NewJournal(repo.PrivatePath(inFlightFile)), Timeout: p.timeout,
		Now:      func() uint32 { return uint32(time.Now().Unix()) },
		Progress: func(committed, commits int) { progress.Set("pushing commits", committed, commits) },
	}
	run := job.Run
	if p.plans {
		run = job.Plan
	}
	plan, err := run(ctx, request)
	progress.Stop()
	if err != nil {
		return describePush(ctx, c, id, err)
	}
	if err := p.printPush(command, name, plan); err != nil || p.plans {
		return err
	}
	return remember(ctx, command.ErrOrStderr(), repo, name)
}

// project finds the project and whoever pushes to it. With --create a project that is missing is made.
func (p *pushing) project(command *cobra.Command, c *client.Client, name string) (message.Hash, *message.Author, error) {
	id, err := c.Project(command.Context(), name)
	missing := (*client.NotFoundError)(nil)
	isMissing := errors.As(err, &missing) && missing.Kind == "project"
	switch {
	case isMissing && !p.create:
		return id, nil, advise(err, "makechain push --create %s, or makechain project create", name)
	case err != nil && !isMissing:
		return id, nil, err
	}
	author, unlocked := p.author(command, c)
	if unlocked != nil || !isMissing {
		return id, author, unlocked
	}
	if p.plans {
		return id, nil, advise(err, "the same without --dry-run, which creates it")
	}
	id, err = p.createProject(command, c, author, name)
	return id, author, err
}

func (p *pushing) createProject(command *cobra.Command, c *client.Client, author *message.Author, name string) (message.Hash, error) {
	parsed, err := client.ParseProject(name)
	if err != nil || parsed.Name == "" {
		return message.Hash{}, misused(command, "--create wants the project as owner/name, not %q", name)
	}
	owner, err := c.Account(command.Context(), parsed.Owner.String())
	if err != nil {
		return message.Hash{}, err
	}
	if owner != author.Owner() {
		return message.Hash{}, fmt.Errorf("%s is another account's name: a project can only be created for one's own", parsed.Owner)
	}
	made, err := p.submit(command, c, author, message.ProjectCreate(parsed.Name, pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	refused := (*client.RefusedError)(nil)
	switch {
	case err == nil:
		return made[0].Hash, nil
	case errors.As(err, &refused) && refused.Code == message.CodeNameTaken:
		return p.awaitProject(command.Context(), c, name)
	default:
		return message.Hash{}, err
	}
}

// awaitProject finds a project that is being created, by a push that was interrupted: names are read with proofs, which
// are a block behind.
func (p *pushing) awaitProject(ctx context.Context, c *client.Client, name string) (message.Hash, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout, errPatience)
	defer cancel()
	look := time.NewTicker(projectLook)
	defer look.Stop()
	for {
		id, err := c.Project(ctx, name)
		if missing := (*client.NotFoundError)(nil); !errors.As(err, &missing) {
			return id, err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return id, context.Cause(ctx)
		}
	}
}

// remember keeps the project with the repository, unless it knows one.
func remember(ctx context.Context, notes io.Writer, repo *gitrepo.Repo, name string) error {
	if known, err := repo.Config(ctx, settingProject); err != nil || known != "" {
		return err
	}
	if err := repo.SetConfig(ctx, settingProject, name); err != nil {
		return fmt.Errorf("the push is done, but the repository does not remember its project: %w", err)
	}
	_, err := fmt.Fprintf(notes, "note: this repository is pushed to %s from now on (git config makechain.%s)\n", name, settingProject)
	return err
}
