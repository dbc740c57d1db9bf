package rest

import "github.com/danielgtaylor/huma/v2"

// registerStreams adds the routes of server-sent events.
func registerStreams(huma.API, *Gateway) {}
