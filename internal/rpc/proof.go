package rpc

import (
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/proof"
)

// proofError returns the error of the service for an error of a prover.
func proofError(field string, err error) error {
	switch {
	case errors.Is(err, proof.ErrKey):
		return invalid(field, "%v", err)
	case errors.Is(err, proof.ErrCursor):
		return invalid("cursor", "%v", err)
	case errors.Is(err, proof.ErrAbsent):
		return connect.NewError(connect.CodeNotFound, err)
	case errors.Is(err, proof.ErrPresent):
		return connect.NewError(connect.CodeFailedPrecondition, err)
	case errors.Is(err, proof.ErrTooLarge):
		return connect.NewError(connect.CodeResourceExhausted, err)
	default:
		return err
	}
}

// GetOperationProof proves that a row exists.
func (s *Service) GetOperationProof(ctx context.Context, req *connect.Request[pb.GetOperationProofRequest]) (*connect.Response[pb.GetOperationProofResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetOperationProofResponse], error) {
		response, err := proof.Exists(snapshot, req.Msg.GetKey())
		if err != nil {
			return nil, proofError("key", err)
		}
		response.BlockNumber = snapshot.Height()
		return connect.NewResponse(response), nil
	})
}

// GetExclusionProof proves that a row does not exist.
func (s *Service) GetExclusionProof(ctx context.Context, req *connect.Request[pb.GetExclusionProofRequest]) (*connect.Response[pb.GetExclusionProofResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetExclusionProofResponse], error) {
		response, err := proof.Absent(snapshot, req.Msg.GetKey())
		if err != nil {
			return nil, proofError("key", err)
		}
		response.BlockNumber = snapshot.Height()
		return connect.NewResponse(response), nil
	})
}

// GetCompoundProof proves whether a member of a set was added, removed, or neither.
func (s *Service) GetCompoundProof(ctx context.Context, req *connect.Request[pb.GetCompoundProofRequest]) (*connect.Response[pb.GetCompoundProofResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetCompoundProofResponse], error) {
		response, err := proof.Compound(snapshot, req.Msg.GetKey())
		if err != nil {
			return nil, proofError("key", err)
		}
		response.BlockNumber = snapshot.Height()
		return connect.NewResponse(response), nil
	})
}

// GetRangeProof proves that a page of the rows with a prefix is complete.
func (s *Service) GetRangeProof(ctx context.Context, req *connect.Request[pb.GetRangeProofRequest]) (*connect.Response[pb.GetRangeProofResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetRangeProofResponse], error) {
		response, err := proof.Range(snapshot, req.Msg.GetPrefix(), req.Msg.GetLimit(), req.Msg.GetCursor())
		if err != nil {
			return nil, proofError("prefix", err)
		}
		response.BlockNumber = snapshot.Height()
		return connect.NewResponse(response), nil
	})
}

// GetStorageQuotaProof proves the storage of an account at a time, by default now.
func (s *Service) GetStorageQuotaProof(ctx context.Context, req *connect.Request[pb.GetStorageQuotaProofRequest]) (*connect.Response[pb.GetStorageQuotaProofResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	now := saturated(uint64(s.Now().Unix()))
	asOf := req.Msg.GetAsOfUnixTime()
	if asOf == 0 {
		asOf = now
	}
	if asOf > now {
		return nil, invalid("as_of_unix_time", "%d is in the future, the time is %d", asOf, now)
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetStorageQuotaProofResponse], error) {
		response, err := proof.StorageQuota(snapshot, owner, asOf)
		if err != nil {
			return nil, proofError("owner_address", err)
		}
		response.BlockNumber = snapshot.Height()
		return connect.NewResponse(response), nil
	})
}

// latestRoot returns the latest root, against which proofs are verified. When the request names another root, stale is
// the reason why the proof is not valid.
func (s *Service) latestRoot(ctx context.Context, field string, named []byte) (root ident.Hash, stale string, err error) {
	var want ident.Hash
	if len(named) > 0 {
		if want, err = hashField(field, named); err != nil {
			return root, "", err
		}
	}
	root, err = read(ctx, s, func(snapshot Snapshot) (ident.Hash, error) { return snapshot.Root(), nil })
	if err == nil && len(named) > 0 && want != root {
		stale = "root: the proof is of another root than the latest"
	}
	return root, stale, err
}

// verification returns the result of a verifier. A key that can have no proof is an invalid request (T3.6).
func verification(err error) (valid bool, reason string, requestError error) {
	switch {
	case err == nil:
		return true, "", nil
	case errors.Is(err, proof.ErrKey):
		return false, "", invalid("key", "%v", err)
	default:
		return false, err.Error(), nil
	}
}

// VerifyOperationProof verifies a proof against the latest root (T3.7).
func (s *Service) VerifyOperationProof(ctx context.Context, req *connect.Request[pb.VerifyOperationProofRequest]) (*connect.Response[pb.VerifyOperationProofResponse], error) {
	root, stale, err := s.latestRoot(ctx, "root", req.Msg.GetRoot())
	if err != nil {
		return nil, err
	}
	response := &pb.VerifyOperationProofResponse{Root: root[:], Error: stale}
	if stale == "" {
		response.Valid, response.Error, err = verification(proof.VerifyOperation(root, req.Msg.GetKey(), req.Msg.GetValue(), req.Msg.GetProof()))
	}
	return connect.NewResponse(response), err
}

// VerifyExclusionProof verifies a proof against the latest root (T3.7).
func (s *Service) VerifyExclusionProof(ctx context.Context, req *connect.Request[pb.VerifyExclusionProofRequest]) (*connect.Response[pb.VerifyExclusionProofResponse], error) {
	root, stale, err := s.latestRoot(ctx, "root", req.Msg.GetRoot())
	if err != nil {
		return nil, err
	}
	response := &pb.VerifyExclusionProofResponse{Root: root[:], Error: stale}
	if stale == "" {
		response.Valid, response.Error, err = verification(proof.VerifyExclusion(root, req.Msg.GetKey(), req.Msg.GetProof()))
	}
	return connect.NewResponse(response), err
}

// VerifyStorageQuotaProof verifies a proof against the latest root (T3.7).
func (s *Service) VerifyStorageQuotaProof(ctx context.Context, req *connect.Request[pb.VerifyStorageQuotaProofRequest]) (*connect.Response[pb.VerifyStorageQuotaProofResponse], error) {
	given := req.Msg.GetQuotaProof()
	if given == nil {
		return nil, invalid("quota_proof", "is missing")
	}
	owner, err := addressField("quota_proof.owner_address", given.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	root, stale, err := s.latestRoot(ctx, "quota_proof.root", given.GetRoot())
	if err != nil {
		return nil, err
	}
	response := &pb.VerifyStorageQuotaProofResponse{Root: root[:], Error: stale}
	if stale == "" {
		_, failed := proof.VerifyStorageQuota(root, owner, given.GetAsOfUnixTime(), given)
		response.Valid, response.Error, err = verification(failed)
	}
	return connect.NewResponse(response), err
}

// VerifyOperationProofAtBlock verifies a proof against the root after a block.
func (s *Service) VerifyOperationProofAtBlock(ctx context.Context, req *connect.Request[pb.VerifyOperationProofAtBlockRequest]) (*connect.Response[pb.VerifyOperationProofAtBlockResponse], error) {
	root, err := s.rootAfter(ctx, req.Msg.GetBlockNumber())
	if err != nil {
		return nil, err
	}
	response := &pb.VerifyOperationProofAtBlockResponse{Root: root[:], BlockNumber: req.Msg.GetBlockNumber()}
	response.Valid, response.Error, err = verification(proof.VerifyOperation(root, req.Msg.GetKey(), req.Msg.GetValue(), req.Msg.GetProof()))
	return connect.NewResponse(response), err
}

// VerifyExclusionProofAtBlock verifies a proof against the root after a block.
func (s *Service) VerifyExclusionProofAtBlock(ctx context.Context, req *connect.Request[pb.VerifyExclusionProofAtBlockRequest]) (*connect.Response[pb.VerifyExclusionProofAtBlockResponse], error) {
	root, err := s.rootAfter(ctx, req.Msg.GetBlockNumber())
	if err != nil {
		return nil, err
	}
	response := &pb.VerifyExclusionProofAtBlockResponse{Root: root[:], BlockNumber: req.Msg.GetBlockNumber()}
	response.Valid, response.Error, err = verification(proof.VerifyExclusion(root, req.Msg.GetKey(), req.Msg.GetProof()))
	return connect.NewResponse(response), err
}

func (s *Service) rootAfter(ctx context.Context, number uint64) (ident.Hash, error) {
	block, err := s.block(ctx, "block_number", number)
	if err != nil {
		return ident.Hash{}, err
	}
	root, ok := ident.HashFrom(block.GetBlock().GetHeader().GetStateRoot())
	if !ok {
		return root, fmt.Errorf("block %d has no state root", number)
	}
	return root, nil
}

// GetFinalizedRoot returns the light block that certifies the root after a block: the one of the next block (P11.2). An
// idle chain ends with an empty block, which no block follows and which has the root of its predecessor; the response
// then names the predecessor.
func (s *Service) GetFinalizedRoot(ctx context.Context, req *connect.Request[pb.GetFinalizedRootRequest]) (*connect.Response[pb.GetFinalizedRootResponse], error) {
	number := req.Msg.GetBlockNumber()
	root, err := s.rootAfter(ctx, number)
	if err != nil {
		return nil, err
	}
	light, err := s.Chain.LightBlock(number + 1)
	if err == nil && light == nil {
		number, light, err = s.certifiedBefore(ctx, number, root)
	}
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&pb.GetFinalizedRootResponse{BlockNumber: number, StateRoot: root[:], LightBlock: light}), nil
}

// certifiedBefore returns the light block for the root after the latest block if its predecessor has the same root.
func (s *Service) certifiedBefore(ctx context.Context, number uint64, root ident.Hash) (uint64, []byte, error) {
	if number > 0 {
		before, err := s.rootAfter(ctx, number-1)
		if err != nil {
			return 0, nil, err
		}
		if before == root {
			light, err := s.Chain.LightBlock(number)
			return number - 1, light, err
		}
	}
	return 0, nil, connect.NewError(connect.CodeUnavailable, fmt.Errorf("block %d, which certifies this root, does not exist yet", number+1))
}
