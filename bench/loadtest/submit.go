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

// verdict is what a node said of a request.
type verdict struct {
	accepted int
	refused  map[message.Code]int // nil when nothing was
}

// submit hands a request over.
func submit(ctx context.Context, to link, request *workload.Request) (verdict, error) {
	procedure, read := makechainpbconnect.MakechainServiceBatchSubmitMessagesProcedure, batchVerdict
	if request.Messages == 1 {
		procedure, read = makechainpbconnect.MakechainServiceSubmitMessageProcedure, singleVerdict
	}
	answer, err := to.call(ctx, procedure, request.Body)
	if connect.CodeOf(err) == connect.CodeResourceExhausted {
		return verdict{refused: map[message.Code]int{message.CodeMempoolFull: request.Messages}}, nil
	}
	if err != nil {
		return verdict{}, err
	}
	return read(answer)
}

// singleVerdict reads the answer about one message.
func singleVerdict(answer []byte) (verdict, error) {
	var read pb.SubmitMessageResponse
	if err := proto.Unmarshal(answer, &read); err != nil {
		return verdict{}, err
	}
	if read.GetAccepted() {
		return verdict{accepted: 1}, nil
	}
	return verdict{refused: map[message.Code]int{message.Code(read.GetCode()): 1}}, nil
}

// batchVerdict reads the answer about several messages: one by one only when not all were accepted.
func batchVerdict(answer []byte) (verdict, error) {
	accepted, rejected, err := counts(answer)
	if err != nil || rejected == 0 {
		return verdict{accepted: accepted}, err
	}
	var read pb.BatchSubmitResponse
	if err := proto.Unmarshal(answer, &read); err != nil {
		return verdict{}, err
	}
	v := verdict{accepted: accepted, refused: map[message.Code]int{}}
	for _, result := range read.GetResults() {
		if !result.GetAccepted() {
			v.refused[message.Code(result.GetCode())]++
		}
	}
	return v, nil
}

// The fields of a BatchSubmitResponse that sum up the others.
const (
	acceptedField = 2
	rejectedField = 3
)

// counts finds the sums in an encoded BatchSubmitResponse.
func counts(answer []byte) (accepted, rejected int, err error) {
	for len(answer) > 0 {
		number, kind, n := protowire.ConsumeTag(answer)
		if n < 0 {
			return 0, 0, protowire.ParseError(n)
		}
		answer = answer[n:]
		if kind == protowire.VarintType {
			var value uint64
			if value, n = protowire.ConsumeVarint(answer); n >= 0 && number == acceptedField {
				accepted = int(value)
			} else if n >= 0 && number == rejectedField {
				rejected = int(value)
			}
		} else {
			n = protowire.ConsumeFieldValue(number, kind, answer)
		}
		if n < 0 {
			return 0, 0, protowire.ParseError(n)
		}
		answer = answer[n:]
	}
	return accepted, rejected, nil
}
