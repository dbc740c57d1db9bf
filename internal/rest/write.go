package rest

import (
	"context"
	"fmt"
	"net/http"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/limit"
	"makechain/message"
)

const waitCommitted = "committed"

type submitInput struct {
	Sent payload

	Wait      string `doc:"committed responds when the message is committed or refused." enum:"none,committed" query:"wait"`
	TimeoutMS uint32 `doc:"The longest time to wait; the node has a limit of its own."   maximum:"4294967295"  minimum:"1"  query:"timeout_ms"`
	Strict    bool   `doc:"Responds to a compare-and-swap conflict with 409."            query:"strict"`
}

func (in *submitInput) request(m *pb.Message) *pb.SubmitMessageRequest {
	request := &pb.SubmitMessageRequest{Message: m, WaitTimeoutMs: in.TimeoutMS}
	if in.Wait == waitCommitted {
		request.Wait = pb.SubmitWait_SUBMIT_WAIT_COMMITTED
	}
	return request
}

type sentInput struct{ Sent payload }

func (g *Gateway) registerWrites() {
	messageWire, batchWire := limit.NewWire(descriptorOf[pb.Message]()), limit.NewWire(descriptorOf[pb.BatchSubmitRequest]())
	post(g, endpoint{
		id: "submit-message", path: "/v1/messages", rpcs: []string{"SubmitMessage"}, tag: tagMessages,
		summary: "Submit a signed message",
		description: "The response to a refused message is 200 with accepted false, the stage, the code and the reason. " +
			"block_number is 0 unless the request waited and the message is committed.",
		errors: bodyErrors(http.StatusConflict), body: descriptorOf[pb.Message](), protobufBody: true, responses: descriptorsOf[pb.SubmitMessageResponse](),
	}, func(ctx context.Context, in *submitInput) (proto.Message, error) {
		m := &pb.Message{}
		if err := in.Sent.decode(m, messageWire); err != nil {
			return nil, err
		}
		return g.submit(ctx, in, m)
	})

	post(g, endpoint{
		id: "dry-run-message", path: "/v1/messages/dry-run", rpcs: []string{"DryRunMessage"}, tag: tagMessages,
		summary: "Validate a message without submitting it",
		errors:  bodyErrors(), body: descriptorOf[pb.Message](), protobufBody: true, responses: descriptorsOf[pb.DryRunMessageResponse](),
	}, func(ctx context.Context, in *sentInput) (proto.Message, error) {
		m := &pb.Message{}
		if err := in.Sent.decode(m, messageWire); err != nil {
			return nil, err
		}
		return call(ctx, g, g.service.DryRunMessage, &pb.DryRunMessageRequest{Message: m})
	})

	post(g, endpoint{
		id: "batch-submit-messages", path: "/v1/messages/batch", rpcs: []string{"BatchSubmitMessages"}, tag: tagMessages,
		summary:     fmt.Sprintf("Submit 1 to %d signed messages", limit.MaxBatch),
		description: "Each message is validated on its own and may depend on earlier ones. The results are in the order of the messages.",
		errors:      bodyErrors(), body: descriptorOf[pb.BatchSubmitRequest](), protobufBody: true, responses: descriptorsOf[pb.BatchSubmitResponse](),
	}, func(ctx context.Context, in *sentInput) (proto.Message, error) {
		batch := &pb.BatchSubmitRequest{}
		if err := in.Sent.decode(batch, batchWire); err != nil {
			return nil, err
		}
		return call(ctx, g, g.service.BatchSubmitMessages, batch)
	})
}

// submit submits a message. A compare-and-swap conflict has status 409 if the client sets strict.
func (g *Gateway) submit(ctx context.Context, in *submitInput, m *pb.Message) (proto.Message, error) {
	got, err := call(ctx, g, g.service.SubmitMessage, in.request(m))
	if err != nil {
		return nil, err
	}
	if in.Strict && !got.GetAccepted() && refusalStatus(message.Code(got.GetCode())) == http.StatusConflict {
		return nil, newProblemWithStatus(http.StatusConflict, got.GetCode(), got.GetError(), FieldError{Location: bodyRoot, Message: got.GetError()})
	}
	return got, nil
}
