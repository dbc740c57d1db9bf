package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	pb "makechain/gen/makechain"
)

// Position is a block, or a message in a block: 12 or 12-3.
type Position struct {
	Block    uint64
	Index    uint32
	HasIndex bool
}

// ParsePosition parses "12" and "12-3".
func ParsePosition(text string) (Position, error) {
	block, index, hasIndex := strings.Cut(text, "-")
	at := Position{HasIndex: hasIndex}
	var err error
	if at.Block, err = strconv.ParseUint(block, 10, 63); err == nil && hasIndex {
		var number uint64
		number, err = strconv.ParseUint(index, 10, 31)
		at.Index = uint32(number)
	}
	if err != nil {
		return Position{}, fmt.Errorf("%q is not a block (12) or a message in a block (12-3)", text)
	}
	return at, nil
}

// String returns the position as ParsePosition reads it.
func (at Position) String() string {
	if !at.HasIndex {
		return strconv.FormatUint(at.Block, 10)
	}
	return fmt.Sprintf("%d-%d", at.Block, at.Index)
}

// PositionOf returns the position of a message.
func PositionOf(m interface {
	GetBlockNumber() uint64
	GetIndex() uint32
},
) Position {
	return Position{Block: m.GetBlockNumber(), Index: m.GetIndex(), HasIndex: true}
}

// BlockMessages returns the messages of a block in their order.
func BlockMessages(block *pb.GetBlockResponse) []*pb.Message {
	payload := block.GetExecutionPayload()
	messages := payload.GetAccountMessages()
	for _, project := range payload.GetProjectMessages() {
		messages = append(slices.Clip(messages), project.GetMessages()...)
	}
	return messages
}
