package rest

import (
	"errors"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// eventCursor is the next event that a listener wants: its block and its place there. The one event of a block on
// the stream of blocks has the place 0.
type eventCursor struct {
	block uint64
	index uint32
}

// after says whether a cursor is behind another.
func (c eventCursor) after(other eventCursor) bool {
	return c.block > other.block || c.block == other.block && c.index > other.index
}

// positionParam is the id of an event, after which a stream goes on: "12-3" is a message, "12" a block with all that is
// in it.
type positionParam struct {
	cursor *eventCursor // right behind it
}

var errPosition = errors.New("not a block such as 12 nor a message in a block such as 12-3")

// UnmarshalText reads the number of a block, and the place of a message in it.
func (p *positionParam) UnmarshalText(text []byte) error {
	block, index, isMessage := strings.Cut(string(text), "-")
	number, err := parsePlace(block, 64)
	if err != nil {
		return err
	}
	if !isMessage {
		p.cursor = &eventCursor{block: number + 1}
		return nil
	}
	place, err := parsePlace(index, 32)
	if err != nil {
		return err
	}
	p.cursor = &eventCursor{block: number, index: uint32(place) + 1}
	return nil
}

// parsePlace reads decimal digits. The largest number is left out, since there is none behind it.
func parsePlace(digits string, bits int) (uint64, error) {
	number, err := decimal(digits)
	if err != nil || number >= 1<<bits-1 {
		return 0, errPosition
	}
	return number, nil
}

// Schema is that of an id.
func (positionParam) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Pattern: "^(0|[1-9][0-9]{0,19})(-(0|[1-9][0-9]{0,9}))?$",
		Description: "The id of an event: a block, or a block and a message in it.",
	}
}

// messageID is the id of the event of a message.
func messageID(block uint64, index uint32) string {
	return blockID(block) + "-" + strconv.FormatUint(uint64(index), 10)
}

// blockID is the id of the event of a block.
func blockID(block uint64) string { return strconv.FormatUint(block, 10) }
