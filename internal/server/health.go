package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
)

// healthWatchInterval is how often the health is checked for watchers.
const healthWatchInterval = time.Second

// healthMethod is the name of methods that report the health of a service of its own accord.
const healthMethod = "GetHealth"

// isProbe reports whether a path is of the health or the reflection service or of a method that reports health, which are
// served when other calls are not.
func isProbe(path string) bool {
	return strings.HasPrefix(path, "/grpc.health.") || strings.HasPrefix(path, "/grpc.reflection.") || strings.HasSuffix(path, "/"+healthMethod)
}

// health implements the gRPC health service. All services have the same status.
type health struct {
	services []string
	ready    func() bool
	draining context.Context //nolint:containedctx // it is canceled when the server starts to close
}

// serving reports whether the server is ready and not closing.
func (h *health) serving() bool { return h.draining.Err() == nil && h.ready() }

var _ grpchealth.Watcher = (*health)(nil)

func (h *health) Check(_ context.Context, req *grpchealth.CheckRequest) (*grpchealth.CheckResponse, error) {
	switch {
	case req.Service != "" && !slices.Contains(h.services, req.Service):
		return nil, connect.NewError(connect.CodeNotFound, fmt.Errorf("service %q is not served", req.Service))
	case h.serving():
		return &grpchealth.CheckResponse{Status: grpchealth.StatusServing}, nil
	default:
		return &grpchealth.CheckResponse{Status: grpchealth.StatusNotServing}, nil
	}
}

// Watch polls, because readiness is a function without change notifications.
func (*health) Watch(_ context.Context, _ *grpchealth.CheckRequest, onChange func()) (stop func(), err error) {
	ticker := time.NewTicker(healthWatchInterval)
	stopped := make(chan struct{})
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				onChange()
			case <-stopped:
				return
			}
		}
	}()
	return func() { close(stopped) }, nil
}
