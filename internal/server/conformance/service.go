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

// service returns the responses that the requests of the suite define, with a description of the requests. The method
// Unimplemented remains unimplemented.
type service struct {
	conformancev1connect.UnimplementedConformanceServiceHandler
}

func (service) Unary(_ context.Context, req *connect.Request[suite.UnaryRequest]) (*connect.Response[suite.UnaryResponse], error) {
	call := received{header: req.Header(), query: req.Peer().Query, requests: []proto.Message{req.Msg}}
	payload, err := reply(req.Msg.GetResponseDefinition(), call)
	return respond(req.Msg.GetResponseDefinition(), &suite.UnaryResponse{Payload: payload}, err)
}

func (service) IdempotentUnary(
	_ context.Context, req *connect.Request[suite.IdempotentUnaryRequest],
) (*connect.Response[suite.IdempotentUnaryResponse], error) {
	call := received{header: req.Header(), query: req.Peer().Query, requests: []proto.Message{req.Msg}}
	payload, err := reply(req.Msg.GetResponseDefinition(), call)
	return respond(req.Msg.GetResponseDefinition(), &suite.IdempotentUnaryResponse{Payload: payload}, err)
}

func (service) ClientStream(_ context.Context, stream *clientStream) (*connect.Response[suite.ClientStreamResponse], error) {
	call := received{header: stream.RequestHeader(), query: stream.Peer().Query}
	var definition *suite.UnaryResponseDefinition
	for stream.Receive() {
		if len(call.requests) == 0 {
			definition = stream.Msg().GetResponseDefinition()
		}
		call.requests = append(call.requests, proto.Clone(stream.Msg()))
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	payload, err := reply(definition, call)
	return respond(definition, &suite.ClientStreamResponse{Payload: payload}, err)
}

func (service) ServerStream(_ context.Context, req *connect.Request[suite.ServerStreamRequest], stream *serverStream) error {
	definition := req.Msg.GetResponseDefinition()
	call := received{header: req.Header(), query: req.Peer().Query, requests: []proto.Message{req.Msg}}
	addHeaders(stream.ResponseHeader(), definition.GetResponseHeaders())
	addHeaders(stream.ResponseTrailer(), definition.GetResponseTrailers())
	if len(definition.GetResponseData()) > 0 {
		if err := stream.Send(nil); err != nil { // sends the headers before any delay
			return err
		}
	}
	for i, data := range definition.GetResponseData() {
		payload := &suite.ConformancePayload{Data: data}
		if i == 0 {
			payload.RequestInfo = call.info()
		}
		pause(definition.GetResponseDelayMs())
		if err := stream.Send(&suite.ServerStreamResponse{Payload: payload}); err != nil {
			return err
		}
	}
	return streamError(definition, call)
}

func (service) BidiStream(_ context.Context, stream *bidiStream) error {
	first, err := stream.Receive()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	definition := first.GetResponseDefinition()
	addHeaders(stream.ResponseHeader(), definition.GetResponseHeaders())
	addHeaders(stream.ResponseTrailer(), definition.GetResponseTrailers())
	call := received{header: stream.RequestHeader(), query: stream.Peer().Query}
	if first == nil {
		return nil
	}
	call.requests = append(call.requests, first)
	if first.GetFullDuplex() {
		return converse(stream, definition, call)
	}
	for {
		next, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		call.requests = append(call.requests, next)
	}
	return finish(stream, definition, call, 0)
}

// converse sends one response for each request of a stream, and the remaining responses after the last request.
func converse(stream *bidiStream, definition *suite.StreamResponseDefinition, call received) error {
	if len(definition.GetResponseData()) > 0 {
		if err := stream.Send(nil); err != nil { // sends the headers before any delay
			return err
		}
	}
	for sent, data := range definition.GetResponseData() {
		info := &suite.ConformancePayload_RequestInfo{Requests: call.echoes()}
		if sent == 0 {
			info = call.info()
		}
		pause(definition.GetResponseDelayMs())
		if err := stream.Send(&suite.BidiStreamResponse{Payload: &suite.ConformancePayload{Data: data, RequestInfo: info}}); err != nil {
			return err
		}
		call.answered = true
		next, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			call.requests = nil
			return finish(stream, definition, call, sent+1)
		}
		if err != nil {
			return err
		}
		call.requests = []proto.Message{next}
	}
	return streamError(definition, call)
}

// finish sends the responses from the given index on, and ends the stream with the requested error.
func finish(stream *bidiStream, definition *suite.StreamResponseDefinition, call received, from int) error {
	for i, data := range definition.GetResponseData()[min(from, len(definition.GetResponseData())):] {
		payload := &suite.ConformancePayload{Data: data}
		if from+i == 0 {
			payload.RequestInfo = call.info()
		}
		pause(definition.GetResponseDelayMs())
		if err := stream.Send(&suite.BidiStreamResponse{Payload: payload}); err != nil {
			return err
		}
	}
	return streamError(definition, call)
}
