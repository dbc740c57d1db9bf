package rpc

import (
	"encoding/binary"
	"net/netip"
	"sync"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
)

// A list that is proven at one root is read completely for its first page. When it has more pages, its rows and their proof are
// kept for those. A client could request first pages without end, so what is kept is bounded in bytes: for each client and in
// total. A snapshot of the state would cost as much as the chain writes meanwhile.
const (
	// pinTime is how long the rows of a list are kept after a page was read.
	pinTime = time.Minute
	// maxPinnedBytes is the memory of all kept lists, and clientPinnedBytes of those of one client. The largest list, of contents
	// with the longest URLs, takes 5 MiB.
	maxPinnedBytes    = 32 << 20
	clientPinnedBytes = 8 << 20
	// pinnedRowBytes is the memory of a row besides its key and value.
	pinnedRowBytes = 256
)

// pinID identifies a kept list: the list and the block of its root.
type pinID struct {
	list   listID
	number uint64
}

// pin is a list at one root.
type pin struct {
	certificate

	rows *pb.CompactRangeProof // complete

	client netip.Prefix
	bytes  int
	used   time.Time
}

// size returns the memory that a list takes.
func (p *pin) size() int {
	size := len(p.light) + len(p.rows.GetHashes()) + len(p.rows.GetOperations())
	for _, row := range p.rows.GetRows() {
		size += len(row.GetKey()) + len(row.GetValue()) + pinnedRowBytes
	}
	return size
}

// pins are the kept lists. Its methods may be called by several goroutines.
type pins struct {
	mu   sync.Mutex
	byID map[pinID]*pin
}

// add keeps a list. When that exceeds a bound, the lists that were not used for the longest time are dropped: those of the same
// client first.
func (p *pins) add(id pinID, list *pin, client netip.Prefix, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire(now)
	if old := p.byID[id]; old != nil { // another request for the first page; the list is the same
		old.used = now
		return
	}
	list.client, list.bytes, list.used = client, list.size(), now
	p.makeSpace(clientPinnedBytes-list.bytes, func(other *pin) bool { return other.client == client })
	p.makeSpace(maxPinnedBytes-list.bytes, func(*pin) bool { return true })
	if p.byID == nil {
		p.byID = map[pinID]*pin{}
	}
	p.byID[id] = list
}

// expire drops the lists that were not used for pinTime. p.mu must be held.
func (p *pins) expire(now time.Time) {
	for id, list := range p.byID {
		if now.Sub(list.used) > pinTime {
			delete(p.byID, id)
		}
	}
}

// makeSpace drops lists, the longest unused first, until those that count have at most the given size. p.mu must be held.
func (p *pins) makeSpace(bytes int, counts func(*pin) bool) {
	for {
		total, oldest := 0, pinID{}
		for id, list := range p.byID {
			if counts(list) {
				if first := p.byID[oldest]; first == nil || list.used.Before(first.used) {
					oldest = id
				}
				total += list.bytes
			}
		}
		if total <= bytes || total == 0 {
			return
		}
		delete(p.byID, oldest)
	}
}

// get returns a kept list, nil when it is no longer kept.
func (p *pins) get(id pinID, now time.Time) *pin {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire(now)
	list := p.byID[id]
	if list != nil {
		list.used = now
	}
	return list
}

// pinned returns the list of a cursor, which must not be empty, and the key that the previous page ended with.
func (s *Service) pinned(l listID, cursor, prefix []byte) (list *pin, after []byte, err error) {
	payload, err := l.payload(cursor)
	if err != nil {
		return nil, nil, err
	}
	const numberSize = 8
	if len(payload) < numberSize {
		return nil, nil, errCursor()
	}
	after, err = l.after(l.cursor(payload[numberSize:]), prefix)
	if err != nil {
		return nil, nil, err
	}
	number := binary.BigEndian.Uint64(payload)
	if list = s.pins.get(pinID{l, number}, s.Now()); list == nil {
		return nil, nil, connect.NewError(connect.CodeAborted, errUnpinned(number))
	}
	return list, after, nil
}

// pinnedCursor returns the cursor of the page after a key.
func (l listID) pinnedCursor(number uint64, last []byte) []byte {
	return l.cursor(append(numberParameter(number), last...))
}
