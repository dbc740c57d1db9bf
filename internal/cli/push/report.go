package push

import (
	"context"
	"errors"
	"fmt"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/gitrepo"
	"makechain/internal/push"
	"makechain/internal/term"
	"makechain/message"
)

// printPush prints what a push did, or would do. The JSON form is the list of refs after the push.
func (p *pusher) printPush(q *query.Query, name string, plan *push.Plan) error {
	answer := &pb.ListRefsResponse{}
	for _, ref := range plan.Refs() {
		answer.Refs = append(answer.Refs, &pb.GetRefResponse{
			ProjectId: plan.Project[:], RefName: []byte(ref.Name), RefType: ref.Type, Hash: ref.Commit[:], Nonce: ref.Nonce,
		})
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

// describePush adds who moved a ref that cannot be fast-forwarded.
func describePush(ctx context.Context, c *client.Client, project message.Hash, err error) error {
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
