package rpc

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/mempool"
	"makechain/message"
)

// MaxBlocksScanned is how many blocks one call of ListMessages walks at most.
const MaxBlocksScanned = 1_000

// typesField checks a filter by message type.
func typesField(types []pb.MessageType) error {
	for i, t := range types {
		if !message.IsType(t) {
			return invalid(fmt.Sprintf("types[%d]", i), "%d is not a message type", t)
		}
	}
	return nil
}

// entries loads messages of which the positions are known, as many as fit into one answer. It ends at a block
// that is no longer kept.
func (s *Service) entries(at []index.Position) ([]*pb.MessageEntry, error) {
	var entries []*pb.MessageEntry
	var txs [][]byte
	var loaded uint64 // block 0 has no messages
	room := room{most: len(at)}
	for _, p := range at {
		if loaded != p.Height {
			var err error
			if txs, err = s.Chain.Transactions(p.Height); txs == nil || err != nil {
				return entries, err
			}
			loaded = p.Height
		}
		if uint64(p.Index) >= uint64(len(txs)) {
			return nil, fmt.Errorf("block %d has %d transactions, the index knows number %d", p.Height, len(txs), p.Index)
		}
		entry, err := entryOf(txs[p.Index], p.Height, p.Index)
		if err != nil {
			return nil, err
		}
		if !room.take(entry) {
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
	if len(entries) == 0 {
		return nil, s.notKept("hash", at.Height)
	}
	return connect.NewResponse(&pb.GetMessageResponse{Message: entries[0].GetMessage(), BlockNumber: at.Height}), nil
}

// notKept says that a field asks for a block which is gone.
func (s *Service) notKept(field string, number uint64) error {
	return outOfRange("%s: block %d, the lowest that is kept is %d", field, number, s.Chain.Base())
}

// position finds a committed message.
func (s *Service) position(hash ident.Hash) (index.Position, error) {
	return read(s, func(snapshot Snapshot) (index.Position, error) {
		at, found, err := index.NewReader(snapshot).Position(hash)
		if err == nil && !found {
			err = s.notCommitted(hash)
		}
		return at, err
	})
}

// notCommitted says that a message is in no block. Where blocks are pruned, nothing is known of what was in them.
func (s *Service) notCommitted(hash ident.Hash) error {
	if base := s.Chain.Base(); base > 1 {
		return notFound("message %s is in no block from %d on, the lowest that is kept", hash, base)
	}
	return notFound("message %s is not committed", hash)
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
	response, err := s.messageStatus(hash, status)
	return connect.NewResponse(response), err
}

// messageStatus returns the response for a status of the mempool. Refusals that the mempool no longer keeps, such as those
// from before a restart, are read from the index.
func (s *Service) messageStatus(hash ident.Hash, status mempool.Status) (*pb.GetMessageStatusResponse, error) {
	response := &pb.GetMessageStatusResponse{
		Hash: hash[:], State: pb.MessageState(status.State), BlockNumber: status.Height, Index: status.Index,
	}
	if !status.SeenAt.IsZero() {
		response.SeenAt = uint64(status.SeenAt.Unix())
	}
	if r := status.Refusal; r != nil {
		response.Stage, response.Code, response.Error = string(r.Stage), string(r.Code), r.Reason
	}
	if status.State != mempool.Unknown {
		return response, nil
	}
	stored, err := read(s, func(snapshot Snapshot) (*index.Refused, error) { return index.NewReader(snapshot).Refusal(hash) })
	if stored != nil {
		response.State = pb.MessageState_MESSAGE_STATE_REFUSED
		response.Stage, response.Code, response.Error = string(stored.Stage), string(stored.Code), stored.Reason
	}
	return response, err
}

// GetMessageInclusionProof proves that a message is in its block.
func (s *Service) GetMessageInclusionProof(_ context.Context, req *connect.Request[pb.GetMessageInclusionProofRequest]) (*connect.Response[pb.GetMessageInclusionProofResponse], error) {
	hash, err := hashField("message_hash", req.Msg.GetMessageHash())
	if err != nil {
		return nil, err
	}
	number := req.Msg.GetBlockNumber()
	if number != 0 && number < s.Chain.Base() {
		return nil, s.notKept("block_number", number)
	}
	at, err := s.position(hash)
	if err != nil {
		return nil, err
	}
	if number != 0 && number != at.Height {
		return nil, notFound("message %s is in block %d, not %d", hash, at.Height, number)
	}
	if err := s.checkBlockHash(req.Msg.GetBlockHash(), at.Height); err != nil {
		return nil, err
	}
	proof, root, err := s.Chain.InclusionProof(at.Height, at.Index)
	if err != nil {
		return nil, err
	}
	if proof == nil {
		return nil, s.notKept("message_hash", at.Height)
	}
	return connect.NewResponse(&pb.GetMessageInclusionProofResponse{
		Proof: proof, Position: at.Index, TransactionsRoot: root, BlockNumber: at.Height,
	}), nil
}

// checkBlockHash checks that a block has the hash that was given for it, if any was.
func (s *Service) checkBlockHash(given []byte, number uint64) error {
	if len(given) == 0 {
		return nil
	}
	want, err := hashField("block_hash", given)
	if err != nil {
		return err
	}
	block, err := s.block("block_hash", number)
	if err != nil {
		return err
	}
	if hash := block.GetBlock().GetHash(); !bytes.Equal(want[:], hash) {
		return notFound("the message is in block %x, not %s", hash, want)
	}
	return nil
}

// ListMessages lists the messages of a range of blocks in their order. It may end before the range does, by its
// limit, by the size of the answer, by MaxBlocksScanned or by MaxRowsScanned messages; end_block then says how far it came.
func (s *Service) ListMessages(_ context.Context, req *connect.Request[pb.ListMessagesRequest]) (*connect.Response[pb.ListMessagesResponse], error) {
	types := req.Msg.GetTypes()
	if err := typesField(types); err != nil {
		return nil, err
	}
	first, last, err := s.blockRange(req.Msg.GetStartBlock(), req.Msg.GetEndBlock())
	if err != nil {
		return nil, err
	}
	answer := &pb.ListMessagesResponse{StartBlock: first}
	room, visited := room{most: limitOf(req.Msg.GetLimit())}, 0
	for height := first; height <= last && visited < MaxRowsScanned; height++ {
		answer.EndBlock = height
		txs, err := s.Chain.Transactions(height)
		if err != nil {
			return nil, err
		}
		if txs == nil {
			return nil, s.notKept("start_block", height)
		}
		for i, tx := range txs {
			entry, err := entryOf(tx, height, uint32(i))
			if err != nil {
				return nil, err
			}
			if len(types) > 0 && !slices.Contains(types, entry.GetMessage().GetData().GetType()) {
				continue
			}
			if !room.take(entry) {
				return connect.NewResponse(answer), nil
			}
			answer.Messages = append(answer.Messages, entry)
		}
		visited += len(txs)
	}
	return connect.NewResponse(answer), nil
}

// blockRange reads the range of a request: from 0, the latest, to 0, the same.
func (s *Service) blockRange(first, last uint64) (uint64, uint64, error) {
	latest, err := s.height()
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
	}
	return first, min(last, latest, first+MaxBlocksScanned-1), nil
}
