package rpc

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/limit"
	"makechain/internal/mempool"
	"makechain/message"
)

// typesField checks a filter by message type.
func typesField(types []pb.MessageType) error {
	for i, t := range types {
		if !message.IsType(t) {
			return invalid(fmt.Sprintf("types[%d]", i), "%d is not a message type", t)
		}
	}
	return nil
}

// entries loads the messages at positions, as many as fit into one response. It stops at a block that is no longer
// stored. more reports whether it stopped at a limit instead.
func (s *Service) entries(ctx context.Context, positions []index.Position, maxItems int) (entries []*pb.MessageEntry, more bool, err error) {
	var txs [][]byte
	var loaded uint64 // block 0 has no messages
	page, bytesRead := pageSize{maxItems: maxItems}, 0
	for _, p := range positions {
		if page.items == maxItems || loaded != p.Height && bytesRead >= MaxBytesScanned {
			return entries, true, nil
		}
		if loaded != p.Height {
			if txs, err = s.transactions(ctx, p.Height); txs == nil || err != nil {
				return entries, false, err
			}
			loaded, bytesRead = p.Height, bytesRead+sizeOf(txs)
		}
		if uint64(p.Index) >= uint64(len(txs)) {
			return nil, false, fmt.Errorf("block %d has %d transactions, the index refers to number %d", p.Height, len(txs), p.Index)
		}
		entry, err := entryOf(txs[p.Index], p.Height, p.Index)
		if err != nil {
			return nil, false, err
		}
		if !page.add(entry) {
			return entries, true, nil
		}
		entries = append(entries, entry)
	}
	return entries, false, nil
}

// sizeOf returns the number of bytes of transactions.
func sizeOf(txs [][]byte) (size int) {
	for _, tx := range txs {
		size += len(tx)
	}
	return size
}

func entryOf(tx []byte, height uint64, i uint32) (*pb.MessageEntry, error) {
	m, refusal := message.Decode(tx)
	if refusal != nil {
		return nil, fmt.Errorf("transaction %d of block %d: %w", i, height, refusal)
	}
	served := m.Proto()
	served.BlockNumber, served.Index = height, i
	return &pb.MessageEntry{Message: served, BlockNumber: height}, nil
}

// GetMessage returns a committed message by its hash.
func (s *Service) GetMessage(ctx context.Context, req *connect.Request[pb.GetMessageRequest]) (*connect.Response[pb.GetMessageResponse], error) {
	hash, err := hashField("hash", req.Msg.GetHash())
	if err != nil {
		return nil, err
	}
	at, err := s.position(ctx, hash)
	if err != nil {
		return nil, err
	}
	entries, _, err := s.entries(ctx, []index.Position{at}, 1)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, s.notStored("hash", at.Height)
	}
	return connect.NewResponse(&pb.GetMessageResponse{Message: entries[0].GetMessage(), BlockNumber: at.Height}), nil
}

// notStored returns the error for a field that refers to a block which was pruned.
func (s *Service) notStored(field string, number uint64) error {
	return outOfRange("%s: block %d is no longer stored, the lowest is %d", field, number, s.Chain.Base())
}

// position returns the position of a committed message.
func (s *Service) position(ctx context.Context, hash ident.Hash) (index.Position, error) {
	return read(ctx, s, func(snapshot Snapshot) (index.Position, error) {
		at, found, err := index.NewReader(snapshot).Position(hash)
		if err == nil && !found {
			err = s.notCommitted(hash)
		}
		return at, err
	})
}

// notCommitted returns the error for a message that is in no block. It may have been in a block that was pruned.
func (s *Service) notCommitted(hash ident.Hash) error {
	if base := s.Chain.Base(); base > 1 {
		return notFound("message %s is in none of the stored blocks, which start at %d", hash, base)
	}
	return notFound("message %s is not committed", hash)
}

// GetMessageStatus returns the status of a message (P10.4).
func (s *Service) GetMessageStatus(ctx context.Context, req *connect.Request[pb.GetMessageStatusRequest]) (*connect.Response[pb.GetMessageStatusResponse], error) {
	hash, err := hashField("hash", req.Msg.GetHash())
	if err != nil {
		return nil, err
	}
	status, err := s.Pool.Status(hash)
	if err != nil {
		return nil, err
	}
	response, err := s.messageStatus(ctx, hash, status)
	return connect.NewResponse(response), err
}

// messageStatus returns the response for a status of the mempool. Refusals that the mempool no longer keeps, such as those
// from before a restart, are read from the index.
func (s *Service) messageStatus(ctx context.Context, hash ident.Hash, status mempool.Status) (*pb.GetMessageStatusResponse, error) {
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
	stored, err := read(ctx, s, func(snapshot Snapshot) (*index.Refused, error) { return index.NewReader(snapshot).Refusal(hash) })
	if stored != nil {
		response.State = pb.MessageState_MESSAGE_STATE_REFUSED
		response.Stage, response.Code, response.Error = string(stored.Stage), string(stored.Code), stored.Reason
	}
	return response, err
}

// GetMessageInclusionProof proves that a message is in its block.
func (s *Service) GetMessageInclusionProof(ctx context.Context, req *connect.Request[pb.GetMessageInclusionProofRequest]) (*connect.Response[pb.GetMessageInclusionProofResponse], error) {
	hash, err := hashField("message_hash", req.Msg.GetMessageHash())
	if err != nil {
		return nil, err
	}
	number := req.Msg.GetBlockNumber()
	if number != 0 && number < s.Chain.Base() {
		return nil, s.notStored("block_number", number)
	}
	at, err := s.position(ctx, hash)
	if err != nil {
		return nil, err
	}
	if number != 0 && number != at.Height {
		return nil, notFound("message %s is in block %d, not %d", hash, at.Height, number)
	}
	if err := s.checkBlockHash(ctx, req.Msg.GetBlockHash(), at.Height); err != nil {
		return nil, err
	}
	limit.Charge(ctx, inclusionCost)
	proof, root, err := s.Chain.InclusionProof(at.Height, at.Index)
	if err != nil {
		return nil, err
	}
	if proof == nil {
		return nil, s.notStored("message_hash", at.Height)
	}
	return connect.NewResponse(&pb.GetMessageInclusionProofResponse{
		Proof: proof, Position: at.Index, TransactionsRoot: root, BlockNumber: at.Height,
	}), nil
}

// checkBlockHash checks that a block has the given hash, unless it is empty.
func (s *Service) checkBlockHash(ctx context.Context, given []byte, number uint64) error {
	if len(given) == 0 {
		return nil
	}
	want, err := hashField("block_hash", given)
	if err != nil {
		return err
	}
	block, err := s.block(ctx, "block_hash", number)
	if err != nil {
		return err
	}
	if hash := block.GetBlock().GetHash(); !bytes.Equal(want[:], hash) {
		return notFound("the message is in block %x, not %s", hash, want)
	}
	return nil
}

// ListMessages lists the messages of a range of blocks in order. A page ends at its limit, at MaxResponseBytes, and after
// MaxBlocksScanned blocks, MaxRowsScanned messages or MaxBytesScanned bytes, also inside a block; the cursor contains the
// position of the next message and the end of the range.
func (s *Service) ListMessages(ctx context.Context, req *connect.Request[pb.ListMessagesRequest]) (*connect.Response[pb.ListMessagesResponse], error) {
	if err := typesField(req.Msg.GetTypes()); err != nil {
		return nil, err
	}
	list := newListID("ListMessages",
		numberParameter(req.Msg.GetStartBlock()), numberParameter(req.Msg.GetEndBlock()), typesParameter(req.Msg.GetTypes()))
	at, last, err := s.messageRange(ctx, list, req.Msg)
	if err != nil {
		return nil, err
	}
	response := &pb.ListMessagesResponse{StartBlock: at.Height, EndBlock: max(at.Height, 1) - 1}
	next, err := s.scanMessages(ctx, at, last, req.Msg, response)
	if err != nil {
		return nil, err
	}
	if next.Height <= last {
		response.NextCursor = list.cursor(append(next.Encode(), numberParameter(last)...))
	}
	return connect.NewResponse(response), nil
}

// messageRange returns the position at which a page of ListMessages starts, and the last block of the list. The last block
// is determined by the first page: blocks that are committed later are not part of the list.
func (s *Service) messageRange(ctx context.Context, list listID, req *pb.ListMessagesRequest) (at index.Position, last uint64, err error) {
	payload, err := list.payload(req.GetCursor())
	if err != nil {
		return at, 0, err
	}
	if payload == nil {
		at.Height, last, err = s.blockRange(ctx, req.GetStartBlock(), req.GetEndBlock())
		return at, last, err
	}
	const lastSize = 8
	end := max(len(payload)-lastSize, 0)
	if at, err = index.DecodePosition(payload[:end]); err != nil {
		return at, 0, errCursor()
	}
	latest, err := s.height(ctx)
	return at, min(binary.BigEndian.Uint64(payload[end:]), latest), err
}

// scanMessages adds the messages from a position up to the block last to a response, and returns the position at which
// the page ended.
func (s *Service) scanMessages(
	ctx context.Context, at index.Position, last uint64, req *pb.ListMessagesRequest, response *pb.ListMessagesResponse,
) (index.Position, error) {
	page := pageSize{maxItems: limitOf(req.GetLimit())}
	messages, bytesRead := 0, 0
	for blocks := 0; at.Height <= last && blocks < MaxBlocksScanned && bytesRead < MaxBytesScanned; blocks++ {
		txs, err := s.transactions(ctx, at.Height)
		if err != nil {
			return at, err
		}
		if txs == nil {
			return at, s.notStored("start_block", at.Height)
		}
		limit.Charge(ctx, time.Duration(min(len(txs), MaxRowsScanned-messages))*limit.CostTransaction)
		for ; uint64(at.Index) < uint64(len(txs)); at.Index++ {
			if messages == MaxRowsScanned {
				return at, nil
			}
			messages++
			entry, err := entryOf(txs[at.Index], at.Height, at.Index)
			if err != nil {
				return at, err
			}
			if len(req.GetTypes()) > 0 && !slices.Contains(req.GetTypes(), entry.GetMessage().GetData().GetType()) {
				continue
			}
			if !page.add(entry) {
				return at, nil
			}
			response.Messages = append(response.Messages, entry)
		}
		response.EndBlock = at.Height
		at, bytesRead = index.Position{Height: at.Height + 1}, bytesRead+sizeOf(txs)
	}
	return at, nil
}

// blockRange returns the blocks of a request. A first block of 0 is the latest, a last block of 0 the first.
func (s *Service) blockRange(ctx context.Context, first, last uint64) (uint64, uint64, error) {
	latest, err := s.height(ctx)
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
	return first, min(last, latest), nil
}
