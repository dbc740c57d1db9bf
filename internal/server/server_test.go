package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/gen/makechain/dev/devpbconnect"
)

// TestProtocols checks a unary and a streaming call in every protocol on one port.
func TestProtocols(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{}, &services{})
			owner := []byte(strings.Repeat("long enough to be compressed ", 100))
			answer, err := p.faucet(t, r).Claim(t.Context(), connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: owner}))
			if err != nil {
				t.Fatal(err)
			}
			if got := answer.Msg.GetHash(); !slices.Equal(got, owner) {
				t.Errorf("response %q, want %q", got, owner)
			}
			stream, err := p.chain(t, r).SubscribeMessages(t.Context(), newSubscription())
			if err != nil {
				t.Fatal(err)
			}
			numbers, err := receiveBlocks(stream)
			if err != nil || !slices.Equal(numbers, []uint64{1, 2, 3}) {
				t.Errorf("streamed %v and ended with %v, want 1, 2 and 3", numbers, err)
			}
			r.wantMetric(t, 1, "makechain_rpc_duration_seconds", claimMethod, "ok")
			r.wantMetric(t, 1, "makechain_rpc_stream_duration_seconds", subscribeMethod, "ok")
			r.wantMetric(t, 3, "makechain_rpc_stream_messages_total", subscribeMethod, "sent")
			r.wantMetric(t, 0, "makechain_rpc_in_flight")
			r.wantMetric(t, 0, "makechain_rpc_streams_open")
		})
	}
}

// TestTLS checks calls over HTTP/2 and HTTP/1.1 with a self-signed certificate.
func TestTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile, pool := newCertificate(t)
	r := start(t, Config{CertFile: certFile, KeyFile: keyFile}, &services{})
	for _, test := range []struct {
		name    string
		http2   bool
		options []connect.ClientOption
	}{
		{"gRPC over HTTP/2", true, []connect.ClientOption{connect.WithGRPC()}},
		{"gRPC-web over HTTP/1.1", false, []connect.ClientOption{connect.WithGRPCWeb()}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var versions http.Protocols
			versions.SetHTTP1(!test.http2)
			versions.SetHTTP2(test.http2)
			transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, Protocols: &versions}
			t.Cleanup(transport.CloseIdleConnections)
			client := devpbconnect.NewFaucetServiceClient(&http.Client{Transport: transport}, r.url, test.options...)
			if _, err := client.Claim(t.Context(), newClaim()); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("plain text is refused", func(t *testing.T) {
		t.Parallel()
		plain := strings.Replace(r.url, "https", "http", 1)
		client := devpbconnect.NewFaucetServiceClient(grpc().client(t), plain, connect.WithGRPC())
		if _, err := client.Claim(t.Context(), newClaim()); err == nil {
			t.Error("a server with TLS answered a call in plain text")
		}
	})
}

// newCertificate writes a self-signed certificate for 127.0.0.1.
func newCertificate(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	parsed, err := x509.ParseCertificate(certificate)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	return write("cert.pem", "CERTIFICATE", certificate), write("key.pem", "PRIVATE KEY", secret), pool
}

// TestCloseIsGraceful closes a server with an open stream and a running call, and checks that the stream ends with
// unavailable, the call is answered and Close returns no error.
func TestCloseIsGraceful(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			claiming, finish := make(chan struct{}), make(chan struct{})
			r := start(t, Config{}, &services{
				claim: func(ctx context.Context, _ *claimRequest) (*claimResponse, error) {
					close(claiming)
					<-finish
					return connect.NewResponse(&devpb.ClaimResponse{}), ctx.Err()
				},
				subscribe: func(ctx context.Context, _ *subscribeRequest, stream *messageStream) error {
					if err := sendBlocks(stream, 1); err != nil {
						return err
					}
					<-ctx.Done()
					return ctx.Err()
				},
			})
			stream, err := p.chain(t, r).SubscribeMessages(t.Context(), newSubscription())
			if err != nil || !stream.Receive() {
				t.Fatal("no stream:", err, stream.Err())
			}
			responded := make(chan error, 1)
			go func() {
				_, err := p.faucet(t, r).Claim(t.Context(), newClaim())
				responded <- err
			}()
			await(t, claiming, "the call")

			closed := make(chan error, 1)
			go func() { closed <- r.Close() }()
			_, err = receiveBlocks(stream)
			wantCode(t, err, connect.CodeUnavailable)
			select {
			case err := <-closed:
				t.Errorf("closed with %v while a call was running", err)
			default:
			}
			close(finish)
			if err := await(t, responded, "the response"); err != nil {
				t.Errorf("a call that was running ended with %v", err)
			}
			if err := await(t, closed, "the end of Close"); err != nil {
				t.Errorf("Close: %v", err)
			}
			if err := await(t, r.served, "the end of Serve"); err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

// TestCloseTimeout closes a server whose call does not end, and checks that Close returns an error.
func TestCloseTimeout(t *testing.T) {
	t.Parallel()
	claiming, finish := make(chan struct{}), make(chan struct{})
	defer close(finish)
	r := start(t, Config{Limits: Limits{ShutdownTimeout: 50 * time.Millisecond}}, &services{
		claim: func(context.Context, *claimRequest) (*claimResponse, error) {
			close(claiming)
			<-finish
			return connect.NewResponse(&devpb.ClaimResponse{}), nil
		},
	})
	responded := make(chan error, 1)
	go func() {
		_, err := grpc().faucet(t, r).Claim(t.Context(), newClaim())
		responded <- err
	}()
	await(t, claiming, "the call")
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "50ms") {
		t.Errorf("Close: %v, want an error that names the shutdown timeout", err)
	}
	if err := await(t, responded, "the response"); err == nil {
		t.Error("a call whose connection was closed has a response")
	}
}

// TestServeContext checks that Serve returns when its context is canceled.
func TestServeContext(t *testing.T) {
	t.Parallel()
	server, err := New(Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx) }()
	cancel()
	if err := await(t, served, "the end of Serve"); err != nil {
		t.Error(err)
	}
	if connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Addr().String()); err == nil {
		_ = connection.Close()
		t.Error("the server still listens on the address")
	}
}

// TestCloseBeforeServe checks that Close releases the address of a server that never served.
func TestCloseBeforeServe(t *testing.T) {
	t.Parallel()
	server, err := New(Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	again, err := New(Config{Addr: server.Addr().String()})
	if err != nil {
		t.Fatal("the address is still taken:", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestNewErrors checks the errors of invalid configurations.
func TestNewErrors(t *testing.T) {
	t.Parallel()
	taken, err := New(Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	used := prometheus.NewRegistry()
	if err := used.Register(prometheus.NewCounter(prometheus.CounterOpts{Name: "makechain_rpc_panics_total", Help: "Another's."})); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		config Config
		want   string
	}{
		{"certificate without key", Config{CertFile: "cert.pem"}, "certificate and a key"},
		{"key without certificate", Config{KeyFile: "key.pem"}, "certificate and a key"},
		{"missing certificate file", Config{CertFile: "no.pem", KeyFile: "no.pem"}, "load the TLS certificate"},
		{"address in use", Config{Addr: taken.Addr().String()}, "listen for calls"},
		{"metrics registered by others", Config{Registerer: used}, "register the metrics"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := New(test.config); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestHandler checks that the handler serves without the server's listener.
func TestHandler(t *testing.T) {
	t.Parallel()
	r := start(t, Config{}, &services{
		subscribe: func(_ context.Context, _ *subscribeRequest, stream *messageStream) error {
			return stream.Send(&pb.Message{BlockNumber: 7})
		},
	})
	second := &http.Server{Handler: r.Handler(), ReadHeaderTimeout: time.Minute}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = second.Serve(listener) }() // it ends with an error, when it is closed
	t.Cleanup(func() { _ = second.Close() })
	web := protocols()[1]
	stream, err := web.chain(t, &running{url: "http://" + listener.Addr().String()}).SubscribeMessages(t.Context(), newSubscription())
	if err != nil {
		t.Fatal(err)
	}
	if numbers, err := receiveBlocks(stream); err != nil || !slices.Equal(numbers, []uint64{7}) {
		t.Errorf("streamed %v and ended with %v, want 7", numbers, err)
	}
}
