package mr

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/internal/ident"
	"makechain/message"
)

// The ways to merge, as they are stored while a merge is under way.
const (
	byMerge  = "merge"
	bySquash = "squash"
	byRebase = "rebase"
)

// merger has the flags of merge.
type merger struct {
	submit.Flags

	squash, rebase, resume bool
}

func newMergeCommand() *cobra.Command {
	var m merger
	command := &cobra.Command{
		Use:   "merge [<project>] <id>",
		Short: "Merge a merge request, push the result and close it",
		Long: `Run it in a git repository in which the target branch is checked out. It fetches the commits with
git-remote-makechain, merges them with git, pushes the branch to the project, and closes the merge request as merged.
Conflicts stay in the working tree as with git: resolve them, git add the files, and run the command again or with
--continue. To give up, use git merge --abort, git cherry-pick --abort or git reset --hard. Hooks do not run.`,
		Example: `  makechain mr merge alice/hello 3fa9c1d2
  makechain mr merge 3fa9c1d2 --squash
  makechain mr merge 3fa9c1d2 --continue`,
		Args:              requestArgs,
		ValidArgsFunction: connection.Complete(connection.Projects),
		RunE: func(command *cobra.Command, args []string) error {
			if err := requireOne(command, "squash", "rebase", "continue"); err != nil {
				return err
			}
			if !m.Wait {
				return usage.Errorf(command, "a merge always waits, because each step depends on the one before")
			}
			return m.Run(command, func(q *query.Query) error { return m.merge(q, args) })
		},
	}
	m.Register(command)
	flags := command.Flags()
	flags.BoolVar(&m.squash, "squash", false, "add one commit with all changes")
	flags.BoolVar(&m.rebase, "rebase", false, "add a copy of each commit, without merge commits")
	flags.BoolVar(&m.resume, "continue", false, "go on after conflicts were resolved")
	return command
}

func (m *merger) merge(q *query.Query, args []string) error {
	id, err := resolve(q, args)
	if err != nil {
		return err
	}
	answer, err := get(q.Context(), q.Client, id)
	if err != nil {
		return err
	}
	r, err := openRepository(q.Command, &m.Connection, answer.GetMergeRequest())
	if err != nil {
		return err
	}
	state := &mergeState{path: r.PrivatePath("merge-" + id.request.String())}
	if err := state.read(); err != nil {
		return err
	}
	if m.resume && state.mode == "" {
		return usage.Errorf(q.Command, "no merge of this request is under way in this repository")
	}
	head, err := m.integrate(q, r, state)
	if err != nil {
		return adviseGit(err, "git status; then makechain mr merge %s --continue", strings.Join(args, " "))
	}
	author, err := m.Author(q) // before the push, so that a wrong passphrase changes nothing
	if err != nil {
		return err
	}
	if err := m.push(r, head); err != nil {
		return adviseGit(err, "the same command again, after git pull if the branch has moved")
	}
	merged := message.MergeRequestClose(id.project, id.request, pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED, head)
	receipts, err := m.Submit(q, author, merged)
	if err != nil {
		return err
	}
	if err := state.remove(); err != nil {
		return err
	}
	return submit.PrintReceipts(q, fmt.Sprintf("merged %s as %s", args[len(args)-1], gitid.String(head)[:8]), receipts)
}

// integrate merges the source into the branch that is checked out, unless that was done before, and returns the new commit.
func (m *merger) integrate(q *query.Query, r *repository, state *mergeState) (message.Hash, error) {
	ctx := q.Context()
	branch, err := r.Head(ctx)
	if err != nil {
		return message.Hash{}, err
	}
	if want := string(r.request.GetTargetRef()); branch.Name != want {
		err := fmt.Errorf("the merge request is for %s, but %s is checked out", output.Ref(r.request.GetTargetRef()), branch.Name)
		return message.Hash{}, usage.Advise(err, "git switch %s", strings.TrimPrefix(want, gitrepo.BranchPrefix))
	}
	if done, err := r.resume(state, branch.Commit); err != nil || done {
		if err != nil {
			return message.Hash{}, err
		}
		return r.Resolve(ctx, "HEAD")
	}
	source, err := r.source()
	if err != nil {
		return message.Hash{}, err
	}
	target, err := r.target(ctx, q.Client)
	if err != nil {
		return message.Hash{}, err
	}
	if err := r.git(nil, "merge", "--ff-only", "--quiet", gitid.String(target)); err != nil {
		return message.Hash{}, fmt.Errorf("the branch is not a continuation of the project's: %w", err)
	}
	base, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		return message.Hash{}, err
	}
	if base != target {
		return message.Hash{}, errors.New("the branch has commits that are not pushed: push them first")
	}
	state.mode, state.base = m.mode(), base
	if err := state.write(); err != nil {
		return message.Hash{}, err
	}
	if err := r.apply(state.mode, base, source); err != nil {
		return message.Hash{}, err
	}
	return r.Resolve(ctx, "HEAD")
}

func (m *merger) mode() string {
	switch {
	case m.squash:
		return bySquash
	case m.rebase:
		return byRebase
	default:
		return byMerge
	}
}

// apply adds the changes of the source to the branch.
func (r *repository) apply(mode string, base, source message.Hash) error {
	id := gitid.String(source)
	title := fmt.Sprintf("Merge request %x: %s", r.request.GetRequestId()[:4], r.request.GetTitle())
	switch mode {
	case bySquash:
		if err := r.git(nil, "merge", "--squash", "--quiet", id); err != nil {
			return err
		}
		return r.git(strings.NewReader(title+"\n"), "commit", "--quiet", "--file=-")
	case byRebase:
		commits, err := r.List(r.command.Context(), gitrepo.Range{Include: []ident.Hash{source}, Exclude: []ident.Hash{base}})
		if err != nil {
			return err
		}
		var picked strings.Builder
		err = r.ReadCommits(r.command.Context(), commits, func(c *gitrepo.Commit) error {
			if len(c.Parents) < 2 {
				picked.WriteString(gitid.String(c.Hash) + "\n")
			}
			return nil
		})
		if err != nil {
			return err
		}
		return r.git(strings.NewReader(picked.String()), "cherry-pick", "--allow-empty", "--stdin")
	default:
		return r.git(nil, "merge", "--no-edit", "--no-ff", "-m", title, id)
	}
}

// resume finishes a merge that was interrupted by conflicts, and reports whether the branch has the changes.
func (r *repository) resume(state *mergeState, head message.Hash) (done bool, err error) {
	if state.mode == "" {
		return false, nil
	}
	under := func(name string) bool {
		path, err := r.GitPath(r.command.Context(), name)
		if err != nil {
			return false
		}
		_, err = os.Lstat(path)
		return err == nil
	}
	switch {
	case under("CHERRY_PICK_HEAD"):
		r.config = append(r.config, "-c", "core.editor=true")
		return true, r.git(nil, "cherry-pick", "--continue")
	case under("MERGE_HEAD"), under("SQUASH_MSG") && head == state.base:
		return true, r.git(nil, "commit", "--no-edit", "--quiet")
	default:
		return head != state.base, nil // else it was aborted, and starts again
	}
}

// push pushes the branch through git-remote-makechain.
func (m *merger) push(r *repository, head message.Hash) error {
	url, err := r.url(r.request.GetProjectId())
	if err != nil {
		return err
	}
	r.config = append(r.config, "-c", "makechain.mergeRequests=false") // this command closes it
	if m.Signing.Account != "" {
		r.config = append(r.config, "-c", "makechain.account="+m.Signing.Account)
	}
	return r.git(nil, "push", "--end-of-options", url, gitid.String(head)+":"+string(r.request.GetTargetRef()))
}

// mergeState is a merge that is under way, in a file of the repository.
type mergeState struct {
	path string
	mode string
	base message.Hash // the commit of the branch before
}

func (s *mergeState) read() error {
	content, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	mode, base, _ := strings.Cut(strings.TrimSpace(string(content)), " ")
	if s.base, err = ident.ParseHash(base); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	s.mode = mode
	return nil
}

func (s *mergeState) write() error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(s.path, []byte(s.mode+" "+s.base.String()+"\n"), 0o600)
}

func (s *mergeState) remove() error {
	if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
