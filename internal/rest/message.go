package rest

import pb "makechain/gen/makechain"

type listMessagesInput struct {
	Limited
	OfTypes

	Start numberParam `doc:"The first block; the latest when left out."   query:"start_block"`
	End   numberParam `doc:"The last block; the first one when left out." query:"end_block"`
}

// OfMessage is what every route below a message takes.
type OfMessage struct {
	Hash idParam `doc:"The hash of the message: 64 hex digits." path:"hash"`
}

type messageInput struct{ OfMessage }

type inclusionProofInput struct {
	OfMessage

	BlockNumber numberParam `doc:"The block that the message must be in."             query:"block_number"`
	BlockHash   idParam     `doc:"The hash of the block that the message must be in." query:"block_hash"`
}

func (g *Gateway) registerMessages() {
	g.registerWrites()

	get(g, endpoint{
		id: "list-messages", path: "/v1/messages", rpcs: []string{"ListMessages"}, tag: tagMessages,
		summary: "The messages of a range of blocks, in order",
		about:   "May end before the range does: end_block of the answer says how far it came, so go on from the block after it.",
	}, g.upstream.ListMessages, func(in *listMessagesInput) *pb.ListMessagesRequest {
		return &pb.ListMessagesRequest{StartBlock: in.Start.value, EndBlock: in.End.value, Limit: in.Limit, Types: messageTypes(in.Types)}
	})

	get(g, endpoint{
		id: "get-message", path: "/v1/messages/{hash}", rpcs: []string{"GetMessage"}, tag: tagMessages,
		summary: "A committed message", about: "It can be submitted again as it is. It never changes, so the answer may be kept for ever.",
		errors: mayBeAbsent(), caching: immutable,
	}, g.upstream.GetMessage, func(in *messageInput) *pb.GetMessageRequest {
		return &pb.GetMessageRequest{Hash: in.Hash.bytes}
	})

	get(g, endpoint{
		id: "get-message-status", path: "/v1/messages/{hash}/status", rpcs: []string{"GetMessageStatus"}, tag: tagMessages,
		summary: "What became of a message",
	}, g.upstream.GetMessageStatus, func(in *messageInput) *pb.GetMessageStatusRequest {
		return &pb.GetMessageStatusRequest{Hash: in.Hash.bytes}
	})

	get(g, endpoint{
		id: "get-message-inclusion-proof", path: "/v1/messages/{hash}/inclusion-proof", rpcs: []string{"GetMessageInclusionProof"}, tag: tagMessages,
		summary: "The proof that a message is in its block", errors: mayBeAbsent(),
	}, g.upstream.GetMessageInclusionProof, func(in *inclusionProofInput) *pb.GetMessageInclusionProofRequest {
		return &pb.GetMessageInclusionProofRequest{
			MessageHash: in.Hash.bytes, BlockNumber: in.BlockNumber.value, BlockHash: in.BlockHash.bytes,
		}
	})
}
