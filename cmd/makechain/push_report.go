package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/internal/ident"
	"makechain/internal/push"
	"makechain/internal/term"
	"makechain/message"
)

// printPush says what a push did, or would do. Programs get the refs as they are afterwards.
func (p *pushing) printPush(command *cobra.Command, name string, plan *push.Plan) error {
	answer := &pb.ListRefsResponse{}
	for _, ref := range plan.Refs() {
		answer.Refs = append(answer.Refs, &pb.GetRefResponse{
			ProjectId: plan.Project[:], RefName: []byte(ref.Name), RefType: ref.Type, Hash: ref.Commit[:], Nonce: ref.Nonce,
		})
	}
	return p.print(command, answer, func(out *term.Printer) {
		if len(plan.Updates) == 0 && plan.Commits == 0 {
			out.Line("%s has everything already", name)
			return
		}
		table := out.Table("REF", "CHANGE", "FROM", "TO")
		for _, move := range plan.Updates {
			table.Row(term.Text(push.ShortRefName(move.Name)), describeMove(&move), commitID(out, move.Old[:]), commitID(out, move.Commit[:]))
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

// commitID prints a commit by its git id. No commit is "-".
func commitID(p *term.Printer, commit []byte) string {
	if hash, ok := ident.HashFrom(commit); ok && hash != (message.Hash{}) {
		return p.ID(commit[:len(gitrepo.ToID(hash))/2])
	}
	return "-"
}

// describePush says more about a ref that somebody else has moved.
func describePush(ctx context.Context, c *client.Client, project message.Hash, err error) error {
	behind := (*push.NonFastForwardError)(nil)
	if !errors.As(err, &behind) {
		return err
	}
	who := ""
	log, logErr := client.Call(ctx, c.GetRefLog, &pb.GetRefLogRequest{ProjectId: project[:], RefName: []byte(behind.Ref.Name), Limit: 1})
	if logErr == nil && len(log.GetEntries()) == 1 {
		quiet := term.New(nil, term.Options{})
		who = fmt.Sprintf(" (%s put it there in block %d)", newLabels(c, quiet).account(ctx, log.GetEntries()[0].GetOwnerAddress()),
			log.GetEntries()[0].GetBlockNumber())
	}
	return fmt.Errorf("%w%s", err, who)
}

// advisePush says what to do about a push that could not be.
func advisePush(err error) error {
	behind := (*push.NonFastForwardError)(nil)
	advised := (*advisedError)(nil)
	crowded := (*push.TooManyTemporaryRefsError)(nil)
	switch {
	case err == nil || errors.As(err, &advised):
		return err
	case errors.As(err, &behind):
		return advise(err, "%s", adviseBehind(behind))
	case errors.As(err, new(*push.ShallowError)):
		return advise(err, "git fetch --unshallow, then the same push")
	case errors.As(err, new(*push.RefTypeError)):
		return advise(err, "makechain push --delete it, or <branch>:<another name>")
	case errors.As(err, new(*push.RefNameTooLongError)):
		return advise(err, "<branch>:<a shorter name>")
	case errors.As(err, new(*push.TooManyRefsError)):
		return advise(err, "fewer refs by name, or --delete some")
	case errors.As(err, &crowded):
		return advise(err, "an older commit first (<revision>:<branch>), or --delete refs of the project")
	case errors.Is(err, gitrepo.ErrNoRepository):
		return advise(err, "cd into one, or git init")
	case errors.Is(err, gitrepo.ErrDetached):
		return advise(err, "naming a branch, or HEAD:<branch>")
	case errors.Is(err, gitrepo.ErrNoCommits):
		return advise(err, "git commit first")
	case errors.Is(err, context.Canceled):
		return advise(err, "the same push again; it goes on where this one ended")
	default:
		return err
	}
}

func adviseBehind(behind *push.NonFastForwardError) string {
	switch {
	case behind.Ref.Type == pb.RefType_REF_TYPE_TAG:
		return "another name for the tag, or --force"
	case behind.Shallow && !behind.IsLocal:
		return "git fetch --unshallow, then the same push"
	case behind.IsLocal:
		return "git merge or git rebase first, or --force to replace what the chain has"
	default:
		return "git fetch from where it was made and merge it, or --force to replace what the chain has"
	}
}
