package rest

import (
	"context"
	"net/http"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/message"
)

const waitCommitted = "committed"

type submitInput struct {
	Sent payload

	Wait      string `doc:"committed answers when the message is in a block or refused." enum:"none,committed" query:"wait"`
	TimeoutMS uint32 `doc:"How long to wait at most; the node has a limit of its own."   maximum:"4294967295"  minimum:"1"  query:"timeout_ms"`
	Strict    bool   `doc:"Answers a compare-and-swap conflict with 409."                query:"strict"`
}

func (in *submitInput) request(m *pb.Message) *pb.SubmitMessageRequest {
	request := &pb.SubmitMessageRequest{Message: m, WaitTimeoutMs: in.TimeoutMS}
	if in.Wait == waitCommitted {
		request.Wait = pb.SubmitWait_SUBMIT_WAIT_COMMITTED
	}
	return request
}

type sentInput struct{ Sent payload }

// writeErrors are the errors of a route that takes a body.
func writeErrors(more ...int) []int {
	return append([]int{
		http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity,
	}, more...)
}

func (g *Gateway) registerWrites() {
	post(g, endpoint{
		id: "submit-message", path: "/v1/messages", rpcs: []string{"SubmitMessage"}, tag: tagMessages,
		summary: "Submit a signed message",
		about: "A message that is refused is answered with 200 and accepted false, the stage, the code and a sentence. " +
			"block_number is 0 unless the call waited and the message is in a block.",
		errors: writeErrors(http.StatusConflict), takes: descriptorOf[pb.Message](), takesProtobuf: true, gives: descriptorsOf[pb.SubmitMessageResponse](),
	}, g.submit)

	post(g, endpoint{
		id: "dry-run-message", path: "/v1/messages/dry-run", rpcs: []string{"DryRunMessage"}, tag: tagMessages,
		summary: "Say what submitting a message would do, and change nothing",
		errors:  writeErrors(), takes: descriptorOf[pb.Message](), takesProtobuf: true, gives: descriptorsOf[pb.DryRunMessageResponse](),
	}, func(ctx context.Context, in *sentInput) (proto.Message, error) {
		m := &pb.Message{}
		if err := g.decodeMessage(&in.Sent, m); err != nil {
			return nil, err
		}
		return ask(ctx, g, g.upstream.DryRunMessage, &pb.DryRunMessageRequest{Message: m})
	})

	post(g, endpoint{
		id: "batch-submit-messages", path: "/v1/messages/batch", rpcs: []string{"BatchSubmitMessages"}, tag: tagMessages,
		summary: "Submit 1 to 100 signed messages",
		about:   "They are judged one by one, and a later one may build on an earlier one. The results stand in the order of the messages.",
		errors:  writeErrors(), takes: descriptorOf[pb.BatchSubmitRequest](), takesProtobuf: true, gives: descriptorsOf[pb.BatchSubmitResponse](),
	}, func(ctx context.Context, in *sentInput) (proto.Message, error) {
		batch := &pb.BatchSubmitRequest{}
		if err := g.decodeMessage(&in.Sent, batch); err != nil {
			return nil, err
		}
		return ask(ctx, g, g.upstream.BatchSubmitMessages, batch)
	})
}

// submit hands a message over. A conflict is an answer like another, unless the client wants it told apart.
func (g *Gateway) submit(ctx context.Context, in *submitInput) (proto.Message, error) {
	m := &pb.Message{}
	if err := g.decodeMessage(&in.Sent, m); err != nil {
		return nil, err
	}
	got, err := ask(ctx, g, g.upstream.SubmitMessage, in.request(m))
	if err != nil {
		return nil, err
	}
	if in.Strict && !got.GetAccepted() && refusalStatus(message.Code(got.GetCode())) == http.StatusConflict {
		return nil, newProblemOf(http.StatusConflict, got.GetCode(), got.GetError(), Fault{Location: bodyPlace, Message: got.GetError()})
	}
	return got, nil
}
