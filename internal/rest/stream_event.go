package rest

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/jsonform"
	"makechain/message"
)

// Names of events.
const (
	messageEvent = "message"
	blockEvent   = "block"
	errorEvent   = "error"
)

// eventFilter selects messages as SubscribeMessages does: all conditions that are set must match. Nil matches everything.
type eventFilter struct {
	project *ident.Hash
	owner   *ident.Address
	types   []pb.MessageType
}

func (f *eventFilter) matchesAll() bool {
	return f == nil || f.project == nil && f.owner == nil && len(f.types) == 0
}

// eventSubject holds the attributes of a message that filters compare.
type eventSubject struct {
	messageType pb.MessageType
	owner       ident.Address
	projects    []ident.Hash
}

// matches reports whether a filter selects a message. Events without a subject, such as blocks, always match.
func (f *eventFilter) matches(subject *eventSubject) bool {
	if subject == nil || f.matchesAll() {
		return true
	}
	return (f.owner == nil || *f.owner == subject.owner) &&
		(len(f.types) == 0 || slices.Contains(f.types, subject.messageType)) &&
		(f.project == nil || slices.Contains(subject.projects, *f.project))
}

// encodeMessages returns the events of the messages of a block. If there is a filter, messages that do not match it have no
// bytes and the others match every filter.
func encodeMessages(block *pb.GetBlockResponse, filter *eventFilter) (*eventPage, error) {
	messages := slices.Clone(block.GetExecutionPayload().GetAccountMessages()) // the index counts those of accounts first
	for _, project := range block.GetExecutionPayload().GetProjectMessages() {
		messages = append(messages, project.GetMessages()...)
	}
	page := &eventPage{number: blockNumber(block), events: make([]pageEvent, len(messages))}
	for i, m := range messages {
		if m.GetBlockNumber() != page.number || m.GetIndex() != uint32(i) {
			return nil, fmt.Errorf("message %d of block %d has index %d and block %d", i, page.number, m.GetIndex(), m.GetBlockNumber())
		}
		envelope, refusal := message.Open(m)
		if refusal != nil {
			return nil, fmt.Errorf("message %d of block %d: %w", i, page.number, refusal)
		}
		event, subject := &page.events[i], &eventSubject{messageType: envelope.Type(), owner: envelope.Owner, projects: envelope.Projects()}
		if filter == nil {
			event.subject = subject
		}
		if filter.matches(subject) {
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

// encodeBlock returns the event of a block.
func encodeBlock(block *pb.GetBlockResponse, _ *eventFilter) (*eventPage, error) {
	number := blockNumber(block)
	bytes, err := appendEvent(nil, blockEvent, blockID(number), block)
	if err != nil {
		return nil, err
	}
	return &eventPage{number: number, bytes: slices.Clip(bytes), events: []pageEvent{{end: len(bytes)}}}, nil
}

func blockNumber(block *pb.GetBlockResponse) uint64 {
	return block.GetBlock().GetHeader().GetHeight().GetBlockNumber()
}

// appendEvent appends an event. Its data is JSON without line breaks.
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
