package rpc

import (
	"context"
	"fmt"
	"slices"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/message"
)

// MaxWalk is how many blocks one call of ListMessages walks at most.
const MaxWalk = 1_000

// typesField checks a filter by message type.
func typesField(types []pb.MessageType) error {
	for i, t := range types {
		if t == pb.MessageType_MESSAGE_TYPE_NONE || pb.MessageType_name[int32(t)] == "" {
			return invalid(fmt.Sprintf("types[%d]", i), "%d is not a message type", t)
		}
	}
	return nil
}

// entries loads messages of which the positions are known, as many as fit into one answer.
func (s *Service) entries(at []index.Position) ([]*pb.MessageEntry, error) {
	var entries []*pb.MessageEntry
	var txs [][]byte
	var loaded uint64
	size := 0
	for _, p := range at {
		if loaded != p.Height {
			var err error
			if txs, err = s.Chain.Transactions(p.Height); err != nil {
				return nil, err
			}
			loaded = p.Height
		}
		if int(p.Index) >= len(txs) {
			return nil, fmt.Errorf("block %d has %d transactions, the index knows number %d", p.Height, len(txs), p.Index)
		}
		entry, err := entryOf(txs[p.Index], p.Height, p.Index)
		if err != nil {
			return nil, err
		}
		if size += proto.Size(entry); len(entries) > 0 && size > MaxAnswerBytes {
			return entries, nil
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

func entryOf(tx []byte, height uint64, place uint32) (*pb.MessageEntry, error) {
	m, refusal := message.Decode(tx)
	if refusal != nil {
		return nil, fmt.Errorf("transaction %d of block %d: %w", place, height, refusal)
	}
	served := m.Proto()
	served.BlockNumber, served.Index = height, place
	return &pb.MessageEntry{Message: served, BlockNumber: height}, nil
}

// GetMessage answers a committed message by its hash.
func (s *Service) GetMessage(_ context.Context, req *connect.Request[pb.GetMessageRequest]) (*connect.Response[pb.GetMessageResponse], error) {
	hash, err := hashField("hash", req.Msg.GetHash())
	if err != nil {
		return nil, err
	}
	at, err := s.position(hash)
	if err != nil {
		return nil, err
	}
	entries, err := s.entries([]index.Position{at})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&pb.GetMessageResponse{Message: entries[0].GetMessage(), BlockNumber: at.Height}), nil
}

// position finds a committed message.
func (s *Service) position(hash ident.Hash) (index.Position, error) {
	return read(s, func(snapshot Snapshot) (index.Position, error) {
		at, found, err := index.NewReader(snapshot).Position(hash)
		if err == nil && !found {
			err = notFound("message %s is not committed", hash)
		}
		return at, err
	})
}

// GetMessageStatus tells what became of a message.
func (s *Service) GetMessageStatus(_ context.Context, req *connect.Request[pb.GetMessageStatusRequest]) (*connect.Response[pb.GetMessageStatusResponse], error) {
	hash, err := hashField("hash", req.Msg.GetHash())
	if err != nil {
		return nil, err
	}
	status, err := s.Pool.Status(hash)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(status), nil
}

// GetMessageInclusionProof proves that a message is in its block.
func (s *Service) GetMessageInclusionProof(_ context.Context, req *connect.Request[pb.GetMessageInclusionProofRequest]) (*connect.Response[pb.GetMessageInclusionProofResponse], error) {
	hash, err := hashField("message_hash", req.Msg.GetMessageHash())
	if err != nil {
		return nil, err
	}
	at, err := s.position(hash)
	if err != nil {
		return nil, err
	}
	if number := req.Msg.GetBlockNumber(); number != 0 && number != at.Height {
		return nil, notFound("message %s is in block %d, not %d", hash, at.Height, number)
	}
	if given := req.Msg.GetBlockHash(); len(given) > 0 {
		block, err := s.block(at.Height)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(given, block.GetBlock().GetHash()) {
			return nil, notFound("message %s is in block %x, not %x", hash, block.GetBlock().GetHash(), given)
		}
	}
	proof, root, err := s.Chain.InclusionProof(at.Height, at.Index)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&pb.GetMessageInclusionProofResponse{
		Proof: proof, Position: at.Index, TransactionsRoot: root, BlockNumber: at.Height,
	}), nil
}

// ListMessages lists the messages of a range of blocks in their order. It may end before the range does, by
// its limit or by MaxWalk; end_block then says how far it came.
func (s *Service) ListMessages(_ context.Context, req *connect.Request[pb.ListMessagesRequest]) (*connect.Response[pb.ListMessagesResponse], error) {
	if err := typesField(req.Msg.GetTypes()); err != nil {
		return nil, err
	}
	first, last, err := s.blockRange(req.Msg.GetStartBlock(), req.Msg.GetEndBlock())
	if err != nil {
		return nil, err
	}
	answer := &pb.ListMessagesResponse{StartBlock: first, EndBlock: first}
	size, most := 0, limitOf(req.Msg.GetLimit())
	for height := first; height <= last; height++ {
		answer.EndBlock = height
		txs, err := s.Chain.Transactions(height)
		if err != nil {
			return nil, err
		}
		for i, tx := range txs {
			entry, err := entryOf(tx, height, uint32(i))
			if err != nil {
				return nil, err
			}
			if types := req.Msg.GetTypes(); len(types) > 0 && !slices.Contains(types, entry.GetMessage().GetData().GetType()) {
				continue
			}
			size += proto.Size(entry)
			if len(answer.GetMessages()) == most || len(answer.GetMessages()) > 0 && size > MaxAnswerBytes {
				return connect.NewResponse(answer), nil
			}
			answer.Messages = append(answer.Messages, entry)
		}
	}
	return connect.NewResponse(answer), nil
}

// blockRange reads the range of a request: from 0, the latest, to 0, the same.
func (s *Service) blockRange(first, last uint64) (uint64, uint64, error) {
	latest, err := read(s, func(snapshot Snapshot) (uint64, error) { return snapshot.Height(), nil })
	if err != nil {
		return 0, 0, err
	}
	if first == 0 {
		first = latest
	}
	if last == 0 {
		last = first
	}
	switch {
	case last < first:
		return 0, 0, invalid("end_block", "%d is before start_block %d", last, first)
	case first > latest:
		return 0, 0, outOfRange("start_block: %d, the latest block is %d", first, latest)
	case first < s.Chain.Base():
		return 0, 0, outOfRange("start_block: %d, the lowest block kept is %d", first, s.Chain.Base())
	}
	return first, min(last, latest, first+MaxWalk-1), nil
}

// GetAccountActivity lists the latest messages of an account, newest first.
func (s *Service) GetAccountActivity(_ context.Context, req *connect.Request[pb.GetAccountActivityRequest]) (*connect.Response[pb.GetAccountActivityResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	entries, err := s.activity(req.Msg.GetTypes(), func(reader index.Reader) ([]index.Entry, error) {
		return reader.AccountActivity(owner, req.Msg.GetTypes(), limitOf(req.Msg.GetLimit()), index.Position{})
	})
	return connect.NewResponse(&pb.GetAccountActivityResponse{Messages: entries}), err
}

// GetProjectActivity lists the latest messages about a project, newest first.
func (s *Service) GetProjectActivity(_ context.Context, req *connect.Request[pb.GetProjectActivityRequest]) (*connect.Response[pb.GetProjectActivityResponse], error) {
	project, err := hashField("project_id", req.Msg.GetProjectId())
	if err != nil {
		return nil, err
	}
	entries, err := s.activity(req.Msg.GetTypes(), func(reader index.Reader) ([]index.Entry, error) {
		return reader.ProjectActivity(project, req.Msg.GetTypes(), limitOf(req.Msg.GetLimit()), index.Position{})
	})
	return connect.NewResponse(&pb.GetProjectActivityResponse{Messages: entries}), err
}

func (s *Service) activity(types []pb.MessageType, find func(index.Reader) ([]index.Entry, error)) ([]*pb.MessageEntry, error) {
	if err := typesField(types); err != nil {
		return nil, err
	}
	found, err := read(s, func(snapshot Snapshot) ([]index.Entry, error) { return find(index.NewReader(snapshot)) })
	if err != nil {
		return nil, err
	}
	positions := make([]index.Position, len(found))
	for i, entry := range found {
		positions[i] = entry.Position
	}
	return s.entries(positions)
}
