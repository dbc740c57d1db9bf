package server

import (
	"context"
	"fmt"
	"slices"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
)

// healthWatchInterval is how soon a watcher of health learns of a change.
const healthWatchInterval = time.Second

// health answers the standard health service of gRPC. All services live and die together, so they share one
// answer.
type health struct {
	services []string
	ready    func() bool
	draining context.Context //nolint:containedctx // it ends when the server begins to close
}

var _ grpchealth.Watcher = (*health)(nil)

func (h *health) Check(_ context.Context, req *grpchealth.CheckRequest) (*grpchealth.CheckResponse, error) {
	switch {
	case req.Service != "" && !slices.Contains(h.services, req.Service):
		return nil, connect.NewError(connect.CodeNotFound, fmt.Errorf("service %q is not served here", req.Service))
	case h.closing() || !h.ready():
		return &grpchealth.CheckResponse{Status: grpchealth.StatusNotServing}, nil
	default:
		return &grpchealth.CheckResponse{Status: grpchealth.StatusServing}, nil
	}
}

func (h *health) closing() bool { return h.draining.Err() != nil }

// Watch asks again and again, because readiness is a question and not an event.
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
