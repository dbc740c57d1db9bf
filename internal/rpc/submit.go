package rpc

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/limit"
	"makechain/message"
)

// SubmitMessage submits one message to the mempool. With wait, it returns when the message is committed or refused, or
// after MaxWait (P10.4); the message is then still accepted, and the response has no block number.
func (s *Service) SubmitMessage(ctx context.Context, req *connect.Request[pb.SubmitMessageRequest]) (*connect.Response[pb.SubmitMessageResponse], error) {
	if req.Msg.GetMessage() == nil {
		return nil, invalid("message", "is missing")
	}
	if _, ok := pb.SubmitWait_name[int32(req.Msg.GetWait())]; !ok {
		return nil, invalid("wait", "%d is not a known value", req.Msg.GetWait())
	}
	response := &pb.SubmitMessageResponse{Hash: req.Msg.GetMessage().GetHash()}
	m, refusal := message.Open(req.Msg.GetMessage())
	if refusal == nil {
		var err error
		if refusal, err = s.Pool.Submit(ctx, m); err != nil {
			return nil, err
		}
	}
	if refusal != nil {
		response.Error, response.Code, response.Stage = refusal.Reason, string(refusal.Code), string(refusal.Stage)
		if code, isNodeError := nodeErrorCode(refusal.Code); isNodeError {
			return nil, withDetail(code, refusal, response)
		}
		return connect.NewResponse(response), nil
	}
	response.Accepted = true
	if req.Msg.GetWait() == pb.SubmitWait_SUBMIT_WAIT_COMMITTED {
		timeout := time.Duration(req.Msg.GetWaitTimeoutMs()) * time.Millisecond
		if timeout == 0 || timeout > s.MaxWait {
			timeout = s.MaxWait
		}
		if err := s.waitForCommit(ctx, timeout, m.Hash, response); err != nil {
			return nil, err
		}
	}
	return connect.NewResponse(response), nil
}

// waitForCommit waits until a message is no longer pending and adds its status to the response.
func (s *Service) waitForCommit(ctx context.Context, timeout time.Duration, hash message.Hash, response *pb.SubmitMessageResponse) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	final, err := s.Pool.Wait(ctx, hash)
	if err != nil {
		return err
	}
	status, err := s.messageStatus(ctx, hash, final)
	if err != nil {
		return err
	}
	switch status.GetState() {
	case pb.MessageState_MESSAGE_STATE_COMMITTED:
		response.BlockNumber = status.GetBlockNumber()
	case pb.MessageState_MESSAGE_STATE_REFUSED, pb.MessageState_MESSAGE_STATE_EXPIRED:
		response.Accepted, response.Error, response.Code, response.Stage = false, status.GetError(), status.GetCode(), status.GetStage()
	}
	return nil
}

// BatchSubmitMessages submits messages in order and returns one result per message. A later message may depend on an
// earlier one. When the node fails after it accepted some of them, the others are refused as unavailable.
func (s *Service) BatchSubmitMessages(ctx context.Context, req *connect.Request[pb.BatchSubmitRequest]) (*connect.Response[pb.BatchSubmitResponse], error) {
	messages := req.Msg.GetMessages()
	if len(messages) == 0 || len(messages) > limit.MaxBatch {
		return nil, invalid("messages", "%d messages, want 1 to %d", len(messages), limit.MaxBatch)
	}
	refusals := make([]*message.Refusal, len(messages))
	var opened []*message.Envelope
	var indices []int // of the opened messages
	for i, m := range messages {
		var envelope *message.Envelope
		if envelope, refusals[i] = message.Open(m); refusals[i] == nil {
			opened, indices = append(opened, envelope), append(indices, i)
		}
	}
	submitted, err := s.Pool.SubmitBatch(ctx, opened)
	if err != nil {
		if !slices.Contains(submitted, nil) {
			return nil, err
		}
		// The client receives the refusals instead. It is the node's fault only if neither the client's limits nor its
		// cancellation ended the batch.
		level := slog.LevelError
		if code := connect.CodeOf(err); code == connect.CodeResourceExhausted || ctx.Err() != nil {
			level = slog.LevelInfo
		}
		s.Log.Log(ctx, level, "a batch was accepted only in part", "error", err)
	}
	for i, refusal := range submitted {
		refusals[indices[i]] = refusal
	}
	response := &pb.BatchSubmitResponse{}
	for i, refusal := range refusals {
		result := &pb.BatchSubmitResult{Hash: messages[i].GetHash(), Accepted: refusal == nil}
		if refusal == nil {
			response.AcceptedCount++
		} else {
			response.RejectedCount++
			result.Error, result.Code, result.Stage = refusal.Reason, string(refusal.Code), string(refusal.Stage)
		}
		response.Results = append(response.Results, result)
	}
	return connect.NewResponse(response), nil
}

// DryRunMessage returns what SubmitMessage would, and changes nothing.
func (s *Service) DryRunMessage(ctx context.Context, req *connect.Request[pb.DryRunMessageRequest]) (*connect.Response[pb.DryRunMessageResponse], error) {
	if req.Msg.GetMessage() == nil {
		return nil, invalid("message", "is missing")
	}
	m, refusal := message.Open(req.Msg.GetMessage())
	if refusal == nil {
		var err error
		if refusal, err = s.Pool.DryRun(ctx, m); err != nil {
			return nil, err
		}
	}
	if refusal == nil {
		return connect.NewResponse(&pb.DryRunMessageResponse{WouldAccept: true}), nil
	}
	return connect.NewResponse(&pb.DryRunMessageResponse{
		Error: refusal.Reason, ErrorStage: string(refusal.Stage), Code: string(refusal.Code),
	}), nil
}
