// Package push has the command that pushes a git repository to a project.
package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/gitrepo"
	"makechain/internal/ident"
	"makechain/internal/push"
	"makechain/internal/remotehelper"
	"makechain/internal/term"
	"makechain/message"
)

// projectPollInterval is the time between two lookups of a project that is being created.
const projectPollInterval = 100 * time.Millisecond

// pusher has the flags of push.
type pusher struct {
	submit.Flags

	selection

	delete        []string
	force, whole  bool
	create, plans bool
	noAuthorNames bool
	noContent     bool
	closeMerged   bool
	url, digest   string
}

// New returns the command push.
func New() *cobra.Command {
	var p pusher
	command := &cobra.Command{
		Use:   "push [<project>] [<branch>...]",
		Short: "Push commits and refs of a git repository to a project",
		Long: `The default is the branch that is checked out. A name can also be a tag, or <revision>:<ref> for
another name on the chain. The first push stores the project in the configuration of the
repository; later it can be left out. To resume an interrupted push, run it again.`,
		Example: `  makechain push alice/hello
  makechain push
  makechain push --all --tags
  makechain push alice/hello HEAD:review --force
  makechain push --delete review`,
		ValidArgsFunction: connection.Complete(connection.Projects),
		RunE:              p.run,
	}
	p.Register(command)
	flags := command.Flags()
	flags.BoolVar(&p.all, "all", false, "push all branches")
	flags.BoolVar(&p.tags, "tags", false, "push all tags")
	flags.BoolVar(&p.force, "force", false, "allow updates of branches that are not fast-forwards, and of tags")
	flags.StringArrayVar(&p.delete, "delete", nil, "delete this ref of the project; can be repeated")
	flags.BoolVar(&p.plans, "dry-run", false, "print what would be done, and do nothing")
	flags.BoolVar(&p.create, "create", false, "create the project if it does not exist")
	flags.BoolVar(&p.whole, "recheck", false, "check every commit, including those that refs of the project already reach")
	flags.BoolVar(&p.noAuthorNames, "no-author-names", false, "leave out the names of the commits' authors; a private project never gets them")
	flags.BoolVar(&p.noContent, "no-content", false, "push commits and refs only, without uploading the files to content stores")
	flags.BoolVar(&p.closeMerged, "close-merged", false, "close the open merge requests that the pushed branches contain as merged")
	flags.StringVar(&p.url, "url", "", "URL where the content of the commits can be fetched, stored on the chain; needs --digest")
	flags.StringVar(&p.digest, "digest", "", "BLAKE3 digest of the content at --url, 64 hex digits, stored with the commits")
	return command
}

func (p *pusher) run(command *cobra.Command, args []string) error {
	if !p.Wait {
		return usage.Errorf(command, "a push always waits, because each step depends on the one before")
	}
	content, err := p.content(command)
	if err != nil {
		return err
	}
	repo, err := gitrepo.Open(command.Context(), ".")
	if err != nil {
		return advisePush(err)
	}
	return p.Run(command, func(q *query.Query) error {
		ctx := q.Context()
		project, names, err := p.target(ctx, command, repo, args)
		if err != nil {
			return err
		}
		wanted, err := p.choose(ctx, command, repo, names, len(p.delete) > 0)
		if err != nil {
			return advisePush(err)
		}
		err = p.push(q, repo, project, content, wanted)
		if cause := ctx.Err(); err != nil && cause != nil {
			err = fmt.Errorf("%w: %w", cause, err) // the interruption may have caused another error
		}
		return advisePush(err)
	})
}

// content returns the location of the content.
func (p *pusher) content(command *cobra.Command) (message.Content, error) {
	content := message.Content{URL: p.url}
	if p.digest == "" {
		if p.url != "" {
			return content, usage.Errorf(command, "--url needs --digest, the digest of the content")
		}
		return content, nil
	}
	var err error
	if content.Digest, err = ident.ParseHash(p.digest); err != nil {
		return content, usage.Errorf(command, "--digest: %w", err)
	}
	return content, nil
}

// target splits the arguments into project and refs. The project may be left out after the first push; then a first
// argument that names a branch or tag is a ref.
func (p *pusher) target(ctx context.Context, command *cobra.Command, repo *gitrepo.Repo, args []string) (project string, names []string, err error) {
	remembered, err := repo.Config(ctx, query.ProjectSetting)
	if err == nil && remembered == "" {
		remembered, err = repo.RemoteProject(ctx)
	}
	switch {
	case err != nil:
		return "", nil, err
	case len(args) == 0 && remembered == "":
		return "", nil, usage.Errorf(command, "missing the project: this repository has not been pushed yet")
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

// push resolves the project, pushes and prints what was done.
func (p *pusher) push(q *query.Query, repo *gitrepo.Repo, name string, content message.Content, refs []push.Ref) error {
	ctx, c := q.Context(), q.Client
	id, err := p.project(q, name)
	if err != nil {
		return err
	}
	config, err := remotehelper.ReadConfig(ctx, "")
	if err != nil {
		return err
	}
	author, uploader, err := p.open(q, config, id)
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
	remembered := &defaultProject{repo: repo, name: name}
	progress := term.StartProgress(q.Command.ErrOrStderr(), "comparing with the chain")
	defer progress.Stop()
	job := &push.Push{
		Repo: repo, Client: c, Author: author, Project: id, Content: content, Uploader: uploader,
		OmitAuthorNames: p.noAuthorNames || !config.AuthorNames, Journal: push.NewJournal(repo.PrivatePath(push.JournalFile)), Timeout: p.Timeout,
		Now: func() uint32 { return uint32(time.Now().Unix()) },
		Progress: func(committed, commits int) {
			progress.Set("pushing commits", committed, commits)
			remembered.store(ctx) // an interrupted push can be repeated without naming the project
		},
	}
	plan, err := p.execute(q, job, name, request)
	progress.Stop()
	if err != nil {
		return describePush(ctx, c, id, err)
	}
	if err := p.printPush(q, name, plan); err != nil || p.plans {
		return err
	}
	remembered.store(ctx)
	if err := remembered.report(q.Command.ErrOrStderr()); err != nil {
		return err
	}
	return p.reportMerged(q, config, job, name, plan)
}

// execute pushes, or only plans it with --dry-run. A project that does not exist is created after everything else about the push
// was validated.
func (p *pusher) execute(q *query.Query, job *push.Push, name string, request push.Request) (plan *push.Plan, err error) {
	if p.plans {
		return job.Plan(q.Context(), request)
	}
	if job.Project == (message.Hash{}) {
		if _, err := job.Plan(q.Context(), request); err != nil {
			return nil, err
		}
		if job.Project, err = p.createProject(q, job.Author, name); err != nil {
			return nil, err
		}
	}
	if plan, err = job.Run(q.Context(), request); err == nil {
		job.Tidy(q.Context(), plan, func(format string, args ...any) {
			_, _ = fmt.Fprintf(q.Command.ErrOrStderr(), "note: "+format+"\n", args...) // there is no other place to report it
		})
	}
	return plan, err
}

// project resolves the project. It is zero for one that --create creates.
func (p *pusher) project(q *query.Query, name string) (message.Hash, error) {
	id, err := q.Client.Project(q.Context(), name)
	missing := (*client.NotFoundError)(nil)
	if !errors.As(err, &missing) || missing.Kind != "project" {
		return id, err
	}
	if !p.create {
		return id, usage.Advise(err, "makechain push --create %s, or makechain project create", name)
	}
	return message.Hash{}, nil
}

func (p *pusher) createProject(q *query.Query, author *message.Author, name string) (message.Hash, error) {
	parsed, err := client.ParseProject(name)
	if err != nil || parsed.Name == "" {
		return message.Hash{}, usage.Errorf(q.Command, "--create needs the project as owner/name, not %q", name)
	}
	owner, err := q.Client.Account(q.Context(), parsed.Owner.String())
	if err != nil {
		return message.Hash{}, err
	}
	if owner != author.Owner() {
		return message.Hash{}, fmt.Errorf("%s is not your account: a project can only be created in your own account", parsed.Owner)
	}
	made, err := p.Submit(q, author, message.ProjectCreate(parsed.Name, pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	refused := (*client.RefusedError)(nil)
	switch {
	case err == nil:
		return made[0].Hash, nil
	case errors.As(err, &refused) && refused.Code == message.CodeNameTaken:
		return p.awaitProject(q.Context(), q.Client, name)
	default:
		return message.Hash{}, err
	}
}

// awaitProject waits for a project that an interrupted push is creating: names are resolved with proofs, which are a
// block behind.
func (p *pusher) awaitProject(ctx context.Context, c *client.Client, name string) (message.Hash, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.Timeout, submit.ErrTimeout)
	defer cancel()
	for {
		id, err := c.Project(ctx, name)
		if !query.IsNotFound(err) {
			return id, err
		}
		if err := backoff.Sleep(ctx, projectPollInterval); err != nil {
			return id, err
		}
	}
}

// defaultProject stores the project in the settings of the repository, unless there is one.
type defaultProject struct {
	repo *gitrepo.Repo
	name string

	tried, changed bool
	err            error
}

// store stores the project when it is called first.
func (d *defaultProject) store(ctx context.Context) {
	if d.tried {
		return
	}
	d.tried = true
	known, err := d.repo.Config(ctx, query.ProjectSetting)
	if err == nil && known == "" {
		err = d.repo.SetConfig(ctx, query.ProjectSetting, d.name)
		d.changed = err == nil
	}
	d.err = err
}

// report prints that the project was stored.
func (d *defaultProject) report(notes io.Writer) error {
	if d.err != nil {
		return fmt.Errorf("the push is done, but the project could not be stored in the repository: %w", d.err)
	}
	if !d.changed {
		return nil
	}
	_, err := fmt.Fprintf(notes, "note: the default project of this repository is now %s (git config makechain.%s)\n", d.name, query.ProjectSetting)
	return err
}

// printPush prints what a push did, or would do. The JSON form is the list of refs after the push.
func (p *pusher) printPush(q *query.Query, name string, plan *push.Plan) error {
	answer := &pb.ListRefsResponse{}
	for _, ref := range plan.Refs() {
		answered := &pb.GetRefResponse{
			ProjectId: plan.Project[:], RefName: []byte(ref.Name), RefType: ref.Type, Hash: ref.Commit[:], Nonce: ref.Nonce, Floor: ref.Floor,
		}
		if ref.TagObject != (message.Hash{}) {
			answered.TagObject = ref.TagObject[:]
		}
		answer.Refs = append(answer.Refs, answered)
	}
	return q.Print(answer, func(out *output.Printer) {
		if len(plan.Updates) == 0 && plan.Commits == 0 {
			out.Line("%s is up to date", name)
			return
		}
		table := out.Table("REF", "CHANGE", "FROM", "TO")
		for _, move := range plan.Updates {
			table.Row(term.Text(push.ShortRefName(move.Name)), describeMove(&move),
				output.Commit(out.Printer, move.Old[:]), output.Commit(out.Printer, move.Commit[:]))
		}
		table.Print("no ref changes")
		verb := "pushed"
		if p.plans {
			verb = "would push"
		}
		out.Line("%s %s to %s", verb, term.Count(uint64(plan.Commits), "commit"), name)
	})
}

func describeMove(move *push.RefUpdate) string {
	word := "branch"
	if move.Type == pb.RefType_REF_TYPE_TAG {
		word = "tag"
	}
	switch move.Action {
	case push.Create:
		return "new " + word
	case push.FastForward:
		return "forward"
	case push.Delete:
		return "deleted"
	case push.ForceUpdate:
	}
	return "replaced"
}

// describePush adds who moved a ref that cannot be fast-forwarded, and names to a refusal.
func describePush(ctx context.Context, c *client.Client, project message.Hash, err error) error {
	if refused := (*client.RefusedError)(nil); errors.As(err, &refused) {
		refused.Reason = output.Quiet(ctx, c).Names(refused.Reason)
		return err
	}
	if tooFew := (*remotehelper.TooFewStoresError)(nil); errors.As(err, &tooFew) {
		for i, reason := range tooFew.Reasons {
			tooFew.Reasons[i] = errors.New(output.Quiet(ctx, c).Names(reason.Error()))
		}
		return err
	}
	rejected := (*push.NonFastForwardError)(nil)
	if !errors.As(err, &rejected) {
		return err
	}
	who := ""
	log, logErr := client.Call(ctx, c.GetRefLog, &pb.GetRefLogRequest{ProjectId: project[:], RefName: []byte(rejected.Ref.Name), Limit: 1})
	if logErr == nil && len(log.GetEntries()) == 1 {
		entry := log.GetEntries()[0]
		who = fmt.Sprintf(" (moved by %s in block %d)", output.Quiet(ctx, c).Account(entry.GetOwnerAddress()), entry.GetBlockNumber())
	}
	return fmt.Errorf("%w%s", err, who)
}

// advisePush adds the next step after a failed push.
func advisePush(err error) error {
	rejected := (*push.NonFastForwardError)(nil)
	switch {
	case err == nil || usage.IsAdvised(err):
		return err
	case errors.As(err, &rejected):
		return usage.Advise(err, "%s", adviseNonFastForward(rejected))
	case errors.As(err, new(*push.ShallowError)):
		return usage.Advise(err, "git fetch --unshallow, then the same push")
	case errors.As(err, new(*push.RefTypeError)):
		return usage.Advise(err, "makechain push --delete it, or <branch>:<another name>")
	case errors.As(err, new(*push.RefNameTooLongError)):
		return usage.Advise(err, "<branch>:<a shorter name>")
	case errors.As(err, new(*push.TooManyRefsError)):
		return usage.Advise(err, "fewer refs by name, or --delete some")
	case errors.As(err, new(*push.TooManyTemporaryRefsError)):
		return usage.Advise(err, "an older commit first (<revision>:<branch>), or --delete refs of the project")
	case errors.As(err, new(*remotehelper.TooFewStoresError)):
		return usage.Advise(err, "git config makechain.store <URL or directory>, or --no-content to push without files")
	case errors.Is(err, gitrepo.ErrNoRepository):
		return usage.Advise(err, "cd into one, or git init")
	case errors.Is(err, gitrepo.ErrDetached):
		return usage.Advise(err, "naming a branch, or HEAD:<branch>")
	case errors.Is(err, gitrepo.ErrNoCommits):
		return usage.Advise(err, "git commit first")
	case errors.Is(err, context.Canceled):
		return usage.Advise(err, "the same push again; it continues where this one stopped")
	default:
		return err
	}
}

func adviseNonFastForward(rejected *push.NonFastForwardError) string {
	switch {
	case rejected.Ref.Type == pb.RefType_REF_TYPE_TAG:
		return "another name for the tag, or --force"
	case rejected.Shallow && !rejected.IsLocal:
		return "git fetch --unshallow, then the same push"
	case rejected.IsLocal:
		return "git merge or git rebase first, or --force to replace what the chain has"
	default:
		return "git fetch from the remote that has it and merge, or --force to replace what the chain has"
	}
}
