package rest

// ringLimits bound how much of the recent past a hub holds: as many blocks as do not pass either, and at least one.
type ringLimits struct {
	blocks int
	bytes  int // of events
}

// eventRing holds the pages of recent blocks, without a gap.
type eventRing struct {
	limits ringLimits
	low    uint64 // the first block held, or the one to come when none is
	pages  []*eventPage
	bytes  int
}

// next is the block that comes next.
func (r *eventRing) next() uint64 { return r.low + uint64(len(r.pages)) }

// reset empties the ring. It goes on with a block.
func (r *eventRing) reset(next uint64) { r.low, r.pages, r.bytes = next, nil, 0 }

// add takes the page of the next block in, and lets old ones go.
func (r *eventRing) add(page *eventPage) {
	r.pages, r.bytes = append(r.pages, page), r.bytes+len(page.bytes)
	for len(r.pages) > 1 && (len(r.pages) > r.limits.blocks || r.bytes > r.limits.bytes) {
		r.bytes -= len(r.pages[0].bytes)
		r.pages[0] = nil // the array behind the slice lives on for a while
		r.pages, r.low = r.pages[1:], r.low+1
	}
}

// at is the page of a block, nil when it is not held.
func (r *eventRing) at(number uint64) *eventPage {
	if number < r.low || number >= r.next() {
		return nil
	}
	return r.pages[number-r.low]
}
