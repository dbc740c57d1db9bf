package rpc

import (
	"context"
	"fmt"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/ident"
	"makechain/internal/limit"
	"makechain/internal/schema"
	"makechain/proof"
)

const (
	// certificateTimeout is how long a call waits for the block that certifies the latest root, and certificatePoll how often it
	// looks. That block follows after the block interval, unless validators are down.
	certificateTimeout = 10 * time.Second
	certificatePoll    = 5 * time.Millisecond
)

// certificate is a root with the light block that certifies it.
type certificate struct {
	height uint64 // of the state
	number uint64 // of the block after which the state had the root; the one before height when block height is empty
	root   ident.Hash
	light  []byte
}

// certify returns the certificate of the root of a snapshot, the latest one. After a block that changed the root it waits for the
// next block: the state before would lack what the client may just have written.
func (s *Service) certify(ctx context.Context, snapshot Snapshot) (*certificate, error) {
	height, root := snapshot.Height(), snapshot.Root()
	if newest := s.newest.Load(); newest != nil && newest.height == height {
		return newest, nil
	}
	bounded, cancel := context.WithTimeout(ctx, certificateTimeout)
	defer cancel()
	number, err := s.unchangedSince(ctx, height, root)
	if err != nil {
		return nil, err
	}
	for {
		limit.Charge(ctx, limit.CostRow)
		light, err := s.Chain.LightBlock(number + 1)
		if err != nil {
			return nil, err
		}
		if light != nil {
			found := &certificate{height: height, number: number, root: root, light: light}
			s.newest.Store(found)
			return found, nil
		}
		if backoff.Sleep(bounded, certificatePoll) != nil {
			return nil, connect.NewError(connect.CodeUnavailable,
				fmt.Errorf("block %d, which certifies the latest root, does not exist yet, try again later", number+1))
		}
	}
}

// unchangedSince returns the block before height if it left the same root, else height.
func (s *Service) unchangedSince(ctx context.Context, height uint64, root ident.Hash) (uint64, error) {
	if height == 0 || s.Chain.Height() > height {
		return height, nil
	}
	before, err := s.storedBlock(ctx, height-1)
	if before == nil || err != nil {
		return height, err
	}
	if rootBefore, ok := ident.HashFrom(before.GetBlock().GetHeader().GetStateRoot()); ok && rootBefore == root {
		return height - 1, nil
	}
	return height, nil
}

// errUnpinned is returned for a page of a list that is no longer kept.
func errUnpinned(number uint64) error {
	return fmt.Errorf("the list after block %d is no longer kept (pages are available for %v): start again without a cursor", number, pinTime)
}

// prove returns a complete compact proof of the rows with a prefix.
func prove(snapshot Snapshot, prefix []byte) (*pb.CompactRangeProof, error) {
	rows, err := proof.CompactRange(snapshot, prefix)
	if err != nil {
		return nil, proofError("project_id", err)
	}
	return rows, nil
}

// page returns a page of a list and its next cursor. It keeps the list when more pages follow.
func (s *Service) page(ctx context.Context, l listID, list *pin, after []byte, maxRows, maxSize int) (rows *pb.CompactRangeProof, next []byte) {
	if after != nil { // the other rows are hashed, too
		limit.Charge(ctx, time.Duration(len(list.rows.GetRows()))*limit.CostRow+time.Duration(list.bytes)*limit.CostByte)
	}
	rows, complete := proof.CompactPage(list.rows, after, maxRows, maxSize)
	if complete {
		return rows, nil
	}
	if after == nil {
		s.pins.add(pinID{l, list.number}, list, limit.ClientNetwork(s.Client(ctx)), s.Now())
	}
	return rows, l.pinnedCursor(list.number, rows.GetRows()[len(rows.GetRows())-1].GetKey())
}

// GetProjectProof proves a project and all its refs at one certified root. The first page also has its row, its metadata and its
// fork parent. That there is no such project is proven, too.
func (s *Service) GetProjectProof(ctx context.Context, req *connect.Request[pb.GetProjectProofRequest]) (*connect.Response[pb.GetProjectProofResponse], error) {
	project, err := hashField("project_id", req.Msg.GetProjectId())
	if err != nil {
		return nil, err
	}
	refs := schema.RefKey(project, nil)
	l := newListID("GetProjectProof", project[:])
	response := new(pb.GetProjectProofResponse)
	var list *pin
	var after []byte
	if cursor := req.Msg.GetCursor(); len(cursor) > 0 {
		list, after, err = s.pinned(l, cursor, refs)
	} else {
		list, err = read(ctx, s, func(snapshot Snapshot) (*pin, error) {
			for _, part := range []struct {
				proof  **pb.CompactRangeProof
				prefix []byte
			}{
				{&response.Project, schema.ProjectKey(project)},
				{&response.Metadata, schema.ProjectMetadataPrefix(project)},
				{&response.ForkParent, schema.ForkParentKey(project)},
			} {
				if *part.proof, err = prove(snapshot, part.prefix); err != nil {
					return nil, err
				}
			}
			return s.list(ctx, snapshot, refs)
		})
	}
	if err != nil {
		return nil, err
	}
	response.Root, response.BlockNumber, response.LightBlock = list.root[:], list.number, list.light
	space := proof.MaxAnswerSize - proto.Size(response)
	response.Refs, response.NextCursor = s.page(ctx, l, list, after, proof.MaxCompactRows, space)
	return connect.NewResponse(response), nil
}

// list reads the rows with a prefix and certifies their root.
func (s *Service) list(ctx context.Context, snapshot Snapshot, prefix []byte) (*pin, error) {
	rows, err := prove(snapshot, prefix)
	if err != nil {
		return nil, err
	}
	root, err := s.certify(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	return &pin{certificate: *root, rows: rows}, nil
}

// ListContent proves the contents of a project at one certified root.
func (s *Service) ListContent(ctx context.Context, req *connect.Request[pb.ListContentRequest]) (*connect.Response[pb.ListContentResponse], error) {
	project, err := hashField("project_id", req.Msg.GetProjectId())
	if err != nil {
		return nil, err
	}
	prefix := schema.ContentPrefix(project)
	l := newListID("ListContent", project[:])
	var list *pin
	var after []byte
	if cursor := req.Msg.GetCursor(); len(cursor) > 0 {
		list, after, err = s.pinned(l, cursor, prefix)
	} else {
		list, err = read(ctx, s, func(snapshot Snapshot) (*pin, error) { return s.list(ctx, snapshot, prefix) })
	}
	if err != nil {
		return nil, err
	}
	response := &pb.ListContentResponse{Root: list.root[:], BlockNumber: list.number, LightBlock: list.light}
	space := proof.MaxAnswerSize - proto.Size(response)
	response.Contents, response.NextCursor = s.page(ctx, l, list, after, limitOf(req.Msg.GetLimit()), space)
	return connect.NewResponse(response), nil
}
