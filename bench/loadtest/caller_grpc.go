package loadtest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"connectrpc.com/connect"
)

// encoded is a request or an answer in its encoded form.
type encoded struct{ bytes []byte }

// passCodec hands over what is encoded already.
type passCodec struct{}

// Name is that of the codec which the node uses for these calls.
func (passCodec) Name() string { return "proto" }

var errNotEncoded = errors.New("not an encoded message")

// Marshal is part of connect.Codec. The bytes become those of the caller, so they are copied.
func (c passCodec) Marshal(v any) ([]byte, error) { return c.MarshalAppend(nil, v) }

// MarshalAppend is what connect prefers to Marshal.
func (passCodec) MarshalAppend(to []byte, v any) ([]byte, error) {
	m, ok := v.(*encoded)
	if !ok {
		return nil, errNotEncoded
	}
	return append(to, m.bytes...), nil
}

// Unmarshal is part of connect.Codec.
func (passCodec) Unmarshal(from []byte, v any) error {
	m, ok := v.(*encoded)
	if !ok {
		return errNotEncoded
	}
	m.bytes = append(m.bytes[:0], from...)
	return nil
}

// channel is a connection that takes many calls at a time.
type channel struct {
	http *http.Client
	base string
}

// newChannel makes a channel. It connects when it is first used.
func newChannel(address string) *channel {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	return &channel{http: &http.Client{Transport: &http.Transport{Protocols: protocols}}, base: address}
}

// stub calls by gRPC over a channel that others use too.
type stub struct {
	*channel

	methods map[string]*connect.Client[encoded, encoded]
}

func newStub(shared *channel) *stub {
	return &stub{channel: shared, methods: map[string]*connect.Client[encoded, encoded]{}}
}

func (s *stub) call(ctx context.Context, procedure string, request []byte) ([]byte, error) {
	method := s.methods[procedure]
	if method == nil {
		// Answers to these calls are mostly hashes, which do not get smaller.
		method = connect.NewClient[encoded, encoded](s.http, s.base+procedure,
			connect.WithGRPC(), connect.WithCodec(passCodec{}), connect.WithAcceptCompression("gzip", nil, nil))
		s.methods[procedure] = method
	}
	answer, err := method.CallUnary(ctx, connect.NewRequest(&encoded{request}))
	if err != nil {
		return nil, err
	}
	return answer.Msg.bytes, nil
}

func (s *stub) close() { s.http.CloseIdleConnections() }
