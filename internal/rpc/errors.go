package rpc

import (
	"fmt"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"makechain/internal/ident"
	"makechain/message"
)

// What goes wrong has one of four forms. A request that cannot be answered gets one of the codes below and a
// sentence. A message that does not apply is no error: the answer carries its refusal. Only a mempool without
// room is an error too, because it is the node that lacks something (P10.2). Anything else is a failure of the
// node, returned as it is, for the server to log and to hide.

// invalid refuses a request and names the field and the bound it breaks.
func invalid(field, format string, args ...any) error {
	return connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("%s: %s", field, fmt.Sprintf(format, args...)))
}

func notFound(format string, args ...any) error {
	return connect.NewError(connect.CodeNotFound, fmt.Errorf(format, args...))
}

func outOfRange(format string, args ...any) error {
	return connect.NewError(connect.CodeOutOfRange, fmt.Errorf(format, args...))
}

// full says that there is no room in the mempool. The answer goes along as a detail, so that a client finds
// the refusal's code where it finds any other.
func full(refusal *message.Refusal, answer proto.Message) error {
	err := connect.NewError(connect.CodeResourceExhausted, refusal)
	detail, failed := connect.NewErrorDetail(answer)
	if failed != nil {
		return failed
	}
	err.AddDetail(detail)
	return err
}

// Readers of the fixed-size fields of requests.

func addressField(field string, value []byte) (ident.Address, error) {
	a, ok := ident.AddressFrom(value)
	if !ok {
		return a, invalid(field, "%d bytes, want %d", len(value), ident.AddressSize)
	}
	return a, nil
}

func hashField(field string, value []byte) (ident.Hash, error) {
	h, ok := ident.HashFrom(value)
	if !ok {
		return h, invalid(field, "%d bytes, want %d", len(value), ident.HashSize)
	}
	return h, nil
}

func publicKeyField(field string, value []byte) (ident.PublicKey, error) {
	k, ok := ident.PublicKeyFrom(value)
	if !ok {
		return k, invalid(field, "%d bytes, want %d", len(value), ident.PublicKeySize)
	}
	return k, nil
}
