package server

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestMetricsServer checks that metrics are served, and profiles only if configured.
func TestMetricsServer(t *testing.T) {
	t.Parallel()
	for _, profiles := range []bool{false, true} {
		r := start(t, Config{}, &services{})
		if err := claimAs(t, grpc(), r, "counted"); err != nil {
			t.Fatal(err)
		}
		metrics, err := NewMetrics(MetricsConfig{Addr: "127.0.0.1:0", Gatherer: r.registry, Profiles: profiles})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- metrics.Serve(ctx) }()

		if status, body := get(t, metrics, "/metrics"); status != http.StatusOK ||
			!strings.Contains(body, `makechain_rpc_duration_seconds_count{code="ok",method="/makechain.dev.FaucetService/Claim"} 1`) {
			t.Errorf("/metrics returned %d:\n%s", status, body)
		}
		if status, _ := get(t, metrics, "/debug/pprof/goroutine?debug=1"); (status == http.StatusOK) != profiles {
			t.Errorf("profiles returned %d, configured: %t", status, profiles)
		}
		cancel()
		if err := await(t, served, "the end of Serve"); err != nil {
			t.Error(err)
		}
	}
}

func get(t *testing.T, metrics *MetricsServer, path string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+metrics.Addr().String()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, readAll(t, response)
}

// TestMetricsServerErrors checks that profiles need a loopback address.
func TestMetricsServerErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ addr, want string }{
		{"0.0.0.0:0", "loopback"},
		{"no such address", "listen for metrics"},
	} {
		_, err := NewMetrics(MetricsConfig{Addr: test.addr, Gatherer: prometheus.NewRegistry(), Profiles: true})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.addr, err, test.want)
		}
	}
}
