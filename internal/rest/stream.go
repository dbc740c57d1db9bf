package rest

import "github.com/danielgtaylor/huma/v2"

// StreamLimits bound the event streams. A zero field means its default.
type StreamLimits struct{}

type streams struct{}

func newStreams(Config) (*streams, error) { return &streams{}, nil }

func (*streams) close() {}

// registerStreams adds the routes of server-sent events.
func registerStreams(huma.API, *Gateway) {}
