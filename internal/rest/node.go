package rest

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
)

// probeTimeout is how long the node may take to report its health to a probe.
const probeTimeout = 3 * time.Second

// noInput is the input of a route without parameters.
type noInput struct{}

func (g *Gateway) registerNode() {
	get(g, endpoint{
		id: "get-node-status", path: "/v1/node/status", rpcs: []string{"GetNodeStatus"}, tag: tagNode,
		summary: "Get the status of the node: height, mempool, peers and version",
	}, g.service.GetNodeStatus, func(*noInput) *pb.GetNodeStatusRequest { return &pb.GetNodeStatusRequest{} })

	get(g, endpoint{
		id: "get-health", path: "/v1/node/health", rpcs: []string{"GetHealth"}, tag: tagNode,
		summary: "Get the health of the node: liveness and readiness",
	}, g.service.GetHealth, func(*noInput) *pb.GetHealthRequest { return &pb.GetHealthRequest{} })

	get(g, endpoint{
		id: "get-chain-stats", path: "/v1/chain/stats", rpcs: []string{"GetChainStats"}, tag: tagNode,
		summary: "Get statistics of the chain",
	}, g.service.GetChainStats, func(*noInput) *pb.GetChainStatsRequest { return &pb.GetChainStatsRequest{} })

	get(g, endpoint{
		id: "get-snapshot-info", path: "/v1/chain/snapshot", rpcs: []string{"GetSnapshotInfo"}, tag: tagNode,
		summary: "Get the latest snapshot that peers can sync from: block, root and size", errors: notFound(),
	}, g.service.GetSnapshotInfo, func(*noInput) *pb.GetSnapshotInfoRequest { return &pb.GetSnapshotInfoRequest{} })

	get(g, endpoint{
		id: "get-mempool-info", path: "/v1/mempool", rpcs: []string{"GetMempoolInfo"}, tag: tagNode,
		summary: "Get the number of pending messages by type",
	}, g.service.GetMempoolInfo, func(*noInput) *pb.GetMempoolInfoRequest { return &pb.GetMempoolInfoRequest{} })
}

// registerProbes adds liveness, readiness and metrics.
func (g *Gateway) registerProbes() {
	g.router.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeProbe(w, struct {
			Serving bool `json:"serving"`
		}{true})
	})
	g.router.HandleFunc("GET /readyz", g.ready)
	g.router.HandleFunc("GET /metrics", g.metrics)
}

// ready responds with 200 if the node is ready, otherwise with a problem.
func (g *Gateway) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
	defer cancel()
	health, err := callUnary(ctx, g.config.Upstream, g.service.GetHealth, &pb.GetHealthRequest{})
	if err != nil {
		writeProblem(w, newProblem(connect.CodeUnavailable.String(), g.problemOf(r.Context(), err).Detail))
		return
	}
	block := strconv.FormatUint(health.Msg.GetCurrentBlock(), 10)
	if !health.Msg.GetServing() || !health.Msg.GetReady() {
		writeProblem(w, newProblem(connect.CodeUnavailable.String(), g.unreadiness(ctx)+"; its latest block is "+block))
		return
	}
	writeProbe(w, struct {
		Ready        bool   `json:"ready"`
		CurrentBlock string `json:"current_block"`
	}{true, block})
}

// unreadiness returns why the node is not ready.
func (g *Gateway) unreadiness(ctx context.Context) string {
	status, err := callUnary(ctx, g.config.Upstream, g.service.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err == nil && !status.Msg.GetCatchingUp() {
		return fmt.Sprintf("the node produces no blocks although %d messages are pending", status.Msg.GetMempoolSize())
	}
	return "the node is catching up with the chain"
}

func writeProbe(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", jsonType)
	_ = writeJSON(w, value) // the client may have disconnected
}

// metrics serves the metrics to clients on this machine only, because they show whom the node serves.
func (g *Gateway) metrics(w http.ResponseWriter, r *http.Request) {
	switch {
	case g.config.Metrics == nil:
		writeProblem(w, newProblem(codeNotFound, "this gateway has no metrics"))
	case !g.config.ClientAddress(r.Context()).IsLoopback():
		writeProblem(w, newProblem(connect.CodePermissionDenied.String(), "metrics are available only on the gateway's own machine"))
	default:
		g.config.Metrics.ServeHTTP(w, r)
	}
}
