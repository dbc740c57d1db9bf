package rest

import "iter"

// eventPage holds the events of one block, encoded once and shared by all listeners. It is immutable.
type eventPage struct {
	number uint64
	bytes  []byte // the events, one after another
	events []pageEvent
}

// pageEvent is one event of a page.
type pageEvent struct {
	end     int           // offset after its last byte
	subject *eventSubject // nil matches every filter
}

// runs returns the bytes of the events from an index on that match a filter, with adjacent events in one slice.
func (p *eventPage) runs(from uint32, filter *eventFilter) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if from == 0 && filter.matchesAll() {
			if len(p.bytes) > 0 {
				yield(p.bytes)
			}
			return
		}
		start, end := p.offset(from), p.offset(from)
		for i := int(from); i < len(p.events); i++ {
			event := &p.events[i]
			if filter.matches(event.subject) {
				end = event.end
				continue
			}
			if end > start && !yield(p.bytes[start:end]) {
				return
			}
			start, end = event.end, event.end
		}
		if end > start {
			yield(p.bytes[start:end])
		}
	}
}

// offset returns the offset of an event, or the end of the page if there are fewer events.
func (p *eventPage) offset(index uint32) int {
	switch {
	case index == 0:
		return 0
	case uint64(index) > uint64(len(p.events)):
		return len(p.bytes)
	default:
		return p.events[index-1].end
	}
}

// ringLimits bound the pages that a hub keeps; at least one is kept.
type ringLimits struct {
	blocks int
	bytes  int // of events
}

// eventRing holds the pages of recent blocks, without gaps.
type eventRing struct {
	limits ringLimits
	low    uint64 // the first block in the ring, or the next one if the ring is empty
	pages  []*eventPage
	bytes  int
}

// next returns the number of the block that is added next.
func (r *eventRing) next() uint64 { return r.low + uint64(len(r.pages)) }

// reset empties the ring and sets the number of the block that is added next.
func (r *eventRing) reset(next uint64) { r.low, r.pages, r.bytes = next, nil, 0 }

// add appends the page of the next block and drops the oldest pages beyond the limits.
func (r *eventRing) add(page *eventPage) {
	r.pages, r.bytes = append(r.pages, page), r.bytes+len(page.bytes)
	for len(r.pages) > 1 && (len(r.pages) > r.limits.blocks || r.bytes > r.limits.bytes) {
		r.bytes -= len(r.pages[0].bytes)
		r.pages[0] = nil // the backing array still refers to it
		r.pages, r.low = r.pages[1:], r.low+1
	}
}

// at returns the page of a block, or nil if it is not in the ring.
func (r *eventRing) at(number uint64) *eventPage {
	if number < r.low || number >= r.next() {
		return nil
	}
	return r.pages[number-r.low]
}
