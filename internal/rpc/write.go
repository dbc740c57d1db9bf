package rpc

import (
	"context"
	"slices"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/limit"
	"makechain/message"
)

// SubmitMessage judges one message and takes it into the mempool; with wait, it answers when its fate is known
// (P10.4).
func (s *Service) SubmitMessage(ctx context.Context, req *connect.Request[pb.SubmitMessageRequest]) (*connect.Response[pb.SubmitMessageResponse], error) {
	if req.Msg.GetMessage() == nil {
		return nil, invalid("message", "is missing")
	}
	if _, ok := pb.SubmitWait_name[int32(req.Msg.GetWait())]; !ok {
		return nil, invalid("wait", "%d is not a way to wait", req.Msg.GetWait())
	}
	answer := &pb.SubmitMessageResponse{Hash: req.Msg.GetMessage().GetHash()}
	m, refusal := message.Open(req.Msg.GetMessage())
	if refusal == nil {
		verdicts, err := s.Pool.SubmitBatch(ctx, []*message.Envelope{m})
		if err != nil {
			return nil, err
		}
		refusal = verdicts[0]
	}
	if refusal != nil {
		answer.Error, answer.Code, answer.Stage = refusal.Reason, string(refusal.Code), string(refusal.Stage)
		if code, lacking := lack(refusal.Code); lacking {
			return nil, withAnswer(code, refusal, answer)
		}
		return connect.NewResponse(answer), nil
	}
	answer.Accepted = true
	if req.Msg.GetWait() == pb.SubmitWait_SUBMIT_WAIT_COMMITTED {
		timeout := time.Duration(req.Msg.GetWaitTimeoutMs()) * time.Millisecond
		if err := s.awaitFate(ctx, m.Hash, timeout, answer); err != nil {
			return nil, err
		}
	}
	return connect.NewResponse(answer), nil
}

// awaitFate waits for a message that was taken in, for MaxWait or less. When time runs out it is still accepted,
// and no block is named.
func (s *Service) awaitFate(ctx context.Context, hash ident.Hash, timeout time.Duration, answer *pb.SubmitMessageResponse) error {
	if timeout == 0 || timeout > s.MaxWait {
		timeout = s.MaxWait
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	status, err := s.Pool.Wait(ctx, hash)
	if err != nil {
		return err
	}
	switch status.GetState() {
	case pb.MessageState_MESSAGE_STATE_COMMITTED:
		answer.BlockNumber = status.GetBlockNumber()
	case pb.MessageState_MESSAGE_STATE_REFUSED, pb.MessageState_MESSAGE_STATE_EXPIRED:
		answer.Accepted, answer.Error, answer.Code, answer.Stage = false, status.GetError(), status.GetCode(), status.GetStage()
	}
	return nil
}

// BatchSubmitMessages judges messages one by one and answers in their order. A later one may build on an earlier
// one. A failure of the node after it took some in is told by the verdicts on the rest.
func (s *Service) BatchSubmitMessages(ctx context.Context, req *connect.Request[pb.BatchSubmitRequest]) (*connect.Response[pb.BatchSubmitResponse], error) {
	given := req.Msg.GetMessages()
	if len(given) == 0 || len(given) > limit.MaxBatch {
		return nil, invalid("messages", "%d messages, want 1 to %d", len(given), limit.MaxBatch)
	}
	refusals := make([]*message.Refusal, len(given))
	var opened []*message.Envelope
	var places []int
	for i, m := range given {
		envelope, refusal := message.Open(m)
		if refusal != nil {
			refusals[i] = refusal
			continue
		}
		opened, places = append(opened, envelope), append(places, i)
	}
	verdicts, err := s.Pool.SubmitBatch(ctx, opened)
	if err != nil && !slices.Contains(verdicts, nil) {
		return nil, err
	}
	for i, refusal := range verdicts {
		refusals[places[i]] = refusal
	}
	answer := &pb.BatchSubmitResponse{}
	for i, refusal := range refusals {
		result := &pb.BatchSubmitResult{Hash: given[i].GetHash(), Accepted: refusal == nil}
		if refusal == nil {
			answer.AcceptedCount++
		} else {
			answer.RejectedCount++
			result.Error, result.Code, result.Stage = refusal.Reason, string(refusal.Code), string(refusal.Stage)
		}
		answer.Results = append(answer.Results, result)
	}
	return connect.NewResponse(answer), nil
}

// DryRunMessage says what SubmitMessage would, and changes nothing.
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
