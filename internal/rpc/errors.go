package rpc

import (
	"fmt"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"makechain/internal/ident"
	"makechain/message"
)

// There are four kinds of failures. An invalid request is answered with one of the codes below and a sentence. A message
// that is refused is not an error: the response contains the refusal. Only a refusal because of the node, which lacks
// capacity (P10.2) or the latest blocks, is an error too. Any other error is a failure of the node and returned as it
// is; the server logs it and does not show it to the client.

// invalid returns the error for a field of a request that violates a bound.
func invalid(field, format string, args ...any) error {
	return connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("%s: %s", field, fmt.Sprintf(format, args...)))
}

func notFound(format string, args ...any) error {
	return connect.NewError(connect.CodeNotFound, fmt.Errorf(format, args...))
}

func outOfRange(format string, args ...any) error {
	return connect.NewError(connect.CodeOutOfRange, fmt.Errorf(format, args...))
}

// nodeErrorCode returns the error code of a refusal that is caused by the node, not by the message.
func nodeErrorCode(code message.Code) (connect.Code, bool) {
	switch code {
	case message.CodeMempoolFull:
		return connect.CodeResourceExhausted, true
	case message.CodeUnavailable:
		return connect.CodeUnavailable, true
	default:
		return 0, false
	}
}

// withDetail returns a refusal as an error that has the response as a detail, so that clients find the refusal's code.
func withDetail(code connect.Code, refusal *message.Refusal, response proto.Message) error {
	detail, err := connect.NewErrorDetail(response)
	if err != nil {
		return err
	}
	result := connect.NewError(code, refusal)
	result.AddDetail(detail)
	return result
}

// The functions below read fixed-size fields of requests.

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
