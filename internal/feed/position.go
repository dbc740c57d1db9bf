package feed

import (
	"errors"
	"fmt"
)

// Reasons why a subscription cannot start at a position.
var (
	// ErrOutOfRange is returned when the block of a position is no longer stored.
	ErrOutOfRange = errors.New("position is no longer stored")
	// ErrFuture is returned when a position is after the next block. It may succeed later.
	ErrFuture = errors.New("position is in the future")
)

// Position is the position of a message: the height of its block and its index among all messages of the block.
type Position struct {
	Height uint64
	Index  uint32
}

// PositionError is returned for a position that is not available. It wraps ErrOutOfRange or ErrFuture.
type PositionError struct {
	Height uint64 // requested
	Lowest uint64 // lowest that is stored
	Latest uint64 // latest that is committed

	reason error
}

func (e *PositionError) Error() string {
	return fmt.Sprintf("%v: block %d, stored are blocks %d to %d", e.reason, e.Height, e.Lowest, e.Latest)
}

// Unwrap returns the reason.
func (e *PositionError) Unwrap() error { return e.reason }

// firstHeight is the height of the first block with messages; block 0 is genesis.
const firstHeight = 1

// start returns the first position of a subscription: the given one, or the next block if it is nil. The next block may
// also be requested by its height: a subscriber that has received everything resumes there.
func (f *Feed) start(from *Position) (Position, error) {
	v, err := f.viewAt(0)
	if err != nil {
		return Position{}, err
	}
	end, next := Position{Height: v.latest + 1}, Position{Height: firstHeight}
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
		return Position{}, &PositionError{Height: next.Height, Lowest: f.lowest(v), Latest: v.latest, reason: ErrFuture}
	}
	if next.Height < f.lowest(v) {
		return Position{}, f.outOfRange(next.Height, v)
	}
	return next, nil
}

// lowest returns the lowest height that is available.
func (f *Feed) lowest(v view) uint64 {
	lowest := max(f.source.Base(), firstHeight)
	if v.ringLowest > 0 {
		lowest = min(lowest, v.ringLowest)
	}
	return lowest
}

func (f *Feed) outOfRange(height uint64, v view) error {
	return &PositionError{Height: height, Lowest: f.lowest(v), Latest: v.latest, reason: ErrOutOfRange}
}
