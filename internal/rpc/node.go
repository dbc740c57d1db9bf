package rpc

import (
	"context"
	"maps"
	"slices"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/index"
	"makechain/internal/schema"
)

// uptimeSeconds returns the time since the start, 0 when the clock was set back.
func (s *Service) uptimeSeconds() uint64 { return uint64(max(s.Now().Sub(s.started), 0) / time.Second) }

// verification reports whether the node executed every block since genesis or restored a snapshot. A node that cannot
// read how it got its state does not claim to have executed every block.
func (s *Service) verification() *pb.ReplayVerificationInfo {
	if restored, err := s.RestoredHeight(); restored > 0 || err != nil {
		return &pb.ReplayVerificationInfo{
			Status: pb.ReplayVerificationStatus_REPLAY_VERIFICATION_STATUS_TRUSTED_SNAPSHOT,
			Detail: "the state was restored from a snapshot whose root the validators signed",
		}
	}
	return &pb.ReplayVerificationInfo{Status: pb.ReplayVerificationStatus_REPLAY_VERIFICATION_STATUS_VERIFIED}
}

// GetNodeStatus returns the status of the node and its chain.
func (s *Service) GetNodeStatus(ctx context.Context, _ *connect.Request[pb.GetNodeStatusRequest]) (*connect.Response[pb.GetNodeStatusResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetNodeStatusResponse], error) {
		stats, err := index.NewReader(snapshot).Stats()
		if err != nil {
			return nil, err
		}
		chain, height := s.Chain.Status(), snapshot.Height()
		rules, pending, err := s.rules(snapshot)
		if err != nil {
			return nil, err
		}
		return connect.NewResponse(&pb.GetNodeStatusResponse{
			CurrentBlock:       height,
			MempoolSize:        saturated(uint64(s.Pool.Len())),
			PendingBlocks:      saturated(max(s.Chain.Height(), height) - height + chain.Behind),
			Network:            s.Genesis.Network,
			Version:            s.Version,
			UptimeSecs:         s.uptimeSeconds(),
			TotalMessages:      stats.Messages,
			StateEntries:       saturated(uint64(snapshot.Len())),
			ReplayVerification: s.verification(),
			ValidatorPublicKey: chain.ValidatorKey,
			CatchingUp:         chain.CatchingUp,
			PeerCount:          saturated(uint64(chain.Peers)),
			ChainId:            chain.ChainID,
			RulesVersion:       rules,
			PendingRules:       pending,
		}), nil
	})
}

// rules returns the version of the rules in force in the next block, and the activation that is decided for a later one, empty if there is none.
func (s *Service) rules(snapshot Snapshot) (uint64, *pb.RulesActivation, error) {
	value, err := snapshot.Get(schema.RulesKey())
	if err != nil {
		return 0, nil, err
	}
	params := s.Genesis.Params()
	state, err := params.RulesOf(value)
	if err != nil {
		return 0, nil, err
	}
	next, pending := snapshot.Height()+1, &pb.RulesActivation{}
	if next < state.Height {
		pending = &pb.RulesActivation{Version: state.Version, Height: state.Height}
	}
	return state.At(next), pending, nil
}

// GetHealth returns the liveness and the readiness of the node.
func (s *Service) GetHealth(ctx context.Context, _ *connect.Request[pb.GetHealthRequest]) (*connect.Response[pb.GetHealthResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetHealthResponse], error) {
		chain := s.Chain.Status()
		return connect.NewResponse(&pb.GetHealthResponse{
			Serving: true, Ready: !chain.CatchingUp && !s.Stalled(), CurrentBlock: snapshot.Height(),
			UptimeSecs: s.uptimeSeconds(), ReplayVerification: s.verification(),
		}), nil
	})
}

// GetChainStats returns the totals that the index counts with each block.
func (s *Service) GetChainStats(ctx context.Context, _ *connect.Request[pb.GetChainStatsRequest]) (*connect.Response[pb.GetChainStatsResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetChainStatsResponse], error) {
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

// GetSnapshotInfo returns the newest snapshot for state sync.
func (s *Service) GetSnapshotInfo(context.Context, *connect.Request[pb.GetSnapshotInfoRequest]) (*connect.Response[pb.GetSnapshotInfoResponse], error) {
	newest := s.Snapshots.Newest()
	if newest == nil {
		return nil, notFound("no snapshot has been taken yet")
	}
	return connect.NewResponse(newest), nil
}

// GetMempoolInfo returns a summary of the pending messages.
func (s *Service) GetMempoolInfo(context.Context, *connect.Request[pb.GetMempoolInfoRequest]) (*connect.Response[pb.GetMempoolInfoResponse], error) {
	info := s.Pool.Info()
	response := &pb.GetMempoolInfoResponse{
		Total: saturated(uint64(info.Total)), Capacity: saturated(uint64(info.Capacity)),
		AccountMessages: saturated(uint64(info.AccountMessages)), ProjectMessages: saturated(uint64(info.ProjectMessages)),
		OldestTimestamp: info.OldestTimestamp, NewestTimestamp: info.NewestTimestamp,
	}
	for _, t := range slices.Sorted(maps.Keys(info.ByType)) {
		response.TypeBreakdown = append(response.TypeBreakdown, &pb.MempoolTypeCount{MessageType: t, Count: info.ByType[t]})
	}
	return connect.NewResponse(response), nil
}
