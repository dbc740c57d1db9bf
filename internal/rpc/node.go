package rpc

import (
	"context"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/index"
)

// uptimeSeconds is the time since the start, by a clock that may be set back.
func (s *Service) uptimeSeconds() uint64 { return uint64(max(s.Now().Sub(s.started), 0) / time.Second) }

// verification says how the node came by its state: by executing every block since genesis, or from a peer.
func (c *ChainStatus) verification() *pb.ReplayVerificationInfo {
	if c.FromSnapshot {
		return &pb.ReplayVerificationInfo{
			Status: pb.ReplayVerificationStatus_REPLAY_VERIFICATION_STATUS_TRUSTED_SNAPSHOT,
			Detail: "the state was taken over from a snapshot whose root the validators signed",
		}
	}
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
			MempoolSize:        saturated(uint64(s.Pool.Len())),
			PendingBlocks:      saturated(max(s.Chain.Height(), height) - height + chain.Behind),
			Network:            s.Genesis.Network,
			Version:            s.Version,
			UptimeSecs:         s.uptimeSeconds(),
			TotalMessages:      stats.Messages,
			StateEntries:       saturated(uint64(snapshot.Len())),
			ReplayVerification: chain.verification(),
			ValidatorPublicKey: chain.ValidatorKey,
			CatchingUp:         chain.CatchingUp,
			PeerCount:          saturated(uint64(chain.Peers)),
			ChainId:            chain.ChainID,
		}), nil
	})
}

// GetHealth says whether the node serves, and whether what it serves is up to date.
func (s *Service) GetHealth(context.Context, *connect.Request[pb.GetHealthRequest]) (*connect.Response[pb.GetHealthResponse], error) {
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetHealthResponse], error) {
		chain := s.Chain.Status()
		return connect.NewResponse(&pb.GetHealthResponse{
			Serving: true, Ready: !chain.CatchingUp, CurrentBlock: snapshot.Height(),
			UptimeSecs: s.uptimeSeconds(), ReplayVerification: chain.verification(),
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
			TotalProjects: saturated(stats.Projects), TotalAccounts: saturated(stats.Accounts), TotalRefs: saturated(stats.Refs),
			TotalCommits: saturated(stats.Commits), TotalCollaborators: saturated(stats.Collaborators), TotalKeys: saturated(stats.Keys),
			TotalVerifications: saturated(stats.Verifications), TotalLinks: saturated(stats.Links), TotalReactions: saturated(stats.Reactions),
			StateEntries: saturated(uint64(snapshot.Len())),
		}), nil
	})
}

// GetSnapshotInfo tells of the newest snapshot that others can sync from. There is none before the first was
// taken.
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
