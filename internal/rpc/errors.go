package rpc

import (
	"fmt"

	"connectrpc.com/connect"

	"makechain/internal/ident"
)

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
