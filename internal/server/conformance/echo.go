package main

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	suite "makechain/internal/server/conformance/gen/connectrpc/conformance/v1"
)

// received describes a call as the server received it.
type received struct {
	header   http.Header
	query    url.Values
	requests []proto.Message
	answered bool // a response was already sent
}

// info returns the call in the form of the suite.
func (s received) info() *suite.ConformancePayload_RequestInfo {
	info := &suite.ConformancePayload_RequestInfo{
		RequestHeaders: pairs(s.header), TimeoutMs: timeout(s.header), Requests: s.echoes(),
	}
	if len(s.query) > 0 {
		info.ConnectGetInfo = &suite.ConformancePayload_ConnectGetInfo{QueryParams: pairs(s.query)}
	}
	return info
}

func (s received) echoes() []*anypb.Any {
	var echoes []*anypb.Any
	for _, request := range s.requests {
		if echo, err := anypb.New(request); err == nil {
			echoes = append(echoes, echo)
		}
	}
	return echoes
}

func pairs(values map[string][]string) []*suite.Header {
	var headers []*suite.Header
	for name, value := range values {
		headers = append(headers, &suite.Header{Name: name, Value: value})
	}
	return headers
}

// timeout returns the timeout that the client sent; the deadline of the context may be an earlier one of the server.
func timeout(header http.Header) *int64 {
	if milliseconds, err := strconv.ParseInt(header.Get("Connect-Timeout-Ms"), 10, 64); err == nil {
		return &milliseconds
	}
	value := header.Get("Grpc-Timeout")
	if value == "" {
		return nil
	}
	units := map[byte]time.Duration{
		'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': time.Nanosecond,
	}
	number, err := strconv.ParseInt(value[:len(value)-1], 10, 64)
	unit, known := units[value[len(value)-1]]
	if err != nil || !known {
		return nil
	}
	milliseconds := (time.Duration(number) * unit).Milliseconds()
	return &milliseconds
}

// reply waits for the requested delay and returns the requested payload or error.
func reply(definition *suite.UnaryResponseDefinition, call received) (*suite.ConformancePayload, error) {
	pause(definition.GetResponseDelayMs())
	if definition.GetError() != nil {
		return nil, newError(definition.GetError(), call.info())
	}
	return &suite.ConformancePayload{Data: definition.GetResponseData(), RequestInfo: call.info()}, nil
}

// respond adds headers and trailers to a response, or to the error in its place.
func respond[T any](definition *suite.UnaryResponseDefinition, message *T, err error) (*connect.Response[T], error) {
	if failure := new(connect.Error); errors.As(err, &failure) {
		addHeaders(failure.Meta(), definition.GetResponseHeaders())
		addHeaders(failure.Meta(), definition.GetResponseTrailers())
		return nil, failure
	}
	if err != nil {
		return nil, err
	}
	response := connect.NewResponse(message)
	addHeaders(response.Header(), definition.GetResponseHeaders())
	addHeaders(response.Trailer(), definition.GetResponseTrailers())
	return response, nil
}

// streamError returns the error that the stream must end with. It describes the call unless a response has done so.
func streamError(definition *suite.StreamResponseDefinition, call received) error {
	switch {
	case definition.GetError() == nil:
		return nil
	case len(definition.GetResponseData()) > 0 || call.answered:
		return newError(definition.GetError(), nil)
	default:
		return newError(definition.GetError(), call.info())
	}
}

func newError(definition *suite.Error, info *suite.ConformancePayload_RequestInfo) error {
	failure := connect.NewError(connect.Code(definition.GetCode()), errors.New(definition.GetMessage()))
	for _, detail := range definition.GetDetails() {
		if added, err := connect.NewErrorDetail(detail); err == nil {
			failure.AddDetail(added)
		}
	}
	if info != nil {
		if added, err := connect.NewErrorDetail(info); err == nil {
			failure.AddDetail(added)
		}
	}
	return failure
}

func addHeaders(to http.Header, headers []*suite.Header) {
	for _, header := range headers {
		for _, value := range header.GetValue() {
			to.Add(header.GetName(), value)
		}
	}
}

// pause waits for the requested delay, also if the client has gone: a response at the moment when a client gives up would
// reach the suite in part.
func pause(milliseconds uint32) { time.Sleep(time.Duration(milliseconds) * time.Millisecond) }
