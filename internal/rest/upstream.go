package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
)

// errUnreachable marks the errors of calls that a remote node did not answer.
var errUnreachable = errors.New("the node cannot be reached")

// An Upstream is the node that answers requests: a service in this process (Local) or a remote node (Remote).
type Upstream struct {
	service makechainpbconnect.MakechainServiceClient // its streaming methods are not called
	unary   func(ctx context.Context, request proto.Message, run func(context.Context) (any, error)) error
	blocks  func(ctx context.Context, from uint64, send func(*pb.GetBlockResponse) error) error
}

// A Service is the service of a node in this process.
type Service interface {
	makechainpbconnect.MakechainServiceHandler

	// StreamBlocks sends the blocks from a height on, in order, until ctx is done or send fails. It calls started once,
	// when no block that commits afterwards can be missed.
	StreamBlocks(ctx context.Context, from *uint64, started func() error, send func(*pb.GetBlockResponse) error) error
}

// A Caller runs calls that are made in this process with the limits, metrics and error handling of calls over a
// connection. *server.Server is one.
type Caller interface {
	CallUnary(ctx context.Context, procedure string, run func(context.Context) (any, error)) error
	CallStream(ctx context.Context, procedure string, run func(context.Context) error) error
}

// Local returns an upstream that calls a service directly.
func Local(service Service, caller Caller) *Upstream {
	procedures := requestProcedures()
	return &Upstream{
		service: localClient{service},
		unary: func(ctx context.Context, request proto.Message, run func(context.Context) (any, error)) error {
			return caller.CallUnary(ctx, procedures[request.ProtoReflect().Descriptor().FullName()], run)
		},
		blocks: func(ctx context.Context, from uint64, send func(*pb.GetBlockResponse) error) error {
			var sendErr error // the receiver ended the stream, which is not an error of the service
			err := caller.CallStream(ctx, makechainpbconnect.MakechainServiceSubscribeBlocksProcedure, func(ctx context.Context) error {
				err := service.StreamBlocks(ctx, &from, func() error { return nil }, func(block *pb.GetBlockResponse) error {
					sendErr = send(block)
					return sendErr
				})
				if sendErr != nil {
					return nil //nolint:nilerr // see sendErr
				}
				return err
			})
			return cmp.Or(sendErr, err)
		},
	}
}

// requestProcedures returns the procedures of the service by the type of their request.
func requestProcedures() map[protoreflect.FullName]string {
	procedures := map[protoreflect.FullName]string{}
	methods := pb.File_makechain_service_proto.Services().ByName("MakechainService").Methods()
	for i := range methods.Len() {
		procedures[methods.Get(i).Input().FullName()] = "/" + makechainpbconnect.MakechainServiceName + "/" + string(methods.Get(i).Name())
	}
	return procedures
}

// localClient adds the streaming methods of a client to a service. The gateway does not call them.
type localClient struct{ Service }

var errLocalStream = connect.NewError(connect.CodeUnimplemented, errors.New("streams are not called in process"))

func (localClient) SubscribeMessages(context.Context, *connect.Request[pb.SubscribeRequest]) (*connect.ServerStreamForClient[pb.Message], error) {
	return nil, errLocalStream
}

func (localClient) SubscribeBlocks(
	context.Context, *connect.Request[pb.SubscribeBlocksRequest],
) (*connect.ServerStreamForClient[pb.GetBlockResponse], error) {
	return nil, errLocalStream
}

// A ReserveFunc runs a unary call and bounds the memory of its response, as server.ReserveResponse does.
type ReserveFunc func(ctx context.Context, procedure string, run func() (any, error)) error

// Remote returns an upstream that calls a node through a client. Unary calls are abandoned after a timeout.
func Remote(client makechainpbconnect.MakechainServiceClient, timeout time.Duration, reserve ReserveFunc) *Upstream {
	procedures := requestProcedures()
	return &Upstream{
		service: client,
		unary: func(ctx context.Context, request proto.Message, run func(context.Context) (any, error)) error {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			return reserve(ctx, procedures[request.ProtoReflect().Descriptor().FullName()], func() (any, error) {
				response, err := run(ctx)
				return response, markUnreachable(err)
			})
		},
		blocks: func(ctx context.Context, from uint64, send func(*pb.GetBlockResponse) error) error {
			ctx, cancel := context.WithCancel(ctx) // ends the call when send fails
			defer cancel()
			stream, err := client.SubscribeBlocks(ctx, connect.NewRequest(&pb.SubscribeBlocksRequest{StartBlock: &from}))
			if err != nil {
				return markUnreachable(err)
			}
			defer stream.Close() //nolint:errcheck // the response is not read any further
			for stream.Receive() {
				if err := send(stream.Msg()); err != nil {
					return err
				}
			}
			return markUnreachable(stream.Err())
		},
	}
}

// markUnreachable wraps an error that was not sent by the node and is not the end of the caller's context.
func markUnreachable(err error) error {
	code := connect.CodeOf(err)
	if err == nil || connect.IsWireError(err) || code == connect.CodeCanceled || code == connect.CodeDeadlineExceeded {
		return err
	}
	return fmt.Errorf("%w: %w", errUnreachable, err)
}

// callUnary calls a method of the upstream that is not a stream.
func callUnary[Req, Resp any, Request protobuf[Req]](
	ctx context.Context, u *Upstream, rpc func(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error), request Request,
) (response *connect.Response[Resp], err error) {
	err = u.unary(ctx, request, func(ctx context.Context) (any, error) {
		if response, err = rpc(ctx, connect.NewRequest((*Req)(request))); err != nil {
			return nil, err
		}
		return response.Msg, nil
	})
	if err != nil {
		return nil, err
	}
	return response, nil
}

// Height returns the latest height of the node.
func (u *Upstream) Height(ctx context.Context) (uint64, error) {
	status, err := callUnary(ctx, u, u.service.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return 0, err
	}
	return status.Msg.GetCurrentBlock(), nil
}

// Blocks sends the blocks from a height on, in order, until ctx is done, send fails or the node ends the stream. It
// returns errPruned if the node no longer has the first block.
//
// The stream of messages is made from blocks too: unlike a subscription to messages, they show where a block ends and
// which blocks are empty, so that the messages of a block are sent together and the height is always known.
func (u *Upstream) Blocks(ctx context.Context, from uint64, send func(*pb.GetBlockResponse) error) error {
	err := u.blocks(ctx, from, send)
	if err == nil || connect.CodeOf(err) != connect.CodeOutOfRange {
		return err
	}
	// A node that fell behind or was just restarted returns the same code for a block that it does not have yet.
	height, heightErr := u.Height(ctx)
	switch {
	case heightErr != nil:
		return heightErr
	case from > height:
		return fmt.Errorf("block %d does not exist yet: %w", from, err)
	default:
		return errors.Join(errPruned, err)
	}
}
