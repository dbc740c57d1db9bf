package rest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"strconv"

	"connectrpc.com/connect"
	"github.com/danielgtaylor/huma/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"makechain/internal/jsonform"
)

const (
	// immutable is the caching of what never changes, a year being for ever.
	immutable = "public, max-age=31536000, immutable"
	noStore   = "no-store"

	requestIDHeader = "X-Request-ID"
	jsonType        = "application/json"
	// rpcExtension names, in the OpenAPI document, the RPCs that a route calls.
	rpcExtension = "x-rpc"
)

// An endpoint is a route as the OpenAPI document shows it.
type endpoint struct {
	id      string // of the operation
	method  string // GET when empty
	path    string
	rpcs    []string // whose answer it gives
	tag     string
	summary string
	about   string // what else there is to know
	errors  []int  // besides those that every route has
	caching string // no-store when empty

	takes         protoreflect.MessageDescriptor // as the body, if anything
	takesProtobuf bool                           // besides JSON
	gives         []protoreflect.MessageDescriptor
}

// An answer is a message in JSON, and whether it may be kept.
type answer struct {
	CacheControl string `doc:"Whether the answer may be kept." header:"Cache-Control"`
	Body         document
}

// A document is JSON that was written already.
type document struct{ json []byte }

// Schema is that of any document: endpoints state their own.
func (document) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// protobuf is a pointer to a generated message.
type protobuf[T any] interface {
	*T
	proto.Message
}

// get registers a route that makes one call and gives its answer.
func get[In, Req, Resp any, Answer protobuf[Resp]](
	g *Gateway, e endpoint, rpc func(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error), request func(*In) *Req,
) {
	e.gives = descriptorsOf[Resp, Answer]()
	register(g, e, func(ctx context.Context, in *In) (*answer, error) {
		got, err := ask(ctx, g, rpc, request(in))
		if err != nil {
			return nil, err
		}
		return g.give(ctx, Answer(got), cmp.Or(e.caching, noStore))
	})
}

func descriptorOf[T any, P protobuf[T]]() protoreflect.MessageDescriptor {
	return P(new(T)).ProtoReflect().Descriptor()
}

func descriptorsOf[T any, P protobuf[T]]() []protoreflect.MessageDescriptor {
	return []protoreflect.MessageDescriptor{descriptorOf[T, P]()}
}

// post registers a route that takes a body.
func post[In any](g *Gateway, e endpoint, handle func(context.Context, *In) (proto.Message, error)) {
	e.method = http.MethodPost
	register(g, e, func(ctx context.Context, in *In) (*answer, error) {
		got, err := handle(ctx, in)
		if err != nil {
			return nil, err
		}
		return g.give(ctx, got, noStore)
	})
	// huma would read a body that it knew of.
	g.api.OpenAPI().Paths[e.path].Post.RequestBody = e.requestBody(g.schemas())
}

// register adds a route.
func register[In any](g *Gateway, e endpoint, handle func(context.Context, *In) (*answer, error)) {
	huma.Register(g.api, e.operation(g.schemas()), handle)
}

func (g *Gateway) schemas() huma.Registry { return g.api.OpenAPI().Components.Schemas }

func (e *endpoint) operation(schemas huma.Registry) huma.Operation {
	return huma.Operation{
		OperationID: e.id, Method: cmp.Or(e.method, http.MethodGet), Path: e.path, Tags: []string{e.tag},
		Summary: e.summary, Description: cmp.Or(e.about, e.summary+"."),
		Extensions: map[string]any{rpcExtension: e.rpcs},
		Errors: append([]int{
			http.StatusBadRequest, http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		}, e.errors...),
		Responses: map[string]*huma.Response{strconv.Itoa(http.StatusOK): {
			Description: e.summary + ".",
			Content:     map[string]*huma.MediaType{jsonType: {Schema: e.answerSchema(schemas)}},
		}, "default": {
			Description: "Any other problem.",
			Content:     map[string]*huma.MediaType{problemType: {Schema: schemas.Schema(reflect.TypeFor[Problem](), true, "")}},
		}},
	}
}

func (e *endpoint) answerSchema(schemas huma.Registry) *huma.Schema {
	if len(e.gives) == 1 {
		return answerSchema(schemas, e.gives[0])
	}
	either := &huma.Schema{}
	for _, d := range e.gives {
		either.OneOf = append(either.OneOf, answerSchema(schemas, d))
	}
	return either
}

func (e *endpoint) requestBody(schemas huma.Registry) *huma.RequestBody {
	body := &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{jsonType: {Schema: inputSchema(schemas, e.takes)}}}
	if e.takesProtobuf {
		encoded := "The protobuf encoding of makechain." + string(e.takes.Name()) + "."
		body.Content[protobufType] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary", Description: encoded}}
	}
	return body
}

// ask makes a call on behalf of a request. What fails is a problem already.
func ask[Req, Resp any](
	ctx context.Context, g *Gateway, rpc func(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error), request *Req,
) (*Resp, error) {
	asked := connect.NewRequest(request)
	if id := g.config.RequestID(ctx); id != "" {
		asked.Header().Set(requestIDHeader, id)
	}
	got, err := rpc(ctx, asked)
	if err != nil {
		if failed := (*connect.Error)(nil); errors.As(err, &failed) {
			g.passOn(ctx, failed.Meta())
		}
		return nil, g.problemOf(ctx, err)
	}
	g.passOn(ctx, got.Header())
	return got.Msg, nil
}

// give writes a message as the answer.
func (g *Gateway) give(ctx context.Context, m proto.Message, caching string) (*answer, error) {
	written, err := jsonform.Marshal(m)
	if err != nil {
		return nil, g.internal(ctx, err)
	}
	return &answer{CacheControl: caching, Body: document{written}}, nil
}
