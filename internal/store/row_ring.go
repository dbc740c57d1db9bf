package store

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
)

// rowRing holds copies of rows in the order in which they were added. A new row overwrites the oldest ones, so that no row is
// an object of its own, which the garbage collector would have to visit.
//
// An entry is the hash of its key, a height, the lengths of key and value, the key and the value. It does not cross the end of buf:
// where the next one does not fit, the rest is unused. The position of an entry is the number of bytes before it since the ring
// was created, so an entry at a position before start has been overwritten.
type rowRing struct {
	buf        []byte
	start, end uint64            // positions of the oldest entry and after the newest one
	index      map[uint64]uint64 // from the hash of a key to the position of its newest entry
	seed       maphash.Seed

	// lost is the highest height of an entry that was overwritten while it was the newest one of its key, or that did not fit.
	lost uint64
}

const (
	entryHead = 8 + 8 + 4 + 4
	// absentLength stands for the length of the value of an absent row.
	absentLength = math.MaxUint32
	// maxEntryPart is the part of a ring that one entry may occupy. A larger one would overwrite too many others.
	maxEntryPart = 16
)

// ringEntry is an entry of a ring. Its slices refer to the memory of the ring.
type ringEntry struct {
	at, height uint64
	key, value []byte // value is nil for an absent row
}

func newRowRing(buf []byte) *rowRing {
	return &rowRing{buf: buf, index: make(map[uint64]uint64), seed: maphash.MakeSeed()}
}

// find returns the newest entry of a key.
func (r *rowRing) find(key []byte) (e ringEntry, found bool) {
	at, found := r.index[maphash.Bytes(r.seed, key)]
	if !found {
		return e, false
	}
	e = r.entry(at)
	return e, bytes.Equal(e.key, key)
}

// entry returns the entry at a position.
func (r *rowRing) entry(at uint64) ringEntry {
	b := r.buf[at%uint64(len(r.buf)):]
	keyEnd := entryHead + uint64(binary.LittleEndian.Uint32(b[16:]))
	e := ringEntry{at: at, height: binary.LittleEndian.Uint64(b[8:]), key: b[entryHead:keyEnd:keyEnd]}
	if length := binary.LittleEndian.Uint32(b[20:]); length != absentLength {
		valueEnd := keyEnd + uint64(length)
		e.value = b[keyEnd:valueEnd:valueEnd]
	}
	return e
}

func (e ringEntry) size() uint64 { return uint64(entryHead + len(e.key) + len(e.value)) }

// set makes a row the newest entry of its key. The key and the value must not refer to the memory of the ring.
func (r *rowRing) set(key, value []byte, height uint64) {
	hash := maphash.Bytes(r.seed, key)
	if at, found := r.index[hash]; found {
		switch e := r.entry(at); {
		case !bytes.Equal(e.key, key): // another key with the same hash
			r.lost = max(r.lost, e.height)
		case r.old(e): // it would soon be lost with its new height
		case len(e.value) == len(value) && (e.value == nil) == (value == nil):
			copy(e.value, value)
			binary.LittleEndian.PutUint64(r.buf[at%uint64(len(r.buf))+8:], height)
			return
		}
		delete(r.index, hash)
	}
	r.add(hash, key, value, height)
}

// renew adds an entry again, as the newest one of the ring.
func (r *rowRing) renew(e ringEntry) {
	key, value := bytes.Clone(e.key), bytes.Clone(e.value)
	hash := maphash.Bytes(r.seed, key)
	delete(r.index, hash)
	r.add(hash, key, value, e.height)
}

// add adds an entry whose hash is not in the index.
func (r *rowRing) add(hash uint64, key, value []byte, height uint64) {
	size := ringEntry{key: key, value: value}.size()
	if size > uint64(len(r.buf)/maxEntryPart) {
		r.lost = max(r.lost, height)
		return
	}
	r.reserve(size)
	b := r.buf[r.end%uint64(len(r.buf)):]
	r.index[hash] = r.end
	r.end += size
	length := uint32(absentLength)
	if value != nil {
		length = uint32(len(value))
	}
	binary.LittleEndian.PutUint64(b, hash)
	binary.LittleEndian.PutUint64(b[8:], height)
	binary.LittleEndian.PutUint32(b[16:], uint32(len(key)))
	binary.LittleEndian.PutUint32(b[20:], length)
	copy(b[entryHead+copy(b[entryHead:], key):], value)
}

// reserve makes room for an entry at r.end, which it moves to the start of buf if the entry does not fit before its end.
func (r *rowRing) reserve(size uint64) {
	capacity := uint64(len(r.buf))
	if rest := capacity - r.end%capacity; rest < size {
		r.drop(r.end + rest)
		if rest >= entryHead {
			clear(r.buf[r.end%capacity:][:entryHead]) // without a key: not an entry
		}
		r.end += rest
	}
	r.drop(r.end + size)
}

// drop drops the oldest entries, so that the ring can be written up to a position.
func (r *rowRing) drop(end uint64) {
	capacity := uint64(len(r.buf))
	for r.start+capacity < end {
		rest := capacity - r.start%capacity
		if rest < entryHead {
			r.start += rest
			continue
		}
		e := r.entry(r.start)
		if len(e.key) == 0 {
			r.start += rest
			continue
		}
		hash := binary.LittleEndian.Uint64(r.buf[r.start%capacity:])
		if at, found := r.index[hash]; found && at == e.at {
			delete(r.index, hash)
			r.lost = max(r.lost, e.height)
		}
		r.start += e.size()
	}
}

// old reports whether an entry is in the older half of the ring.
func (r *rowRing) old(e ringEntry) bool { return e.at+uint64(len(r.buf))/2 < r.end }
