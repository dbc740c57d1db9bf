package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// TestReflection checks that both versions of reflection list the services and describe one of them.
func TestReflection(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v1", "v1alpha"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{}, &services{})
			client := reflectionClient{Client: grpc().client(t), version: version}
			stream := grpcreflect.NewClient(client, r.url, connect.WithGRPC()).NewStream(t.Context())
			t.Cleanup(func() { _, _ = stream.Close() })
			listed, err := stream.ListServices()
			if err != nil {
				t.Fatal(err)
			}
			want := []protoreflect.FullName{"grpc.health.v1.Health", "makechain.MakechainService", "makechain.dev.FaucetService"}
			if slices.Sort(listed); !slices.Equal(listed, want) {
				t.Errorf("listed %v, want %v", listed, want)
			}
			files, err := stream.FileContainingSymbol("makechain.MakechainService")
			if err != nil || len(files) == 0 {
				t.Fatalf("%d files describe the service: %v", len(files), err)
			}
			if described := files[0].GetService(); len(described) != 1 || described[0].GetName() != "MakechainService" {
				t.Errorf("%s describes %v", files[0].GetName(), described)
			}
		})
	}
}

// A reflectionClient uses one version of reflection; the library would fall back to the other.
type reflectionClient struct {
	*http.Client

	version string
}

func (c reflectionClient) Do(request *http.Request) (*http.Response, error) {
	request.URL.Path = "/grpc.reflection." + c.version + ".ServerReflection/ServerReflectionInfo"
	return c.Client.Do(request)
}

// Statuses of the gRPC health service.
const (
	serving    = 1
	notServing = 2
)

// Health requests and responses have the encoding of a wrapped string and a wrapped number.
type healthClient = connect.Client[wrapperspb.StringValue, wrapperspb.Int32Value]

func newHealthClient(t *testing.T, p protocol, r *running, method string) *healthClient {
	t.Helper()
	return connect.NewClient[wrapperspb.StringValue, wrapperspb.Int32Value](p.client(t), r.url+"/grpc.health.v1.Health/"+method, p.options...)
}

// TestHealth checks that Check and Watch follow the readiness of the node.
func TestHealth(t *testing.T) {
	t.Parallel()
	var ready atomic.Bool
	r := start(t, Config{Ready: ready.Load}, &services{})
	asker := newHealthClient(t, grpc(), r, "Check")
	watched, err := newHealthClient(t, grpc(), r, "Watch").CallServerStream(t.Context(), connect.NewRequest(wrapperspb.String("")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int32{notServing, serving} {
		for _, service := range []string{"", "makechain.MakechainService", "makechain.dev.FaucetService"} {
			answer, err := asker.CallUnary(t.Context(), connect.NewRequest(wrapperspb.String(service)))
			if err != nil || answer.Msg.GetValue() != want {
				t.Errorf("health of %q is %v, %v, want %d", service, answer, err, want)
			}
		}
		if !watched.Receive() || watched.Msg().GetValue() != want {
			t.Errorf("watched %v, %v, want %d", watched.Msg(), watched.Err(), want)
		}
		ready.Store(true)
	}
	_, err = asker.CallUnary(t.Context(), connect.NewRequest(wrapperspb.String("no.such.Service")))
	wantCode(t, err, connect.CodeNotFound)
}

// TestHealthWhileClosing checks that the status is NOT_SERVING while the server closes.
func TestHealthWhileClosing(t *testing.T) {
	t.Parallel()
	draining, drain := context.WithCancel(t.Context())
	defer drain()
	checked := &health{ready: func() bool { return true }, draining: draining}
	for _, want := range []grpchealth.Status{grpchealth.StatusServing, grpchealth.StatusNotServing} {
		if answer, err := checked.Check(t.Context(), &grpchealth.CheckRequest{}); err != nil || answer.Status != want {
			t.Errorf("health is %v, %v, want %s", answer, err, want)
		}
		drain()
	}
}

// TestCORS checks the responses to preflight requests and the exposed headers.
func TestCORS(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		allowed []string
		origin  string
		want    string
	}{
		{"all origins", nil, "https://page.example", "*"},
		{"allowed origin", []string{"https://page.example"}, "https://page.example", "https://page.example"},
		{"other origin", []string{"https://page.example"}, "https://other.example", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{AllowedOrigins: test.allowed}, &services{})
			preflight := sendFromOrigin(t, r, http.MethodOptions, test.origin, http.Header{
				"Access-Control-Request-Method":  {"POST"},
				"Access-Control-Request-Headers": {"content-type,x-grpc-web,x-request-id"},
			})
			if got := preflight.Get("Access-Control-Allow-Origin"); got != test.want {
				t.Errorf("preflight allows origin %q, want %q", got, test.want)
			}
			allowed := strings.ToLower(preflight.Get("Access-Control-Allow-Headers"))
			if got := strings.Contains(allowed, "x-grpc-web") && strings.Contains(allowed, "x-request-id"); got != (test.want != "") {
				t.Errorf("preflight allows headers %q", allowed)
			}
			answer := sendFromOrigin(t, r, http.MethodPost, test.origin, http.Header{"Content-Type": {"application/json"}})
			exposed := strings.ToLower(answer.Get("Access-Control-Expose-Headers"))
			for _, header := range []string{"grpc-status", "x-request-id", "retry-after", "makechain-block", "makechain-behind"} {
				if strings.Contains(exposed, header) != (test.want != "") {
					t.Errorf("the response exposes %q, unexpected for %s", exposed, header)
				}
			}
		})
	}
}

// sendFromOrigin sends a request with an origin and returns the headers of the response.
func sendFromOrigin(t *testing.T, r *running, method, origin string, header http.Header) http.Header {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.url+claimMethod, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	request.Header.Set("Origin", origin)
	response, err := protocols()[1].client(t).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if body := readAll(t, response); response.StatusCode >= 300 {
		t.Fatalf("response %s: %s", response.Status, body)
	}
	return response.Header
}

// TestFromHandler checks that a gateway and the services share a port.
func TestFromHandler(t *testing.T) {
	t.Parallel()
	r := start(t, Config{}, &services{}, FromHandler("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s for %s from %s", r.URL.Path, RequestID(r.Context()), ClientAddress(r.Context()))
	})))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/v1/projects", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set(RequestIDHeader, "my-id")
	response, err := protocols()[1].client(t).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if body := readAll(t, response); body != "/v1/projects for my-id from 127.0.0.1" {
		t.Errorf("the gateway returned %q", body)
	}
	if err := claimAs(t, grpc(), r, "beside"); err != nil {
		t.Error(err)
	}
}

// TestUnknownMethods checks that calls of unknown methods return unimplemented.
func TestUnknownMethods(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, Config{}, &services{})
			for _, path := range []string{"/makechain.MakechainService/NoSuchMethod", "/no.such.Service/Method"} {
				client := connect.NewClient[structpb.Struct, structpb.Struct](p.client(t), r.url+path, p.options...)
				_, err := client.CallUnary(t.Context(), connect.NewRequest(&structpb.Struct{}))
				wantCode(t, err, connect.CodeUnimplemented)
			}
		})
	}
}
