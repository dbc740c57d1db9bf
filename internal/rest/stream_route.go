package rest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// StreamStart is what every stream takes. It is exported for huma, which looks no deeper otherwise.
type StreamStart struct {
	LastEventID positionParam `doc:"The last event of a client that comes back." header:"Last-Event-ID"` //nolint:tagliatelle // as HTML has it
	From        positionParam `doc:"Go on right after this event; else now."     query:"from"`
}

// position is where a client was last, nil when it was nowhere.
func (s *StreamStart) position() *eventCursor {
	if s.LastEventID.cursor != nil {
		return s.LastEventID.cursor
	}
	return s.From.cursor
}

// messageStreamInput chooses messages too.
type messageStreamInput struct {
	StreamStart

	ProjectID    idParam       `doc:"Messages about this project."   query:"project_id"`
	Types        []messageType `doc:"Messages of these types."       query:"types"`
	OwnerAddress addressParam  `doc:"Messages sent by this account." query:"owner_address"`
}

// filter is what a client chose, nil when it chose nothing.
func (in *messageStreamInput) filter() *eventFilter {
	f := &eventFilter{types: messageTypes(in.Types)}
	if project, ok := ident.HashFrom(in.ProjectID.bytes); ok {
		f.project = &project
	}
	if owner, ok := ident.AddressFrom(in.OwnerAddress.bytes); ok {
		f.owner = &owner
	}
	if f.takesAll() {
		return nil
	}
	return f
}

// registerStreams adds the routes of server-sent events.
func registerStreams(api huma.API, g *Gateway) {
	schemas := api.OpenAPI().Components.Schemas
	messages := endpoint{
		id: "stream-messages", path: "/v1/stream/messages", rpcs: []string{"SubscribeMessages"}, tag: tagStreams,
		summary: "Messages as they commit", gives: descriptorsOf[pb.Message](),
		about: "Server-sent events. The id of an event is its block and its place there, its data the message as it is read. " +
			"A comment keeps the connection awake; an event `error` with a problem ends a stream whose position is no longer kept.",
	}
	huma.Register(api, streamOperation(schemas, messages), func(ctx context.Context, in *messageStreamInput) (*huma.StreamResponse, error) {
		return g.begin(ctx, g.streams.messages, in.position(), in.filter())
	})
	blocks := endpoint{
		id: "stream-blocks", path: "/v1/stream/blocks", rpcs: []string{"SubscribeBlocks"}, tag: tagStreams,
		summary: "Blocks as they commit", gives: descriptorsOf[pb.GetBlockResponse](),
		about: "Server-sent events like those of messages. The id of an event is its block, its data the block as it is read.",
	}
	huma.Register(api, streamOperation(schemas, blocks), func(ctx context.Context, in *StreamStart) (*huma.StreamResponse, error) {
		return g.begin(ctx, g.streams.blocks, in.position(), nil)
	})
}

// streamOperation is an endpoint whose answer is a stream of events.
func streamOperation(schemas huma.Registry, e endpoint) huma.Operation {
	op := e.operation(schemas)
	op.Responses[strconv.Itoa(http.StatusOK)] = &huma.Response{
		Description: e.summary + ".",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}
	return op
}
