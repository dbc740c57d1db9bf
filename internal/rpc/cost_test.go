package rpc

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/server"
	"makechain/message"
)

// serveLimited serves a service to clients on this machine with the default rate limit, and returns a function that
// connects from an address.
func serveLimited(t *testing.T, service *Service, now func() time.Time) (from func(address string) makechainpbconnect.MakechainServiceClient) {
	t.Helper()
	limits := server.Limits{RequestsPerSecond: 200, Burst: 400, LimitLoopback: true}
	s, err := server.New(server.Config{
		Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Limits: limits, Accounts: server.NewAccounts(limits, now),
	}, server.Service[makechainpbconnect.MakechainServiceHandler](makechainpbconnect.NewMakechainServiceHandler, service))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(context.Background()) }()
	t.Cleanup(func() { _ = s.Close() })
	return func(address string) makechainpbconnect.MakechainServiceClient {
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
		transport := &http.Transport{DialContext: dialer.DialContext}
		t.Cleanup(transport.CloseIdleConnections)
		return makechainpbconnect.NewMakechainServiceClient(&http.Client{Transport: transport}, "http://"+s.Addr().String())
	}
}

// TestCostOfListMessages checks that an address that lists messages of a type that is rare is refused after a few calls,
// because of the messages that the node reads for it, and that another address is not affected.
func TestCostOfListMessages(t *testing.T) {
	t.Parallel()
	service, _ := newFullService(t, 294, message.Star(ledgertest.Hash("project")))
	var seconds atomic.Int64
	from := serveLimited(t, service, func() time.Time { return time.Unix(ledgertest.Start+seconds.Load(), 0) })
	expensive, cheap := from("127.0.0.1"), from("127.0.0.2")
	rare := &pb.ListMessagesRequest{StartBlock: 1, EndBlock: fullHeight, Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_FORK}}
	for _, limit := range []int{10, 5} {
		answered, err := 0, error(nil)
		for err == nil && answered <= limit {
			if _, err = expensive.ListMessages(t.Context(), connect.NewRequest(rare)); err == nil {
				answered++
			}
		}
		var refused *connect.Error
		if !errors.As(err, &refused) || refused.Code() != connect.CodeResourceExhausted || refused.Meta().Get("Retry-After") != "1" {
			t.Errorf("the last call returned %v, want resource_exhausted with Retry-After: 1", err)
		}
		if answered == 0 || answered > limit {
			t.Errorf("%d expensive calls were answered, want 1 to %d", answered, limit)
		}
		for range 100 {
			request := connect.NewRequest(&pb.GetAccountRequest{OwnerAddress: make([]byte, ident.AddressSize)})
			if _, err := cheap.GetAccount(t.Context(), request); err != nil {
				t.Fatalf("a cheap call from another address: %v", err)
			}
		}
		seconds.Add(1)
	}
}
