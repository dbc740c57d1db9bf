package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/limit"
	"makechain/message"
)

const (
	// maxBatchSize keeps one call below the 4 MiB that nodes accept, in bytes.
	maxBatchSize = 3 << 20

	// minPoll and maxPoll are the shortest and the longest delay between two status requests for a pending message.
	minPoll = 5 * time.Millisecond
	maxPoll = 250 * time.Millisecond
)

// CodeExpired is the code of a message that was accepted and then waited too long for its block.
const CodeExpired message.Code = "expired"

// ErrForgotten says that the node does not know a message: it never took it in, or lost it when it restarted. The
// same message can be submitted again.
var ErrUnknownMessage = errors.New("the node does not know this message")

// RefusedError is a message that did not apply, and never will unless the state changes.
type RefusedError struct {
	Stage  message.Stage
	Code   message.Code
	Reason string
	Hash   message.Hash
	// Skew is how far the clock of this machine is ahead of the node's, when the refusal is about time; 0 when
	// that is not known.
	Skew time.Duration
}

// Error says it as a refusal does.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("refused at %s (%s): %s", e.Stage, e.Code, e.Reason)
}

// Submit hands a message over. Without an error the node has taken it in, and its fate is pending.
func (c *Client) Submit(ctx context.Context, m *message.Envelope) error {
	_, err := c.SubmitAll(ctx, []*message.Envelope{m})
	return err
}

// SubmitAll hands messages over in their order, up to 100 in a call, and stops at the first that is refused. It
// says how many were taken in before that. Those that stand in the same call behind a refused one are judged too:
// what does not depend on it may have been taken in.
//
// A connection that breaks leaves open what the node has heard. It is asked about each message, and gets only those
// that it does not know.
func (c *Client) SubmitAll(ctx context.Context, messages []*message.Envelope) (accepted int, err error) {
	for len(messages) > accepted {
		batch := nextBatch(messages[accepted:])
		done, err := c.submitBatch(ctx, batch)
		accepted += done
		if err != nil {
			return accepted, err
		}
	}
	return accepted, nil
}

// nextBatch takes as many messages as one call may carry, and at least one.
func nextBatch(messages []*message.Envelope) []*message.Envelope {
	size := 0
	for i, m := range messages {
		size += len(m.Transaction())
		if i > 0 && (i == limit.MaxBatch || size > maxBatchSize) {
			return messages[:i]
		}
	}
	return messages
}

// submitBatch hands one call's messages over, and makes sure of them when the connection breaks.
func (c *Client) submitBatch(ctx context.Context, batch []*message.Envelope) (accepted int, err error) {
	delay := backoff.New(retryBackoff, maxRetryBackoff)
	for attempt := 1; ; attempt++ {
		answer, err := c.BatchSubmitMessages(ctx, connect.NewRequest(batchRequest(batch[accepted:])))
		if err == nil {
			done, err := c.checkResults(ctx, batch[accepted:], answer)
			return accepted + done, err
		}
		if connect.CodeOf(err) != connect.CodeUnavailable && !mayHaveArrived(err) || attempt == maxAttempts || delay.Wait(ctx) != nil {
			return accepted, err
		}
		done, asked := c.countAdmitted(ctx, batch[accepted:])
		if asked != nil {
			return accepted + done, fmt.Errorf("it is not known whether the node has message %s: %w", batch[accepted+done].Hash, asked)
		}
		if accepted += done; accepted == len(batch) {
			return accepted, nil
		}
	}
}

func batchRequest(batch []*message.Envelope) *pb.BatchSubmitRequest {
	request := &pb.BatchSubmitRequest{Messages: make([]*pb.Message, len(batch))}
	for i, m := range batch {
		request.Messages[i] = m.Proto()
	}
	return request
}

// judge reads the verdicts of one call, up to the first refusal.
func (c *Client) checkResults(ctx context.Context, batch []*message.Envelope, answer *connect.Response[pb.BatchSubmitResponse]) (int, error) {
	results := answer.Msg.GetResults()
	if len(results) != len(batch) {
		return 0, fmt.Errorf("the node answered %d verdicts on %d messages", len(results), len(batch))
	}
	for i, result := range results {
		if result.GetAccepted() {
			continue
		}
		// A message that an earlier attempt brought to the node is a duplicate now.
		if message.Code(result.GetCode()) == message.CodeDuplicate {
			if done, err := c.countAdmitted(ctx, batch[i:i+1]); err != nil || done == 1 {
				if err != nil {
					return i, err
				}
				continue
			}
		}
		return i, refused(batch[i].Hash, result, answer.Header())
	}
	return len(batch), nil
}

// known counts the messages, from the first on, that the node has taken in. One that it refused is an error.
func (c *Client) countAdmitted(ctx context.Context, batch []*message.Envelope) (int, error) {
	for i, m := range batch {
		status, err := Call(ctx, c.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: m.Hash[:]})
		if err != nil {
			return i, err
		}
		switch status.GetState() {
		case pb.MessageState_MESSAGE_STATE_PENDING, pb.MessageState_MESSAGE_STATE_COMMITTED:
		case pb.MessageState_MESSAGE_STATE_REFUSED, pb.MessageState_MESSAGE_STATE_EXPIRED:
			return i, refused(m.Hash, status, nil)
		default:
			return i, nil
		}
	}
	return len(batch), nil
}

// verdict is what the answers about refused messages have in common.
type refusal interface {
	proto.Message
	GetStage() string
	GetCode() string
	GetError() string
}

func refused(hash message.Hash, v refusal, header http.Header) *RefusedError {
	e := &RefusedError{Stage: message.Stage(v.GetStage()), Code: message.Code(v.GetCode()), Reason: v.GetError(), Hash: hash}
	switch e.Code {
	case "":
		e.Stage, e.Code, e.Reason = message.StateTransition, CodeExpired, "the message waited too long for a block"
	case message.CodeTooEarly, message.CodeTooLate:
		if there, err := http.ParseTime(header.Get("Date")); err == nil {
			e.Skew = time.Since(there).Truncate(time.Second)
		}
	}
	return e
}

// AwaitCommitted waits for the fate of a message that was submitted, and gives the number of its block. A message
// that does not make it is a *RefusedError; one that the node does not know is ErrForgotten.
func (c *Client) AwaitCommitted(ctx context.Context, hash message.Hash) (block uint64, err error) {
	for delay := backoff.New(minPoll, maxPoll); ; {
		status, err := Call(ctx, c.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: hash[:]})
		if err == nil {
			if block, err := outcome(hash, status); err != nil || block > 0 {
				return block, err
			}
		} else if connect.CodeOf(err) != connect.CodeDeadlineExceeded && ctx.Err() == nil {
			return 0, err
		}
		if err := delay.Wait(ctx); err != nil {
			return 0, fmt.Errorf("message %s is not committed yet: %w", hash, err)
		}
	}
}

// fate is the block of a message, or why it will have none; 0 while it is pending.
func outcome(hash message.Hash, status *pb.GetMessageStatusResponse) (block uint64, err error) {
	switch status.GetState() {
	case pb.MessageState_MESSAGE_STATE_PENDING:
		return 0, nil
	case pb.MessageState_MESSAGE_STATE_COMMITTED:
		return status.GetBlockNumber(), nil
	case pb.MessageState_MESSAGE_STATE_REFUSED, pb.MessageState_MESSAGE_STATE_EXPIRED:
		return 0, refused(hash, status, nil)
	default:
		return 0, fmt.Errorf("%w: %s", ErrUnknownMessage, hash)
	}
}
