package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
)

// TestParseTarget checks the forms of a node's address, and the errors about other text.
func TestParseTarget(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"localhost":                  "http://localhost:50051",
		"localhost:1234":             "http://localhost:1234",
		"http://node.example":        "http://node.example:50051",
		"http://node.example:80":     "http://node.example:80",
		"https://node.example/":      "https://node.example",
		"https://node.example:8443/": "https://node.example:8443",
		"[::1]":                      "http://[::1]:50051",
		"http://[::1]:7":             "http://[::1]:7",
	} {
		if got, err := client.ParseTarget(target); err != nil || got.String() != want {
			t.Errorf("%q: %v, %v, want %q", target, got, err, want)
		}
	}
	for target, want := range map[string]string{
		"":                         "no host",
		":50051":                   "no host",
		"ftp://host":               "want host:port",
		"http://host/path":         "a host and a port only",
		"http://user:secret@host":  "a host and a port only",
		"http://host?x":            "a host and a port only",
		"http://host#x":            "a host and a port only",
		"host:port:more":           "invalid port",
		"http://node.example:port": "invalid port",
		"a b":                      "invalid character",
	} {
		if c, err := client.New(target); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want an error with %q", target, c, err, want)
		}
	}
	if c, err := client.New("localhost"); err != nil || c.Target() != "localhost:50051" {
		t.Errorf("Target: %v", err)
	}
}

// unready returns the code unavailable for a number of calls.
type unready struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler

	left, calls int
}

func (u *unready) GetHealth(context.Context, *connect.Request[pb.GetHealthRequest]) (*connect.Response[pb.GetHealthResponse], error) {
	u.calls++
	if u.left--; u.left >= 0 {
		return nil, connect.NewError(connect.CodeUnavailable, errors.New("starting"))
	}
	return connect.NewResponse(&pb.GetHealthResponse{Serving: true}), nil
}

func (u *unready) SubmitMessage(context.Context, *connect.Request[pb.SubmitMessageRequest]) (*connect.Response[pb.SubmitMessageResponse], error) {
	u.calls++
	return nil, connect.NewError(connect.CodeUnavailable, errors.New("starting"))
}

// TestRetries checks that reads are retried when the node is unavailable, and that writes are not.
func TestRetries(t *testing.T) {
	t.Parallel()
	node := &unready{left: 3}
	if answer, err := client.Call(t.Context(), dial(t, serve(t, node)).GetHealth, &pb.GetHealthRequest{}); err != nil || !answer.GetServing() || node.calls != 4 {
		t.Errorf("%v after %d calls: %v", answer, node.calls, err)
	}
	node = &unready{left: 1000}
	_, err := client.Call(t.Context(), dial(t, serve(t, node)).GetHealth, &pb.GetHealthRequest{})
	if connect.CodeOf(err) != connect.CodeUnavailable || node.calls != 5 {
		t.Errorf("after %d calls: %v", node.calls, err)
	}
	if client.IsUnreachable(err) {
		t.Error("an error that the node returned is reported as unreachable")
	}
	node = &unready{}
	if _, err := client.Call(t.Context(), dial(t, serve(t, node)).SubmitMessage, &pb.SubmitMessageRequest{}); err == nil || node.calls != 1 {
		t.Errorf("the write was sent %d times: %v", node.calls, err)
	}
}

// TestUnreachable checks that IsUnreachable distinguishes a node that cannot be reached from other errors.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	c := dial(t, "127.0.0.1:1")
	_, err := client.Call(t.Context(), c.GetHealth, &pb.GetHealthRequest{})
	if !client.IsUnreachable(err) {
		t.Errorf("call without a node: %v", err)
	}
	if err := c.Submit(t.Context(), newMessages(t, 1)[0]); !client.IsUnreachable(err) {
		t.Errorf("submit without a node: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Call(ctx, c.GetHealth, &pb.GetHealthRequest{}); err == nil || client.IsUnreachable(err) {
		t.Errorf("canceled call: %v", err)
	}
	if client.IsUnreachable(nil) {
		t.Error("nil is reported as unreachable")
	}
}
