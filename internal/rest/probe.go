package rest

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
)

// probeTimeout is how long a node may take to say how it is. Who asks does so every few seconds.
const probeTimeout = 3 * time.Second

// registerProbes adds what machines ask for: whether the gateway lives, whether it can answer well, and its metrics.
func (g *Gateway) registerProbes() {
	g.router.HandleFunc("GET /healthz", alive)
	g.router.HandleFunc("GET /readyz", g.ready)
	g.router.HandleFunc("GET /metrics", g.metrics)
}

// alive says that the gateway runs, whatever the node does.
func alive(w http.ResponseWriter, _ *http.Request) {
	writeProbe(w, struct {
		Serving bool `json:"serving"`
	}{true})
}

// ready says whether what the gateway answers is up to date, and otherwise why not.
func (g *Gateway) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
	defer cancel()
	answer, err := g.upstream.GetHealth(ctx, connect.NewRequest(&pb.GetHealthRequest{}))
	if err != nil {
		writeProblem(w, newProblem(connect.CodeUnavailable.String(), g.problemOf(r.Context(), err).Detail))
		return
	}
	block := strconv.FormatUint(answer.Msg.GetCurrentBlock(), 10)
	if !answer.Msg.GetServing() || !answer.Msg.GetReady() {
		writeProblem(w, newProblem(connect.CodeUnavailable.String(), "the node is catching up with the chain, and has block "+block))
		return
	}
	writeProbe(w, struct {
		Ready        bool   `json:"ready"`
		CurrentBlock string `json:"current_block"`
	}{true, block})
}

func writeProbe(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	_ = writeJSON(w, answer) // a client that is gone cannot be told
}

// metrics serves an operator of this machine. Others could learn from them whom the node serves.
func (g *Gateway) metrics(w http.ResponseWriter, r *http.Request) {
	switch {
	case g.config.Metrics == nil:
		writeProblem(w, newProblem(codeNotFound, "this gateway has no metrics"))
	case !g.config.ClientAddress(r.Context()).IsLoopback():
		writeProblem(w, newProblem(connect.CodePermissionDenied.String(), "metrics are for clients on the gateway's own machine"))
	default:
		g.config.Metrics.ServeHTTP(w, r)
	}
}
