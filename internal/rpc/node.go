package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/index"
)

func (s *Service) uptimeSeconds() uint64 { return uint64(s.Now().Sub(s.started).Seconds()) }

// verification says how the node came by its state: by executing every block since genesis.
func verification() *pb.ReplayVerificationInfo {
	return &pb.ReplayVerificationInfo{Status: pb.ReplayVerificationStatus_REPLAY_VERIFICATION_STATUS_VERIFIED}
}

// GetNodeStatus tells how the node is doing.
func (s *Service) GetNodeStatus(context.Context, *connect.Request[pb.GetNodeStatusRequest]) (*connect.Response[pb.GetNodeStatusResponse], error) {
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetNodeStatusResponse], error) {
		stats, err := index.NewReader(snapshot).Stats()
		if err != nil {
			return nil, err
		}
		chain, height := s.Chain.Status(), snapshot.Height()
		return connect.NewResponse(&pb.GetNodeStatusResponse{
			CurrentBlock:       height,
			MempoolSize:        uint32(s.Pool.Len()),
			PendingBlocks:      uint32(max(s.Chain.Height(), height) - height),
			Network:            s.Genesis.Network,
			Version:            s.Version,
			UptimeSecs:         s.uptimeSeconds(),
			TotalMessages:      stats.Messages,
			StateEntries:       uint32(snapshot.Len()),
			ReplayVerification: verification(),
			ValidatorPublicKey: chain.ValidatorKey,
			CatchingUp:         chain.CatchingUp,
			PeerCount:          uint32(chain.Peers),
			ChainId:            chain.ChainID,
		}), nil
	})
}

// GetHealth says whether the node serves, and whether what it serves is up to date.
func (s *Service) GetHealth(context.Context, *connect.Request[pb.GetHealthRequest]) (*connect.Response[pb.GetHealthResponse], error) {
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetHealthResponse], error) {
		return connect.NewResponse(&pb.GetHealthResponse{
			Serving: true, Ready: !s.Chain.Status().CatchingUp, CurrentBlock: snapshot.Height(),
			UptimeSecs: s.uptimeSeconds(), ReplayVerification: verification(),
		}), nil
	})
}

// GetChainStats tells how much there is of everything, from counters kept with each block.
func (s *Service) GetChainStats(context.Context, *connect.Request[pb.GetChainStatsRequest]) (*connect.Response[pb.GetChainStatsResponse], error) {
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetChainStatsResponse], error) {
		stats, err := index.NewReader(snapshot).Stats()
		if err != nil {
			return nil, err
		}
		return connect.NewResponse(&pb.GetChainStatsResponse{
			BlockHeight: snapshot.Height(), TotalMessages: stats.Messages,
			TotalProjects: uint32(stats.Projects), TotalAccounts: uint32(stats.Accounts), TotalRefs: uint32(stats.Refs),
			TotalCommits: uint32(stats.Commits), TotalCollaborators: uint32(stats.Collaborators), TotalKeys: uint32(stats.Keys),
			TotalVerifications: uint32(stats.Verifications), TotalLinks: uint32(stats.Links), TotalReactions: uint32(stats.Reactions),
			StateEntries: uint32(snapshot.Len()),
		}), nil
	})
}

// GetSnapshotInfo tells of the newest snapshot that others can sync from.
func (s *Service) GetSnapshotInfo(context.Context, *connect.Request[pb.GetSnapshotInfoRequest]) (*connect.Response[pb.GetSnapshotInfoResponse], error) {
	newest := s.Snapshots.Newest()
	if newest == nil {
		return nil, notFound("no snapshot has been taken yet")
	}
	return connect.NewResponse(newest), nil
}

// GetMempoolInfo counts what is pending.
func (s *Service) GetMempoolInfo(context.Context, *connect.Request[pb.GetMempoolInfoRequest]) (*connect.Response[pb.GetMempoolInfoResponse], error) {
	return connect.NewResponse(s.Pool.Info()), nil
}
