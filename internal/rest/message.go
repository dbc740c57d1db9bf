package rest

import pb "makechain/gen/makechain"

type listMessagesInput struct {
	PageQuery
	TypesQuery

	Start numberParam `doc:"The first block; default: the latest."   query:"start_block"`
	End   numberParam `doc:"The last block; default: the first one." query:"end_block"`
}

// MessagePath has the path parameter of routes below a message.
type MessagePath struct {
	Hash idParam `doc:"The hash of the message: 64 hex digits." path:"hash"`
}

type messageInput struct{ MessagePath }

type inclusionProofInput struct {
	MessagePath

	BlockNumber numberParam `doc:"The block that the message must be in."             query:"block_number"`
	BlockHash   idParam     `doc:"The hash of the block that the message must be in." query:"block_hash"`
}

func (g *Gateway) registerMessages() {
	g.registerWrites()

	get(g, endpoint{
		id: "list-messages", path: "/v1/messages", rpcs: []string{"ListMessages"}, tag: tagMessages,
		summary: "List the messages of a range of blocks, in order",
		description: "A page may end inside a block, and may be short or empty although more messages follow; " +
			"only an empty next_cursor ends the list. end_block is the last block whose messages have all been returned by this page and those before it.",
	}, g.service.ListMessages, func(in *listMessagesInput) *pb.ListMessagesRequest {
		return &pb.ListMessagesRequest{
			StartBlock: in.Start.value, EndBlock: in.End.value, Limit: in.Limit, Types: messageTypes(in.Types), Cursor: in.Cursor.bytes,
		}
	})

	get(g, endpoint{
		id: "get-message", path: "/v1/messages/{hash}", rpcs: []string{"GetMessage"}, tag: tagMessages,
		summary:     "Get a committed message",
		description: "The response can be submitted again without changes. It never changes, so it may be cached forever.",
		errors:      notFound(), immutable: true,
	}, g.service.GetMessage, func(in *messageInput) *pb.GetMessageRequest {
		return &pb.GetMessageRequest{Hash: in.Hash.bytes}
	})

	get(g, endpoint{
		id: "get-message-status", path: "/v1/messages/{hash}/status", rpcs: []string{"GetMessageStatus"}, tag: tagMessages,
		summary: "Get the status of a message",
	}, g.service.GetMessageStatus, func(in *messageInput) *pb.GetMessageStatusRequest {
		return &pb.GetMessageStatusRequest{Hash: in.Hash.bytes}
	})

	get(g, endpoint{
		id: "get-message-inclusion-proof", path: "/v1/messages/{hash}/inclusion-proof", rpcs: []string{"GetMessageInclusionProof"}, tag: tagMessages,
		summary: "Get the proof that a message is in its block", errors: notFound(),
	}, g.service.GetMessageInclusionProof, func(in *inclusionProofInput) *pb.GetMessageInclusionProofRequest {
		return &pb.GetMessageInclusionProofRequest{
			MessageHash: in.Hash.bytes, BlockNumber: in.BlockNumber.value, BlockHash: in.BlockHash.bytes,
		}
	})
}
