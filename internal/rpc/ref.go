package rpc

import (
	"bytes"
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/schema"
	"makechain/message"
)

// checkRefName checks a ref name (P5).
func checkRefName(name []byte) error {
	if len(name) == 0 || len(name) > message.MaxRefName {
		return invalid("ref_name", "%d bytes, want 1 to %d", len(name), message.MaxRefName)
	}
	if bytes.IndexByte(name, 0) >= 0 {
		return invalid("ref_name", "contains a zero byte")
	}
	return nil
}

// GetRef returns one ref.
func (s *Service) GetRef(ctx context.Context, req *connect.Request[pb.GetRefRequest]) (*connect.Response[pb.GetRefResponse], error) {
	if err := checkRefName(req.Msg.GetRefName()); err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetRefResponse], error) {
		id, err := servedProject(snapshot, req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		row, err := load[pb.RefRow](snapshot, schema.RefKey(id, req.Msg.GetRefName()))
		if err != nil {
			return nil, err
		}
		if row == nil {
			return nil, notFound("project %s has no ref %q", id, req.Msg.GetRefName())
		}
		return connect.NewResponse(refResponse(id[:], req.Msg.GetRefName(), row)), nil
	})
}

// ListRefs lists the refs of a project in byte order of their names.
func (s *Service) ListRefs(ctx context.Context, req *connect.Request[pb.ListRefsRequest]) (*connect.Response[pb.ListRefsResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListRefsResponse], error) {
		id, err := servedProject(snapshot, req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		refs, next, err := readPage(snapshot, newListID("ListRefs", id[:]), schema.RefKey(id, nil), req.Msg,
			func(key *schema.Key, row *pb.RefRow) (*pb.GetRefResponse, error) {
				return refResponse(id[:], key.Name, row), nil
			})
		return connect.NewResponse(&pb.ListRefsResponse{Refs: refs, NextCursor: next}), err
	})
}

// GetRefLog returns the ref log, newest first. A deleted ref keeps its log. The cursor contains the position of the last
// change.
func (s *Service) GetRefLog(ctx context.Context, req *connect.Request[pb.GetRefLogRequest]) (*connect.Response[pb.GetRefLogResponse], error) {
	if err := checkRefName(req.Msg.GetRefName()); err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetRefLogResponse], error) {
		id, err := servedProject(snapshot, req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		list := newListID("GetRefLog", id[:], req.Msg.GetRefName())
		before, err := list.position(req.Msg.GetCursor())
		if err != nil {
			return nil, err
		}
		entries, last, err := index.NewReader(snapshot).RefLog(id, req.Msg.GetRefName(), limitOf(req.Msg.GetLimit()), before)
		if err == nil && len(entries) == 0 && len(req.Msg.GetCursor()) == 0 {
			err = s.noRefLog(snapshot, id, req.Msg.GetRefName())
		}
		response := &pb.GetRefLogResponse{Entries: entries}
		if last != (index.Position{}) {
			response.NextCursor = list.cursor(last.Encode())
		}
		return connect.NewResponse(response), err
	})
}

// noRefLog returns the error for a ref that never existed. A ref that was not updated in any stored block has an empty log.
func (s *Service) noRefLog(snapshot Snapshot, project ident.Hash, name []byte) error {
	row, err := load[pb.RefRow](snapshot, schema.RefKey(project, name))
	switch base := s.Chain.Base(); {
	case err != nil || row != nil:
		return err
	case base > 1:
		return notFound("project %s has no ref %q in any stored block, which start at %d", project, name, base)
	default:
		return notFound("project %s never had a ref %q", project, name)
	}
}

func refResponse(project, name []byte, row *pb.RefRow) *pb.GetRefResponse {
	return &pb.GetRefResponse{
		ProjectId: project, RefName: name, RefType: row.GetRefType(), Hash: row.GetHash(), Nonce: row.GetNonce(), Floor: row.GetFloor(),
		TagObject: row.GetTagObject(),
	}
}
