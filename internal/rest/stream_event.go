package rest

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/jsonform"
	"makechain/message"
)

// Names of events.
const (
	messageEvent = "message"
	blockEvent   = "block"
	errorEvent   = "error"
)

// encodeMessages makes the events of the messages of a block. Those that a filter does not take have no bytes, and the
// rest pass every filter.
func encodeMessages(block *pb.GetBlockResponse, filter *eventFilter) (*eventPage, error) {
	messages := messagesOf(block.GetExecutionPayload())
	page := &eventPage{number: numberOf(block), events: make([]pageEvent, len(messages))}
	for i, m := range messages {
		if m.GetBlockNumber() != page.number || m.GetIndex() != uint32(i) {
			return nil, fmt.Errorf("message %d of block %d says that it is %d of block %d", i, page.number, m.GetIndex(), m.GetBlockNumber())
		}
		envelope, refusal := message.Open(m)
		if refusal != nil {
			return nil, fmt.Errorf("message %d of block %d: %w", i, page.number, refusal)
		}
		event, subject := &page.events[i], newSubject(envelope)
		if filter == nil {
			event.subject = subject
		}
		if filter.takes(subject) {
			var err error
			if page.bytes, err = appendEvent(page.bytes, messageEvent, messageID(page.number, uint32(i)), m); err != nil {
				return nil, err
			}
		}
		event.end = len(page.bytes)
	}
	page.bytes = slices.Clip(page.bytes)
	return page, nil
}

// messagesOf are the messages of a block in the order of their index: those of accounts, then those of projects.
func messagesOf(payload *pb.ExecutionPayload) []*pb.Message {
	messages := slices.Clone(payload.GetAccountMessages())
	for _, project := range payload.GetProjectMessages() {
		messages = append(messages, project.GetMessages()...)
	}
	return messages
}

// encodeBlock makes the one event of a block.
func encodeBlock(block *pb.GetBlockResponse, _ *eventFilter) (*eventPage, error) {
	number := numberOf(block)
	bytes, err := appendEvent(nil, blockEvent, blockID(number), block)
	if err != nil {
		return nil, err
	}
	return &eventPage{number: number, bytes: slices.Clip(bytes), events: []pageEvent{{end: len(bytes)}}}, nil
}

func numberOf(block *pb.GetBlockResponse) uint64 {
	return block.GetBlock().GetHeader().GetHeight().GetBlockNumber()
}

// appendEvent writes an event. Its data is JSON, which has no line breaks of its own.
func appendEvent(b []byte, name, id string, data proto.Message) ([]byte, error) {
	b = append(b, "event: "...)
	b = append(b, name...)
	b = append(b, "\nid: "...)
	b = append(b, id...)
	b = append(b, "\ndata: "...)
	b, err := jsonform.Append(b, data)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", id, err)
	}
	return append(b, "\n\n"...), nil
}
