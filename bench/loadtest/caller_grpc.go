package loadtest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"connectrpc.com/connect"
)

// encoded is an encoded request or response.
type encoded struct{ bytes []byte }

// passCodec passes encoded messages through.
type passCodec struct{}

// Name returns the name of the codec that the node uses for these calls.
func (passCodec) Name() string { return "proto" }

var errNotEncoded = errors.New("not an encoded message")

// Marshal implements connect.Codec. The result belongs to the caller, so the bytes are copied.
func (c passCodec) Marshal(v any) ([]byte, error) { return c.MarshalAppend(nil, v) }

// MarshalAppend is preferred to Marshal by connect.
func (passCodec) MarshalAppend(to []byte, v any) ([]byte, error) {
	m, ok := v.(*encoded)
	if !ok {
		return nil, errNotEncoded
	}
	return append(to, m.bytes...), nil
}

// Unmarshal implements connect.Codec.
func (passCodec) Unmarshal(from []byte, v any) error {
	m, ok := v.(*encoded)
	if !ok {
		return errNotEncoded
	}
	m.bytes = append(m.bytes[:0], from...)
	return nil
}

// grpcConnection is an HTTP/2 connection with concurrent calls.
type grpcConnection struct {
	http *http.Client
	base string
}

// newGRPCConnection returns a connection that is established by the first call.
func newGRPCConnection(address string) *grpcConnection {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	return &grpcConnection{http: &http.Client{Transport: &http.Transport{Protocols: protocols}}, base: address}
}

// grpcCaller makes gRPC calls over a connection that it shares with other callers.
type grpcCaller struct {
	*grpcConnection

	methods map[string]*connect.Client[encoded, encoded]
}

func newGRPCCaller(shared *grpcConnection) *grpcCaller {
	return &grpcCaller{grpcConnection: shared, methods: map[string]*connect.Client[encoded, encoded]{}}
}

func (s *grpcCaller) call(ctx context.Context, procedure string, request []byte) ([]byte, error) {
	method := s.methods[procedure]
	if method == nil {
		// Responses to these calls are mostly hashes, which do not compress.
		method = connect.NewClient[encoded, encoded](s.http, s.base+procedure,
			connect.WithGRPC(), connect.WithCodec(passCodec{}), connect.WithAcceptCompression("gzip", nil, nil))
		s.methods[procedure] = method
	}
	response, err := method.CallUnary(ctx, connect.NewRequest(&encoded{request}))
	if err != nil {
		return nil, err
	}
	return response.Msg.bytes, nil
}

func (s *grpcCaller) close() { s.http.CloseIdleConnections() }
