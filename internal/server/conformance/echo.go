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

// A sight is what a method saw of a call.
type sight struct {
	header   http.Header
	query    url.Values
	requests []proto.Message
	answered bool // whether a response went out already
}

// info is a sight as the suite wants to hear of it.
func (s sight) info() *suite.ConformancePayload_RequestInfo {
	info := &suite.ConformancePayload_RequestInfo{
		RequestHeaders: pairs(s.header), TimeoutMs: timeout(s.header), Requests: s.echoes(),
	}
	if len(s.query) > 0 {
		info.ConnectGetInfo = &suite.ConformancePayload_ConnectGetInfo{QueryParams: pairs(s.query)}
	}
	return info
}

func (s sight) echoes() []*anypb.Any {
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

// timeout is the one that the client asked for. The context knows the server's own as well.
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

// answer waits as long as it is told to and gives the payload or the error that it is told to give.
func answer(told *suite.UnaryResponseDefinition, seen sight) (*suite.ConformancePayload, error) {
	pause(told.GetResponseDelayMs())
	if told.GetError() != nil {
		return nil, newError(told.GetError(), seen.info())
	}
	return &suite.ConformancePayload{Data: told.GetResponseData(), RequestInfo: seen.info()}, nil
}

// respond adds headers and trailers to a response, or to the error in its place.
func respond[T any](told *suite.UnaryResponseDefinition, message *T, err error) (*connect.Response[T], error) {
	if failure := new(connect.Error); errors.As(err, &failure) {
		addHeaders(failure.Meta(), told.GetResponseHeaders())
		addHeaders(failure.Meta(), told.GetResponseTrailers())
		return nil, failure
	}
	if err != nil {
		return nil, err
	}
	response := connect.NewResponse(message)
	addHeaders(response.Header(), told.GetResponseHeaders())
	addHeaders(response.Trailer(), told.GetResponseTrailers())
	return response, nil
}

// streamError is what a stream is told to end with. It tells what was seen unless a response did.
func streamError(told *suite.StreamResponseDefinition, seen sight) error {
	switch {
	case told.GetError() == nil:
		return nil
	case len(told.GetResponseData()) > 0 || seen.answered:
		return newError(told.GetError(), nil)
	default:
		return newError(told.GetError(), seen.info())
	}
}

func newError(told *suite.Error, info *suite.ConformancePayload_RequestInfo) error {
	failure := connect.NewError(connect.Code(told.GetCode()), errors.New(told.GetMessage()))
	for _, detail := range told.GetDetails() {
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

// pause waits as long as it is told to, also for a client that has left. To answer at the very moment when a
// client gives up would make the suite read half an answer.
func pause(milliseconds uint32) { time.Sleep(time.Duration(milliseconds) * time.Millisecond) }
