package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"makechain/internal/limit"
)

// decodeCalls replaces Connect's codecs by ones that check a request before they decode it: a list of empty elements takes
// a hundred times as much memory decoded as encoded. The encodings are the same.
func decodeCalls() connect.HandlerOption {
	return connect.WithHandlerOptions(
		connect.WithCodec(&binaryCodec{}),
		connect.WithCodec(jsonCodec("json")),
		connect.WithCodec(jsonCodec("json; charset=utf-8")),
	)
}

func protoMessage(message any) (proto.Message, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("%T is not a protobuf message", message)
	}
	return m, nil
}

// A binaryCodec encodes messages as protobuf.
type binaryCodec struct {
	wires sync.Map // protoreflect.MessageDescriptor to *limit.Wire, of the requests that were received so far
}

// wire returns the table of a message type.
func (c *binaryCodec) wire(descriptor protoreflect.MessageDescriptor) *limit.Wire {
	found, ok := c.wires.Load(descriptor)
	if !ok {
		found, _ = c.wires.LoadOrStore(descriptor, limit.NewWire(descriptor))
	}
	return found.(*limit.Wire) //nolint:forcetypeassert // stored above
}

// Name returns the name in the content type.
func (*binaryCodec) Name() string { return "proto" }

// Unmarshal checks and decodes a request.
func (c *binaryCodec) Unmarshal(encoded []byte, message any) error {
	m, err := protoMessage(message)
	if err != nil {
		return err
	}
	if err := c.wire(m.ProtoReflect().Descriptor()).Check(encoded); err != nil {
		return err
	}
	return proto.Unmarshal(encoded, m)
}

// Marshal encodes a response.
func (c *binaryCodec) Marshal(message any) ([]byte, error) { return c.MarshalAppend(nil, message) }

// MarshalAppend appends the encoding of a response to a buffer.
func (*binaryCodec) MarshalAppend(buffer []byte, message any) ([]byte, error) {
	m, err := protoMessage(message)
	if err != nil {
		return nil, err
	}
	return proto.MarshalOptions{}.MarshalAppend(buffer, m)
}

// MarshalStable encodes a message with the same result each time.
func (*binaryCodec) MarshalStable(message any) ([]byte, error) {
	m, err := protoMessage(message)
	if err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// IsBinary reports that the encoding is not text.
func (*binaryCodec) IsBinary() bool { return true }

// A jsonCodec encodes messages in protobuf's JSON format. Its value is its name in the content type.
type jsonCodec string

// Name returns the name in the content type.
func (c jsonCodec) Name() string { return string(c) }

// Unmarshal checks and decodes a request. Unknown fields are ignored, as in protobuf.
func (jsonCodec) Unmarshal(text []byte, message any) error {
	m, err := protoMessage(message)
	if err != nil {
		return err
	}
	if len(text) == 0 {
		return errors.New("empty, want a JSON object")
	}
	if err := limit.CheckJSON(text); err != nil {
		return err
	}
	return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(text, m)
}

// Marshal encodes a response.
func (c jsonCodec) Marshal(message any) ([]byte, error) { return c.MarshalAppend(nil, message) }

// MarshalAppend appends the encoding of a response to a buffer.
func (jsonCodec) MarshalAppend(buffer []byte, message any) ([]byte, error) {
	m, err := protoMessage(message)
	if err != nil {
		return nil, err
	}
	return protojson.MarshalOptions{}.MarshalAppend(buffer, m)
}

// MarshalStable encodes a message with the same result each time: protojson varies its white space.
func (c jsonCodec) MarshalStable(message any) ([]byte, error) {
	text, err := c.Marshal(message)
	if err != nil {
		return nil, err
	}
	compact := bytes.NewBuffer(text[:0])
	err = json.Compact(compact, text)
	return compact.Bytes(), err
}

// IsBinary reports that the encoding is text.
func (jsonCodec) IsBinary() bool { return false }
