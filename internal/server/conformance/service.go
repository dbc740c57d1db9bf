package main

import (
	"context"
	"errors"
	"io"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	suite "makechain/internal/server/conformance/gen/connectrpc/conformance/v1"
	"makechain/internal/server/conformance/gen/connectrpc/conformance/v1/conformancev1connect"
)

type (
	bidiStream   = connect.BidiStream[suite.BidiStreamRequest, suite.BidiStreamResponse]
	clientStream = connect.ClientStream[suite.ClientStreamRequest]
	serverStream = connect.ServerStream[suite.ServerStreamResponse]
)

// service does what the requests of the suite tell it to, and echoes what it saw of them. The method
// Unimplemented stays so.
type service struct {
	conformancev1connect.UnimplementedConformanceServiceHandler
}

func (service) Unary(_ context.Context, req *connect.Request[suite.UnaryRequest]) (*connect.Response[suite.UnaryResponse], error) {
	seen := sight{header: req.Header(), query: req.Peer().Query, requests: []proto.Message{req.Msg}}
	payload, err := answer(req.Msg.GetResponseDefinition(), seen)
	return respond(req.Msg.GetResponseDefinition(), &suite.UnaryResponse{Payload: payload}, err)
}

func (service) IdempotentUnary(
	_ context.Context, req *connect.Request[suite.IdempotentUnaryRequest],
) (*connect.Response[suite.IdempotentUnaryResponse], error) {
	seen := sight{header: req.Header(), query: req.Peer().Query, requests: []proto.Message{req.Msg}}
	payload, err := answer(req.Msg.GetResponseDefinition(), seen)
	return respond(req.Msg.GetResponseDefinition(), &suite.IdempotentUnaryResponse{Payload: payload}, err)
}

func (service) ClientStream(_ context.Context, stream *clientStream) (*connect.Response[suite.ClientStreamResponse], error) {
	seen := sight{header: stream.RequestHeader(), query: stream.Peer().Query}
	var told *suite.UnaryResponseDefinition
	for stream.Receive() {
		if len(seen.requests) == 0 {
			told = stream.Msg().GetResponseDefinition()
		}
		seen.requests = append(seen.requests, proto.Clone(stream.Msg()))
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	payload, err := answer(told, seen)
	return respond(told, &suite.ClientStreamResponse{Payload: payload}, err)
}

func (service) ServerStream(_ context.Context, req *connect.Request[suite.ServerStreamRequest], stream *serverStream) error {
	told := req.Msg.GetResponseDefinition()
	seen := sight{header: req.Header(), query: req.Peer().Query, requests: []proto.Message{req.Msg}}
	addHeaders(stream.ResponseHeader(), told.GetResponseHeaders())
	addHeaders(stream.ResponseTrailer(), told.GetResponseTrailers())
	if len(told.GetResponseData()) > 0 {
		if err := stream.Send(nil); err != nil { // the headers, before any delay
			return err
		}
	}
	for i, data := range told.GetResponseData() {
		payload := &suite.ConformancePayload{Data: data}
		if i == 0 {
			payload.RequestInfo = seen.info()
		}
		pause(told.GetResponseDelayMs())
		if err := stream.Send(&suite.ServerStreamResponse{Payload: payload}); err != nil {
			return err
		}
	}
	return streamError(told, seen)
}

func (service) BidiStream(_ context.Context, stream *bidiStream) error {
	first, err := stream.Receive()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	told := first.GetResponseDefinition()
	addHeaders(stream.ResponseHeader(), told.GetResponseHeaders())
	addHeaders(stream.ResponseTrailer(), told.GetResponseTrailers())
	seen := sight{header: stream.RequestHeader(), query: stream.Peer().Query}
	if first == nil {
		return nil
	}
	seen.requests = append(seen.requests, first)
	if first.GetFullDuplex() {
		return converse(stream, told, seen)
	}
	for {
		next, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		seen.requests = append(seen.requests, next)
	}
	return finish(stream, told, seen, 0)
}

// converse answers each request of a stream with one response, and sends what is left when there are no
// more requests.
func converse(stream *bidiStream, told *suite.StreamResponseDefinition, seen sight) error {
	if len(told.GetResponseData()) > 0 {
		if err := stream.Send(nil); err != nil { // the headers, before any delay
			return err
		}
	}
	for sent, data := range told.GetResponseData() {
		info := &suite.ConformancePayload_RequestInfo{Requests: seen.echoes()}
		if sent == 0 {
			info = seen.info()
		}
		pause(told.GetResponseDelayMs())
		if err := stream.Send(&suite.BidiStreamResponse{Payload: &suite.ConformancePayload{Data: data, RequestInfo: info}}); err != nil {
			return err
		}
		seen.answered = true
		next, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			seen.requests = nil
			return finish(stream, told, seen, sent+1)
		}
		if err != nil {
			return err
		}
		seen.requests = []proto.Message{next}
	}
	return streamError(told, seen)
}

// finish sends the responses from one on, and ends the stream as it is told to.
func finish(stream *bidiStream, told *suite.StreamResponseDefinition, seen sight, from int) error {
	for i, data := range told.GetResponseData()[min(from, len(told.GetResponseData())):] {
		payload := &suite.ConformancePayload{Data: data}
		if from+i == 0 {
			payload.RequestInfo = seen.info()
		}
		pause(told.GetResponseDelayMs())
		if err := stream.Send(&suite.BidiStreamResponse{Payload: payload}); err != nil {
			return err
		}
	}
	return streamError(told, seen)
}
