package push

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/input"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/push"
	"makechain/internal/remotehelper"
	"makechain/internal/term"
	"makechain/message"
)

// reportMerged prints which open merge requests the pushed branches contain, and closes them with --close-merged or if the user at the
// terminal agrees. The push is done, so a failure to read them is only noted.
func (p *pusher) reportMerged(q *query.Query, config *remotehelper.Config, job *push.Push, name string, plan *push.Plan) error {
	if !config.MergeRequests && !p.closeMerged {
		return nil
	}
	notes := q.Command.ErrOrStderr()
	merged, err := job.MergedRequests(q.Context(), plan)
	if err != nil {
		_, err = fmt.Fprintf(notes, "note: the merge requests of %s could not be read: %v\n", name, err)
		return err
	}
	if len(merged) == 0 {
		return nil
	}
	if !p.closeMerged {
		for _, request := range merged {
			if _, err := fmt.Fprintln(notes, "note: "+push.DescribeMerged(name, request)); err != nil {
				return err
			}
		}
		if q.JSON() || !term.IsTerminal(q.Command.InOrStdin()) {
			return nil
		}
		if agreed, err := input.Ask(q.Command, "Close as merged?"); err != nil || !agreed {
			return nil //nolint:nilerr // no answer is a no
		}
	}
	var messages []*pb.MessageData
	for _, request := range merged {
		messages = append(messages, message.MergeRequestClose(plan.Project, message.Hash(request.GetRequestId()),
			pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED, message.Hash{}))
	}
	receipts, err := p.Submit(q, job.Author, messages...)
	if err != nil {
		return fmt.Errorf("the push is done, but a merge request was not closed: %w", err)
	}
	return submit.PrintReceipts(q, fmt.Sprintf("closed %s as merged", term.Count(uint64(len(merged)), "merge request")), receipts)
}
