package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
)

const (
	readHeaderTimeout = 10 * time.Second
	// messagesField is the number of BatchSubmitRequest.messages and SubmitMessageRequest.message.
	messagesField = 1
	// connectType is the content type of unary Connect calls.
	connectType = "application/proto"
)

// admission validates messages and converts them to transactions of an application.
type admission func(messages [][]byte) (transactions [][]byte, err error)

// endpoint serves the calls of the node's service that the clients make. It decodes no more of a request than it needs, and so
// costs less than the node's server.
type endpoint struct {
	admit  admission
	submit func(tx []byte) error
	app    *watched
}

func newEndpoint(admit admission, submit func([]byte) error, app *watched) http.Handler {
	e := &endpoint{admit: admit, submit: submit, app: app}
	mux := http.NewServeMux()
	mux.Handle("POST "+makechainpbconnect.MakechainServiceBatchSubmitMessagesProcedure, call(e.batch))
	mux.Handle("POST "+makechainpbconnect.MakechainServiceSubmitMessageProcedure, call(e.single))
	mux.Handle("POST "+makechainpbconnect.MakechainServiceGetChainStatsProcedure, call(e.stats))
	return mux
}

// call returns the handler of a method.
func call(method func(ctx context.Context, body []byte) (proto.Message, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var response proto.Message
		if err == nil {
			response, err = method(r.Context(), body)
		}
		var encoded []byte
		if err == nil {
			encoded, err = proto.Marshal(response)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", connectType)
		_, _ = w.Write(encoded) // the client may have disconnected
	}
}

func (e *endpoint) batch(_ context.Context, body []byte) (proto.Message, error) {
	transactions, err := e.open(body)
	if err != nil {
		return nil, err
	}
	for _, tx := range transactions {
		if err := e.submit(tx); err != nil {
			return nil, err
		}
	}
	return &pb.BatchSubmitResponse{AcceptedCount: uint32(len(transactions))}, nil
}

// single responds when the message has committed.
func (e *endpoint) single(ctx context.Context, body []byte) (proto.Message, error) {
	transactions, err := e.open(body)
	if err != nil {
		return nil, err
	}
	if len(transactions) != 1 {
		return nil, fmt.Errorf("%d messages, want one", len(transactions))
	}
	committed := e.app.await(transactions[0])
	if err := e.submit(transactions[0]); err != nil {
		return nil, err
	}
	select {
	case height := <-committed:
		return &pb.SubmitMessageResponse{Accepted: true, BlockNumber: uint64(height)}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// open returns the transactions of a request.
func (e *endpoint) open(body []byte) ([][]byte, error) {
	messages, err := messagesOf(body)
	if err != nil {
		return nil, err
	}
	return e.admit(messages)
}

func (e *endpoint) stats(context.Context, []byte) (proto.Message, error) {
	return &pb.GetChainStatsResponse{TotalMessages: e.app.total()}, nil
}

// messagesOf returns the messages of a request, which share its memory.
func messagesOf(body []byte) (messages [][]byte, err error) {
	for len(body) > 0 {
		number, kind, n := protowire.ConsumeTag(body)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		body = body[n:]
		size := protowire.ConsumeFieldValue(number, kind, body)
		if size < 0 {
			return nil, protowire.ParseError(size)
		}
		if number == messagesField && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(body)
			messages = append(messages, value)
		}
		body = body[size:]
	}
	if len(messages) == 0 {
		return nil, errors.New("the request has no messages")
	}
	return messages, nil
}
