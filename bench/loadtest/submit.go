package loadtest

import (
	"context"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"makechain/bench/workload"
	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/message"
)

// submitResult is the response to a request.
type submitResult struct {
	accepted int
	refused  map[message.Code]int // nil if no message was refused
}

// submit sends a request.
func submit(ctx context.Context, to caller, request *workload.Request) (submitResult, error) {
	procedure, decode := makechainpbconnect.MakechainServiceBatchSubmitMessagesProcedure, batchResult
	if request.Messages == 1 {
		procedure, decode = makechainpbconnect.MakechainServiceSubmitMessageProcedure, singleResult
	}
	response, err := to.call(ctx, procedure, request.Body)
	if connect.CodeOf(err) == connect.CodeResourceExhausted {
		return submitResult{refused: map[message.Code]int{message.CodeMempoolFull: request.Messages}}, nil
	}
	if err != nil {
		return submitResult{}, err
	}
	return decode(response)
}

// singleResult decodes the response to a single message.
func singleResult(response []byte) (submitResult, error) {
	var read pb.SubmitMessageResponse
	if err := proto.Unmarshal(response, &read); err != nil {
		return submitResult{}, err
	}
	if read.GetAccepted() {
		return submitResult{accepted: 1}, nil
	}
	return submitResult{refused: map[message.Code]int{message.Code(read.GetCode()): 1}}, nil
}

// batchResult decodes the response to a batch. Results of single messages are decoded only if some were refused.
func batchResult(response []byte) (submitResult, error) {
	accepted, rejected, err := counts(response)
	if err != nil || rejected == 0 {
		return submitResult{accepted: accepted}, err
	}
	var read pb.BatchSubmitResponse
	if err := proto.Unmarshal(response, &read); err != nil {
		return submitResult{}, err
	}
	result := submitResult{accepted: accepted, refused: map[message.Code]int{}}
	for _, one := range read.GetResults() {
		if !one.GetAccepted() {
			result.refused[message.Code(one.GetCode())]++
		}
	}
	return result, nil
}

// Fields of BatchSubmitResponse with the totals.
const (
	acceptedField = 2
	rejectedField = 3
)

// counts returns the totals of an encoded BatchSubmitResponse.
func counts(response []byte) (accepted, rejected int, err error) {
	for len(response) > 0 {
		number, kind, n := protowire.ConsumeTag(response)
		if n < 0 {
			return 0, 0, protowire.ParseError(n)
		}
		response = response[n:]
		if kind == protowire.VarintType {
			var value uint64
			if value, n = protowire.ConsumeVarint(response); n >= 0 && number == acceptedField {
				accepted = int(value)
			} else if n >= 0 && number == rejectedField {
				rejected = int(value)
			}
		} else {
			n = protowire.ConsumeFieldValue(number, kind, response)
		}
		if n < 0 {
			return 0, 0, protowire.ParseError(n)
		}
		response = response[n:]
	}
	return accepted, rejected, nil
}
