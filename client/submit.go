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

// CodeExpired is the code of a message that was admitted and then not included in a block in time.
const CodeExpired message.Code = "expired"

// ErrUnknownMessage is returned for a message that the node does not have: it never arrived, or was lost when the node
// restarted. The same message can be submitted again.
var ErrUnknownMessage = errors.New("the node does not know this message")

// RefusedError is returned for a message that was refused. Submitting it again fails until the state changes.
type RefusedError struct {
	Stage  message.Stage
	Code   message.Code
	Reason string
	Hash   message.Hash
	// Skew is how far the clock of this machine is ahead of the node's. It is set when the refusal is about the
	// timestamp and the node's time is known.
	Skew time.Duration
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("refused at %s (%s): %s", e.Stage, e.Code, e.Reason)
}

// Submit submits a message. When it returns nil the node has admitted the message, which is then pending.
func (c *Client) Submit(ctx context.Context, m *message.Envelope) error {
	_, err := c.SubmitAll(ctx, []*message.Envelope{m})
	return err
}

// SubmitAll submits messages in order, in batches of up to limit.MaxBatch, and stops at the first refusal. It returns
// the number of messages that were admitted before it. Later messages of the same batch are validated too, so the node
// may have admitted those that do not depend on the refused one.
//
// When the connection breaks, SubmitAll asks the node for the status of each message and submits again only those that
// the node does not have.
func (c *Client) SubmitAll(ctx context.Context, messages []*message.Envelope) (admitted int, err error) {
	for len(messages) > admitted {
		n, err := c.submitBatch(ctx, nextBatch(messages[admitted:]))
		admitted += n
		if err != nil {
			return admitted, err
		}
	}
	return admitted, nil
}

// nextBatch returns the longest prefix of messages that fits into one call, and at least one message.
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

// submitBatch submits the messages of one call. It retries what did not arrive when the connection breaks.
func (c *Client) submitBatch(ctx context.Context, batch []*message.Envelope) (admitted int, err error) {
	delay := backoff.New(retryBackoff, maxRetryBackoff)
	for attempt := 1; ; attempt++ {
		request := &pb.BatchSubmitRequest{}
		for _, m := range batch[admitted:] {
			request.Messages = append(request.Messages, m.Proto())
		}
		response, err := c.BatchSubmitMessages(ctx, connect.NewRequest(request))
		if err == nil {
			n, err := c.checkResults(ctx, batch[admitted:], response)
			return admitted + n, err
		}
		if connect.CodeOf(err) != connect.CodeUnavailable && !mayHaveArrived(err) || attempt == maxAttempts || delay.Wait(ctx) != nil {
			return admitted, err
		}
		n, err := c.countAdmitted(ctx, batch[admitted:])
		admitted += n
		if err != nil {
			return admitted, fmt.Errorf("the status of message %s is unknown: %w", batch[admitted].Hash, err)
		}
		if admitted == len(batch) {
			return admitted, nil
		}
	}
}

// checkResults returns how many messages of a batch were admitted before the first refusal, and the refusal.
func (c *Client) checkResults(ctx context.Context, batch []*message.Envelope, response *connect.Response[pb.BatchSubmitResponse]) (int, error) {
	results := response.Msg.GetResults()
	if len(results) != len(batch) {
		return 0, fmt.Errorf("the node returned %d results for %d messages", len(results), len(batch))
	}
	for i, result := range results {
		if result.GetAccepted() {
			continue
		}
		// A message that arrived with an earlier attempt is a duplicate now.
		if message.Code(result.GetCode()) == message.CodeDuplicate {
			n, err := c.countAdmitted(ctx, batch[i:i+1])
			if err != nil {
				return i, err
			}
			if n == 1 {
				continue
			}
		}
		return i, refused(batch[i].Hash, result, response.Header())
	}
	return len(batch), nil
}

// countAdmitted returns how many messages, from the first on, the node has admitted. It returns a *RefusedError for the
// first one that was refused or has expired.
func (c *Client) countAdmitted(ctx context.Context, batch []*message.Envelope) (int, error) {
	for i, m := range batch {
		status, err := Call(ctx, c.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: m.Hash[:]})
		if err != nil {
			return i, err
		}
		if _, err := outcome(m.Hash, status); errors.Is(err, ErrUnknownMessage) {
			return i, nil
		} else if err != nil {
			return i, err
		}
	}
	return len(batch), nil
}

// refusal is implemented by the responses that describe a refused message.
type refusal interface {
	proto.Message
	GetStage() string
	GetCode() string
	GetError() string
}

func refused(hash message.Hash, r refusal, header http.Header) *RefusedError {
	e := &RefusedError{Stage: message.Stage(r.GetStage()), Code: message.Code(r.GetCode()), Reason: r.GetError(), Hash: hash}
	switch e.Code {
	case "":
		e.Stage, e.Code, e.Reason = message.StateTransition, CodeExpired, "the message was not included in a block in time"
	case message.CodeTooEarly, message.CodeTooLate:
		if date, err := http.ParseTime(header.Get("Date")); err == nil {
			e.Skew = time.Since(date).Truncate(time.Second)
		}
	}
	return e
}

// AwaitCommitted waits until a submitted message is committed, and returns the number of its block. It returns a
// *RefusedError when the message was refused or has expired, and ErrUnknownMessage when the node does not have it.
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

// outcome returns the block of a committed message, 0 for a pending one, or the error that AwaitCommitted returns.
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
