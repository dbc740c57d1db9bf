package rest

import (
	"errors"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// eventCursor is the position of an event: its block, and its index in the block. On the stream of blocks the index is 0.
type eventCursor struct {
	block uint64
	index uint32
}

// after reports whether a cursor is behind another.
func (c eventCursor) after(other eventCursor) bool {
	return c.block > other.block || c.block == other.block && c.index > other.index
}

// positionParam is the id of an event after which a stream continues: "12-3" is a message, "12" a block with all its
// messages.
type positionParam struct {
	cursor *eventCursor // the next event
}

var errPosition = errors.New("not a block such as 12 nor a message in a block such as 12-3")

// UnmarshalText parses the number of a block and optionally the index of a message.
func (p *positionParam) UnmarshalText(text []byte) error {
	block, index, isMessage := strings.Cut(string(text), "-")
	number, err := parsePosition(block, 64)
	if err != nil {
		return err
	}
	if !isMessage {
		p.cursor = &eventCursor{block: number + 1}
		return nil
	}
	i, err := parsePosition(index, 32)
	if err != nil {
		return err
	}
	p.cursor = &eventCursor{block: number, index: uint32(i) + 1}
	return nil
}

// parsePosition parses a number of at most the given bits, except the largest, which has no successor.
func parsePosition(digits string, bits int) (uint64, error) {
	number, err := decimal(digits)
	if err != nil || number >= 1<<bits-1 {
		return 0, errPosition
	}
	return number, nil
}

// Schema returns the schema of an event id.
func (positionParam) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Pattern: "^(0|[1-9][0-9]{0,19})(-(0|[1-9][0-9]{0,9}))?$",
		Description: "The id of an event: a block, or a block and the index of a message in it.",
	}
}

// messageID returns the id of the event of a message.
func messageID(block uint64, index uint32) string {
	return blockID(block) + "-" + strconv.FormatUint(uint64(index), 10)
}

// blockID returns the id of the event of a block.
func blockID(block uint64) string { return strconv.FormatUint(block, 10) }
