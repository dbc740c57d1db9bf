package rest

import pb "makechain/gen/makechain"

// nothing is the input of a route that leaves no choice.
type nothing struct{}

func (g *Gateway) registerNode() {
	get(g, endpoint{
		id: "get-node-status", path: "/v1/node/status", rpcs: []string{"GetNodeStatus"}, tag: tagNode,
		summary: "The node: height, mempool, peers and version",
	}, g.upstream.GetNodeStatus, func(*nothing) *pb.GetNodeStatusRequest { return &pb.GetNodeStatusRequest{} })

	get(g, endpoint{
		id: "get-health", path: "/v1/node/health", rpcs: []string{"GetHealth"}, tag: tagNode,
		summary: "Whether the node serves, and is up to date",
	}, g.upstream.GetHealth, func(*nothing) *pb.GetHealthRequest { return &pb.GetHealthRequest{} })

	get(g, endpoint{
		id: "get-chain-stats", path: "/v1/chain/stats", rpcs: []string{"GetChainStats"}, tag: tagNode,
		summary: "How much there is of everything on the chain",
	}, g.upstream.GetChainStats, func(*nothing) *pb.GetChainStatsRequest { return &pb.GetChainStatsRequest{} })

	get(g, endpoint{
		id: "get-snapshot-info", path: "/v1/chain/snapshot", rpcs: []string{"GetSnapshotInfo"}, tag: tagNode,
		summary: "The latest snapshot that others can start from: block, root and size", errors: mayBeAbsent(),
	}, g.upstream.GetSnapshotInfo, func(*nothing) *pb.GetSnapshotInfoRequest { return &pb.GetSnapshotInfoRequest{} })

	get(g, endpoint{
		id: "get-mempool-info", path: "/v1/mempool", rpcs: []string{"GetMempoolInfo"}, tag: tagNode,
		summary: "The messages that wait for a block, by type",
	}, g.upstream.GetMempoolInfo, func(*nothing) *pb.GetMempoolInfoRequest { return &pb.GetMempoolInfoRequest{} })
}
