package rpc_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"

	pb "makechain/gen/makechain"
)

// deadline is the timeout of a call.
const deadline = 2 * time.Minute

// methods returns the methods of the service.
func methods() protoreflect.MethodDescriptors {
	return pb.File_makechain_service_proto.Services().ByName("MakechainService").Methods()
}

// call calls a method by its name over HTTP. Of a stream it returns the first item.
func (n *node) call(method string, req proto.Message) (proto.Message, error) {
	n.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	call := reflect.ValueOf(n.client).MethodByName(method)
	request := reflect.New(call.Type().In(1).Elem())
	request.Elem().FieldByName("Msg").Set(reflect.ValueOf(req))
	results := call.Call([]reflect.Value{reflect.ValueOf(ctx), request})
	if err, failed := reflect.TypeAssert[error](results[1]); failed {
		return nil, err
	}
	if stream, isStream := reflect.TypeAssert[serverStream](results[0]); isStream {
		if !stream.Receive() {
			return nil, errors.Join(stream.Err(), stream.Close())
		}
		first := proto.Clone(results[0].MethodByName("Msg").Call(nil)[0].Interface().(proto.Message))
		cancel()
		_ = stream.Close() // ends with the call it was cut off from
		return first, nil
	}
	return results[0].Elem().FieldByName("Msg").Interface().(proto.Message), nil
}

// serverStream is a stream of any message type.
type serverStream interface {
	Receive() bool
	Err() error
	Close() error
}

// get calls a method that must succeed.
func get[T proto.Message](n *node, method string, req proto.Message) T {
	n.Helper()
	answer, err := n.call(method, req)
	if err != nil {
		n.Fatalf("%s(%v): %v", method, req, err)
	}
	return answer.(T)
}

// expectResponse calls a method and compares the response. An absent cursor in want is not compared.
func (n *node) expectResponse(t *testing.T, method string, req, want proto.Message) {
	t.Helper()
	answer, err := n.call(method, req)
	if err != nil {
		t.Errorf("%s(%v): %v", method, req, err)
		return
	}
	if hasField(answer, "next_cursor") && len(nextCursor(want)) == 0 {
		answer = with(answer, "next_cursor", nil) // TestEveryList follows cursors
	}
	if diff := cmp.Diff(want, answer, protocmp.Transform()); diff != "" {
		t.Errorf("%s(%v), want (-) and got (+):\n%s", method, req, diff)
	}
}

// expectError calls a method that must fail with a code and a text.
func (n *node) expectError(t *testing.T, method string, req proto.Message, code connect.Code, text string) {
	t.Helper()
	answer, err := n.call(method, req)
	if err == nil {
		t.Errorf("%s(%v) returns %v, want %s", method, req, answer, code)
		return
	}
	if connect.CodeOf(err) != code || !strings.Contains(err.Error(), text) {
		t.Errorf("%s(%v): %v, want %s: ... %s", method, req, err, code, text)
	}
}

// with returns a request with one field changed. A nil value clears it.
func with(req proto.Message, field protoreflect.Name, value any) proto.Message {
	changed := proto.Clone(req)
	fd := changed.ProtoReflect().Descriptor().Fields().ByName(field)
	if value == nil {
		changed.ProtoReflect().Clear(fd)
	} else {
		changed.ProtoReflect().Set(fd, protoreflect.ValueOf(value))
	}
	return changed
}

// hasField reports whether a message has a field with a name.
func hasField(m proto.Message, field protoreflect.Name) bool {
	return m.ProtoReflect().Descriptor().Fields().ByName(field) != nil
}

// items returns the items of a list response: its only repeated message field.
func items(answer proto.Message) []proto.Message {
	var items []proto.Message
	reflected := answer.ProtoReflect()
	fields := reflected.Descriptor().Fields()
	for i := range fields.Len() {
		if fd := fields.Get(i); fd.IsList() && fd.Message() != nil {
			list := reflected.Get(fd).List()
			for j := range list.Len() {
				items = append(items, list.Get(j).Message().Interface())
			}
		}
	}
	return items
}

// nextCursor returns the cursor of a list response.
func nextCursor(answer proto.Message) []byte {
	reflected := answer.ProtoReflect()
	return reflected.Get(reflected.Descriptor().Fields().ByName("next_cursor")).Bytes()
}

// example is a call and its response.
type example struct {
	method string
	req    proto.Message
	want   proto.Message
}

// methodsOf returns the methods of examples.
func methodsOf(examples []example) []string {
	var asked []string
	for _, q := range examples {
		if !slices.Contains(asked, q.method) {
			asked = append(asked, q.method)
		}
	}
	return asked
}
