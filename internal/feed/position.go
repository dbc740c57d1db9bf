package feed

import (
	"errors"
	"fmt"
)

// Why a position cannot be served.
var (
	// ErrOutOfRange says that the blocks from a position on are no longer kept.
	ErrOutOfRange = errors.New("position is no longer kept")
	// ErrFuture says that a position lies behind the next block. It may be asked for again later.
	ErrFuture = errors.New("position lies in the future")
)

// Position is where a message stands: its block and its place there, counted over all messages of the block.
type Position struct {
	Height uint64
	Index  uint32
}

// PositionError refuses a position, and says which there are. It is ErrOutOfRange or ErrFuture.
type PositionError struct {
	Height uint64 // asked for
	Lowest uint64 // kept
	Latest uint64 // committed

	reason error
}

func (e *PositionError) Error() string {
	return fmt.Sprintf("%v: block %d, kept are %d to %d", e.reason, e.Height, e.Lowest, e.Latest)
}

// Unwrap tells the reason.
func (e *PositionError) Unwrap() error { return e.reason }

// firstHeight is the height of the first block with messages; block 0 is genesis.
const firstHeight = 1

// start finds where a subscription begins: at a position, or behind the last block when it is nil. The next
// block may be asked for before it is there, since that is where one goes on who has seen everything.
func (f *Feed) start(from *Position) (Position, error) {
	m, err := f.at(0)
	if err != nil {
		return Position{}, err
	}
	end, next := Position{Height: m.latest + 1}, Position{Height: firstHeight}
	switch {
	case from == nil:
		return end, nil
	case from.Height >= firstHeight:
		next = *from
	}
	if next == end {
		return next, nil
	}
	if next.Height >= end.Height {
		return Position{}, &PositionError{Height: next.Height, Lowest: f.lowest(m), Latest: m.latest, reason: ErrFuture}
	}
	if next.Height < f.lowest(m) {
		return Position{}, f.outOfRange(next.Height, m)
	}
	return next, nil
}

// lowest is the first block that can be served.
func (f *Feed) lowest(m moment) uint64 {
	lowest := max(f.source.Base(), firstHeight)
	if m.lowest > 0 {
		lowest = min(lowest, m.lowest)
	}
	return lowest
}

func (f *Feed) outOfRange(height uint64, m moment) error {
	return &PositionError{Height: height, Lowest: f.lowest(m), Latest: m.latest, reason: ErrOutOfRange}
}
