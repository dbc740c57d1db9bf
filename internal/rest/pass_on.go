package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

type passingKey struct{}

// passing hands headers of a node's answer on to the answer of a request.
type passing struct {
	to   huma.Context
	done bool
}

// letPass lets calls that are made for a request add to the headers of its answer.
func letPass(ctx huma.Context, next func(huma.Context)) {
	p := new(passing)
	inner := huma.WithValue(ctx, passingKey{}, p)
	p.to = inner
	next(inner)
}

// passOn hands on what the node said beside an answer. Of several calls the first counts: what the others read is at
// least as new.
func (g *Gateway) passOn(ctx context.Context, from http.Header) {
	p, isRequest := ctx.Value(passingKey{}).(*passing)
	if !isRequest || p.done {
		return
	}
	p.done = true
	for _, name := range g.config.PassOn {
		if value := from.Get(name); value != "" {
			p.to.SetHeader(name, value)
		}
	}
}
