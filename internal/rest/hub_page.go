package rest

import "iter"

// eventPage is what a stream says of one block, encoded once and shared by all who listen. It never changes.
type eventPage struct {
	number uint64
	bytes  []byte // the events, one after another
	events []pageEvent
}

// pageEvent is one event of a page.
type pageEvent struct {
	end     int           // behind its last byte
	subject *eventSubject // nil passes every filter
}

// runs are the bytes of the events that a listener wants, from an index on, in as few pieces as there are gaps.
func (p *eventPage) runs(from uint32, filter *eventFilter) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if from == 0 && filter.takesAll() {
			if len(p.bytes) > 0 {
				yield(p.bytes)
			}
			return
		}
		begin, end := p.begin(from), p.begin(from)
		for i := int(from); i < len(p.events); i++ {
			event := &p.events[i]
			if filter.takes(event.subject) {
				end = event.end
				continue
			}
			if end > begin && !yield(p.bytes[begin:end]) {
				return
			}
			begin, end = event.end, event.end
		}
		if end > begin {
			yield(p.bytes[begin:end])
		}
	}
}

// begin is where an event begins, or the end of the page when there are not so many.
func (p *eventPage) begin(index uint32) int {
	switch {
	case index == 0:
		return 0
	case uint64(index) > uint64(len(p.events)):
		return len(p.bytes)
	default:
		return p.events[index-1].end
	}
}
