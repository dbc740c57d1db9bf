package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/term"
	"makechain/message"
)

// maxBumps is by how many seconds a message may be dated ahead, when another one that it follows was made in the same
// second: the chain orders changes by their timestamps (P9.1, P9.2).
const maxBumps = 3

// errPatience says why a wait ended.
var errPatience = errors.New("--timeout has passed")

// receipt is a message that was taken in.
type receipt struct {
	*message.Envelope

	block uint64 // 0 when nobody waited for it
}

// send signs messages, hands them over one after another, waits for their blocks unless --wait is off, and prints
// what was done: the sentence for people, or the answers of SubmitMessage, one on a line.
func (r *remote) send(command *cobra.Command, c *client.Client, author *message.Author, done string, data ...*pb.MessageData) error {
	receipts, err := r.submit(command, c, author, data...)
	if err != nil {
		return err
	}
	return r.printReceipts(command, done, receipts)
}

// submit is send without a word, for commands that have more to say.
func (r *remote) submit(command *cobra.Command, c *client.Client, author *message.Author, data ...*pb.MessageData) ([]receipt, error) {
	ctx, cancel := context.WithTimeoutCause(command.Context(), r.timeout, errPatience)
	defer cancel()
	progress := term.StartProgress(command.ErrOrStderr(), "waiting for the node")
	defer progress.Stop()
	receipts := make([]receipt, 0, len(data))
	for i, d := range data {
		progress.Set("sending", i, len(data))
		m, err := signAndSubmit(ctx, c, author, d)
		if err != nil && m != nil {
			err = adviseStatus(err, m.Hash)
		}
		if err != nil {
			return receipts, r.printRefusal(command, err)
		}
		receipts = append(receipts, receipt{Envelope: m})
	}
	for i := range receipts {
		if !r.wait {
			break
		}
		progress.Set("waiting for a block", i, len(receipts))
		block, err := c.AwaitCommitted(ctx, receipts[i].Hash)
		if err != nil {
			return receipts[:i], r.printRefusal(command, adviseStatus(err, receipts[i].Hash))
		}
		receipts[i].block = block
	}
	return receipts, nil
}

// adviseStatus says how to learn what became of a message whose fate is open.
func adviseStatus(err error, hash message.Hash) error {
	if refused := (*client.RefusedError)(nil); errors.As(err, &refused) {
		return err
	}
	return advise(err, "makechain message status %s, to see what became of it", hash)
}

// signAndSubmit makes a message of this moment, and hands it over. If the chain has a change of the same second that
// the message would not follow, or the very same message, it is dated a second ahead: what was refused can never
// apply, and each command is a wish of its own.
func signAndSubmit(ctx context.Context, c *client.Client, author *message.Author, data *pb.MessageData) (*message.Envelope, error) {
	now := uint32(time.Now().Unix())
	for bump := uint32(0); ; bump++ {
		m, err := author.Sign(now+bump, data)
		if err != nil {
			return nil, err
		}
		if refusal := m.Validate(); refusal != nil { // says the same as the node would, without one
			return nil, &client.RefusedError{Stage: refusal.Stage, Code: refusal.Code, Reason: refusal.Reason, Hash: m.Hash}
		}
		status, err := client.Call(ctx, c.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: m.Hash[:]})
		if err != nil {
			return nil, err
		}
		if bump < maxBumps && status.GetState() != pb.MessageState_MESSAGE_STATE_UNKNOWN {
			continue
		}
		err = c.Submit(ctx, m)
		if refused := (*client.RefusedError)(nil); bump < maxBumps && errors.As(err, &refused) && refused.Code == message.CodeStaleWrite {
			continue
		}
		return m, err
	}
}

// printReceipts says what was done.
func (r *remote) printReceipts(command *cobra.Command, done string, receipts []receipt) error {
	if !r.json {
		p := r.printer(command)
		last := receipts[len(receipts)-1]
		if last.block == 0 {
			p.Line("sent: %s is pending; makechain message status %s", p.ID(last.Hash[:]), last.Hash)
		} else {
			p.Line("%s %s", done, p.Style(term.Dim, fmt.Sprintf("(block %d)", last.block)))
		}
		return p.Err()
	}
	for _, each := range receipts {
		answer := &pb.SubmitMessageResponse{Hash: each.Hash[:], Accepted: true, BlockNumber: each.block}
		if err := r.print(command, answer, nil); err != nil {
			return err
		}
	}
	return nil
}

// printRefusal gives programs the refusal as SubmitMessage answers it, and returns the error that it was given.
func (r *remote) printRefusal(command *cobra.Command, err error) error {
	refused := (*client.RefusedError)(nil)
	if !r.json || !errors.As(err, &refused) {
		return err
	}
	answer := &pb.SubmitMessageResponse{
		Hash: refused.Hash[:], Code: string(refused.Code), Stage: string(refused.Stage), Error: refused.Reason,
	}
	return errors.Join(err, r.print(command, answer, nil))
}
