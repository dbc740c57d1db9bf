//go:build linux

package abuse_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/node/nodetest"
)

const (
	batchProcedure = "/makechain.MakechainService/BatchSubmitMessages"
	// requestLimit is the largest request that a node accepts.
	requestLimit = 4 << 20
	// unreadSockets is the number of connections whose responses are not read.
	unreadSockets = 200
	// manyStreams and manyConnections are more than a node serves in total.
	manyStreams, manyConnections = 1_100, 4_200
)

// requestAttacks need no account.
func requestAttacks() []attack {
	return []attack{
		{name: "1 batches of empty messages, Connect", run: func(a *attackers) {
			body := compressed(a.t, requestLimit, []byte{0x0a, 0})
			a.repeat(40, func(int) error {
				return a.post("http://"+a.node.grpc+batchProcedure, "application/proto", "gzip", body)
			})
		}},
		{name: "1 batches of empty messages, gRPC-web", run: func(a *attackers) {
			body := frame(compressed(a.t, requestLimit, []byte{0x0a, 0}))
			a.repeat(40, func(int) error { return a.postFrame("http://"+a.node.grpc+batchProcedure, body) })
		}},
		{name: "1 batches of empty messages, REST", run: func(a *attackers) {
			body := fmt.Appendf(nil, `{"messages":[%s{}]}`, strings.Repeat("{},", requestLimit/3-10))
			a.repeat(20, func(int) error {
				return a.post("http://"+a.node.rest+"/v1/messages/batch", "application/json", "", body)
			})
		}},
		{name: "1 compressed zeros", run: func(a *attackers) {
			member := compressed(a.t, 16<<20, []byte{0})
			body := bytes.Repeat(member, requestLimit/len(member))
			a.repeat(30, func(int) error {
				return a.post("http://"+a.node.grpc+batchProcedure, "application/proto", "gzip", body)
			})
		}},
		{name: "3 responses nobody reads, REST", run: func(a *attackers) {
			request := "GET /v1/blocks?limit=200 HTTP/1.1\r\nHost: " + a.node.rest + "\r\n\r\n"
			a.open(unreadSockets, func() error { return a.dial(a.node.rest, strings.Repeat(request, 10)) })
		}},
		{name: "3 responses nobody reads, Connect", run: func(a *attackers) {
			body := `{"limit":200}`
			request := fmt.Sprintf("POST /makechain.MakechainService/ListBlocks HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				a.node.grpc, len(body), body)
			a.open(unreadSockets, func() error { return a.dial(a.node.grpc, strings.Repeat(request, 10)) })
		}},
		{name: "4 rare filter", run: func(a *attackers) {
			request := &pb.ListMessagesRequest{Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_KEYCHAIN_REVOKE}, Limit: 200}
			a.repeat(16, func(int) error {
				_, err := a.ListMessages(a.ctx, connect.NewRequest(request))
				return err
			})
		}},
		{name: "4 unknown paths", run: func(a *attackers) {
			a.repeat(16, func(worker int) error { return a.get(fmt.Sprintf("http://%s/v1/unknown/%d", a.node.rest, worker)) })
		}},
		{name: "10 streams", check: mustServe, run: func(a *attackers) {
			a.open(manyStreams, func() error {
				stream, err := a.SubscribeMessages(a.ctx, connect.NewRequest(&pb.SubscribeRequest{}))
				if err == nil {
					a.group.Go(func() {
						for stream.Receive() { // an attacker has no use for what it receives
						}
						_ = stream.Close() // the attack has ended
					})
				}
				return err
			})
		}},
		{name: "10 event streams", check: mustServe, run: func(a *attackers) {
			request := "GET /v1/stream/messages HTTP/1.1\r\nHost: " + a.node.rest + "\r\n\r\n"
			a.open(2*manyStreams, func() error { return a.dial(a.node.rest, request) })
		}},
		{name: "10 connections", check: mustServe, run: func(a *attackers) {
			a.open(manyConnections, func() error { return a.dial(a.node.grpc, "") })
		}},
	}
}

// open opens a number of connections or streams and keeps them until the attack ends.
func (a *attackers) open(count int, one func() error) {
	for range count {
		if a.ctx.Err() != nil {
			return
		}
		if one() != nil {
			a.wait(refusalPause)
		}
	}
	<-a.ctx.Done()
}

// postFrame sends a compressed gRPC-web message.
func (a *attackers) postFrame(url string, body []byte) error {
	request, err := http.NewRequestWithContext(a.ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/grpc-web+proto")
	request.Header.Set("Grpc-Encoding", "gzip")
	return a.do(request)
}

// frame returns a compressed message with its gRPC prefix.
func frame(message []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{1}, uint32(len(message))), message...)
}

// mustServe checks that others can still open connections and streams, and receive events.
func mustServe(t *testing.T, h *honest) {
	t.Helper()
	client := nodetest.Dial(h.address)
	defer client.Close()
	stream, err := client.SubscribeMessages(t.Context(), connect.NewRequest(&pb.SubscribeRequest{}))
	if err != nil {
		t.Errorf("an honest client cannot subscribe: %v", err)
		return
	}
	defer func() { _ = stream.Close() }() // its context has ended
	h.push(t)
	if !stream.Receive() {
		t.Errorf("an honest subscriber receives nothing: %v", stream.Err())
	}
}
