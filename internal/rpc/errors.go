package rpc

import (
	"fmt"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"makechain/internal/ident"
	"makechain/message"
)

// What goes wrong has one of four forms. A request that cannot be answered gets one of the codes below and a
// sentence. A message that does not apply is no error: the answer carries its refusal. Only when it is the node that
// lacks something, room (P10.2) or the latest blocks, that is an error too. Anything else is a failure of the node,
// returned as it is, for the server to log and to hide.

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

// lack is the code of a refusal that says more about the node than about the message.
func lack(code message.Code) (connect.Code, bool) {
	switch code {
	case message.CodeMempoolFull:
		return connect.CodeResourceExhausted, true
	case message.CodeUnavailable:
		return connect.CodeUnavailable, true
	default:
		return 0, false
	}
}

// withAnswer says what the node lacks. The answer goes along as a detail, so that a client finds the refusal's code
// where it finds any other.
func withAnswer(code connect.Code, refusal *message.Refusal, answer proto.Message) error {
	err := connect.NewError(code, refusal)
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
