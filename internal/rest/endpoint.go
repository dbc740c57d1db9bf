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

	pb "makechain/gen/makechain"
	"makechain/internal/jsonform"
)

const (
	// immutable is the Cache-Control of responses that never change.
	immutable = "public, max-age=31536000, immutable"
	noStore   = "no-store"

	jsonType = "application/json"
	// otherError is the description of the default response of routes.
	otherError = "Any other error."
	// rpcExtension names, in the OpenAPI document, the RPCs that a route calls.
	rpcExtension = "x-rpc"
)

// An endpoint describes a route for the OpenAPI document.
type endpoint struct {
	id          string // the operation id
	method      string // GET if empty
	path        string
	rpcs        []string // the methods of the service that it calls
	tag         string
	summary     string
	description string // the summary if empty
	errors      []int  // statuses in addition to those that every route may return
	immutable   bool   // a response never changes, so it may be cached

	body         protoreflect.MessageDescriptor // of the request, nil if it has none
	protobufBody bool                           // the body may also be protobuf
	responses    []protoreflect.MessageDescriptor
}

// A response is a message in JSON with its Cache-Control header.
type response struct {
	CacheControl string `header:"Cache-Control"`
	Body         document
}

// A document is encoded JSON.
type document struct{ json []byte }

// Schema returns an empty schema: endpoints state their own.
func (document) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// protobuf is a pointer to a generated message.
type protobuf[T any] interface {
	*T
	proto.Message
}

// get registers a route that makes one call and returns its response.
func get[In, Req, Resp any, Request protobuf[Req], Response protobuf[Resp]](
	g *Gateway, e endpoint, rpc func(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error), request func(*In) Request,
) {
	e.responses = descriptorsOf[Resp, Response]()
	register(g, e, func(ctx context.Context, in *In) (*response, error) {
		message, err := call(ctx, g, rpc, request(in))
		if err != nil {
			return nil, err
		}
		return g.respond(ctx, Response(message), g.cacheControl(ctx, e.immutable))
	})
}

func descriptorOf[T any, P protobuf[T]]() protoreflect.MessageDescriptor {
	return P(new(T)).ProtoReflect().Descriptor()
}

func descriptorsOf[T any, P protobuf[T]]() []protoreflect.MessageDescriptor {
	return []protoreflect.MessageDescriptor{descriptorOf[T, P]()}
}

// post registers a route with a body.
func post[In any](g *Gateway, e endpoint, handle func(context.Context, *In) (proto.Message, error)) {
	e.method = http.MethodPost
	register(g, e, func(ctx context.Context, in *In) (*response, error) {
		message, err := handle(ctx, in)
		if err != nil {
			return nil, err
		}
		return g.respond(ctx, message, noStore)
	})
	// The body is described after the registration, because huma would parse a body that it has a description of.
	g.api.OpenAPI().Paths[e.path].Post.RequestBody = e.requestBody(g.schemas())
}

// register adds a route.
func register[In any](g *Gateway, e endpoint, handle func(context.Context, *In) (*response, error)) {
	huma.Register(g.api, e.operation(g.schemas()), handle)
}

func (g *Gateway) schemas() huma.Registry { return g.api.OpenAPI().Components.Schemas }

func (e *endpoint) operation(schemas huma.Registry) huma.Operation {
	schema := responseSchema(schemas, e.responses[0])
	if len(e.responses) > 1 {
		schema = &huma.Schema{}
		for _, d := range e.responses {
			schema.OneOf = append(schema.OneOf, responseSchema(schemas, d))
		}
	}
	return huma.Operation{
		OperationID: e.id, Method: cmp.Or(e.method, http.MethodGet), Path: e.path, Tags: []string{e.tag},
		Summary: e.summary, Description: cmp.Or(e.description, e.summary+"."),
		Extensions: map[string]any{rpcExtension: e.rpcs},
		Errors: append([]int{
			http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusServiceUnavailable,
			http.StatusGatewayTimeout,
		}, e.errors...),
		Responses: map[string]*huma.Response{strconv.Itoa(http.StatusOK): {
			Description: e.summary + ".",
			Content:     map[string]*huma.MediaType{jsonType: {Schema: schema}},
		}, "default": {
			Description: otherError,
			Content:     map[string]*huma.MediaType{problemType: {Schema: schemas.Schema(reflect.TypeFor[Problem](), true, "")}},
		}},
	}
}

func (e *endpoint) requestBody(schemas huma.Registry) *huma.RequestBody {
	content := &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{jsonType: {Schema: requestSchema(schemas, e.body)}}}
	if e.protobufBody {
		description := "The protobuf encoding of makechain." + string(e.body.Name()) + "."
		content.Content[protobufType] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary", Description: description}}
	}
	return content
}

// notFound returns the errors of a route for something that may not exist.
func notFound() []int { return []int{http.StatusNotFound} }

// bodyErrors returns the errors of a route with a body.
func bodyErrors(more ...int) []int {
	return append([]int{http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}, more...)
}

// call calls a method of the upstream for a request. The error is a *Problem.
func call[Req, Resp any, Request protobuf[Req]](
	ctx context.Context, g *Gateway, rpc func(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error), request Request,
) (*Resp, error) {
	answer, err := callUnary(ctx, g.config.Upstream, rpc, request)
	if err != nil {
		if failed := (*connect.Error)(nil); errors.As(err, &failed) {
			g.forwardHeaders(ctx, failed.Meta())
		}
		return nil, g.problemOf(ctx, err)
	}
	g.forwardHeaders(ctx, answer.Header())
	return answer.Msg, nil
}

// cacheControl returns the Cache-Control of a response. Nothing is cached on a development chain: another one may be served at
// the same address soon.
func (g *Gateway) cacheControl(ctx context.Context, isImmutable bool) string {
	if !isImmutable || g.network(ctx) == pb.Network_NETWORK_DEVNET {
		return noStore
	}
	return immutable
}

// network returns the network of the chain. It calls the node until it has answered once; before, it is DEVNET.
func (g *Gateway) network(ctx context.Context) pb.Network {
	if known := pb.Network(g.knownNetwork.Load()); known != pb.Network_NETWORK_NONE {
		return known
	}
	status, err := call(ctx, g, g.service.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return pb.Network_NETWORK_DEVNET // the response is only not cached
	}
	g.knownNetwork.Store(int32(status.GetNetwork()))
	return status.GetNetwork()
}

// respond encodes a message as the response.
func (g *Gateway) respond(ctx context.Context, m proto.Message, caching string) (*response, error) {
	encoded, err := jsonform.Marshal(m)
	if err != nil {
		return nil, g.internal(ctx, err)
	}
	return &response{CacheControl: caching, Body: document{encoded}}, nil
}
