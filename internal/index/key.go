package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// The kinds of index rows, by the first byte of their keys. All of them sort after the rows of the state.
const (
	// prefixPosition: hash:32 -> height:8 index:4.
	prefixPosition = 0x80
	// prefixAccount: owner:20 type:1 position:12 -> 01.
	prefixAccount = 0x81
	// prefixProject: project:32 type:1 position:12 -> 01.
	prefixProject = 0x82
	// prefixRefLog: project:32 length:1 name position:12 -> RefLogEntry without its block number.
	prefixRefLog = 0x83
	// prefixName: name 00 project:32 -> owner:20. Names contain no zero byte.
	prefixName = 0x84
	// prefixStats: empty -> the counts.
	prefixStats = 0x85
	// prefixRefusal: hash:32 -> the refusal.
	prefixRefusal = 0x86
	// prefixRefusalAge: time:8 hash:32 -> 01.
	prefixRefusalAge = 0x87
	// prefixRefusalState: empty -> count:8 oldest:8.
	prefixRefusalState = 0x88
	// prefixPruneState: empty -> lowest:8, then the key from which the sweep for remaining rows continues, if one is in
	// progress.
	prefixPruneState = 0x89
	// prefixFork: parent:32 fork:32 -> 01, and empty -> 01 if there is a row for every fork of the state.
	prefixFork = 0x8A
)

// firstIndexKey returns a key after all rows of the state and not after any index row.
func firstIndexKey() []byte { return []byte{prefixPosition} }

// positionSize is the length of an encoded position.
const positionSize = 8 + 4

// Position is the height of a block and the index of a message in it. The zero position is before all messages, since
// there is no block 0.
type Position struct {
	Height uint64
	Index  uint32
}

// Before reports whether p is before q.
func (p Position) Before(q Position) bool { return p.compare(q) < 0 }

func (p Position) compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Height, q.Height), cmp.Compare(p.Index, q.Index))
}

// appendTo appends the position to a key in its complement, so that the newest message sorts first.
func (p Position) appendTo(key []byte) []byte {
	key = binary.BigEndian.AppendUint64(key, ^p.Height)
	return binary.BigEndian.AppendUint32(key, ^p.Index)
}

// firstKeyBefore returns the lower bound of the rows with a prefix whose messages are before the position. For the zero
// position that is all of them.
func (p Position) firstKeyBefore(prefix []byte) []byte {
	if p == (Position{}) {
		return prefix
	}
	return append(p.appendTo(slices.Clone(prefix)), 0)
}

// keyPosition returns the position at the end of a key.
func keyPosition(key []byte) Position {
	end := key[len(key)-positionSize:]
	return Position{Height: ^binary.BigEndian.Uint64(end), Index: ^binary.BigEndian.Uint32(end[8:])}
}

// Encode returns the position as DecodePosition reads it. Encoded positions sort like positions.
func (p Position) Encode() []byte {
	value := binary.BigEndian.AppendUint64(make([]byte, 0, positionSize), p.Height)
	return binary.BigEndian.AppendUint32(value, p.Index)
}

// DecodePosition decodes a position that Encode returned.
func DecodePosition(value []byte) (Position, error) {
	if len(value) != positionSize {
		return Position{}, fmt.Errorf("a position has %d bytes, want %d", len(value), positionSize)
	}
	return Position{Height: binary.BigEndian.Uint64(value), Index: binary.BigEndian.Uint32(value[8:])}, nil
}

func positionKey(hash ident.Hash) []byte { return append([]byte{prefixPosition}, hash[:]...) }

// accountKey returns the prefix of the rows for messages of one type that an account sent.
func accountKey(owner ident.Address, t pb.MessageType) []byte {
	key := append(make([]byte, 0, 2+len(owner)+positionSize), prefixAccount)
	return append(append(key, owner[:]...), byte(t))
}

// projectKey returns the prefix of the rows for messages of one type that affect a project.
func projectKey(project ident.Hash, t pb.MessageType) []byte {
	key := append(make([]byte, 0, 2+len(project)+positionSize), prefixProject)
	return append(append(key, project[:]...), byte(t))
}

// refLogKey returns the prefix of the rows of a ref log. The length before the name separates names with a common
// prefix.
func refLogKey(project ident.Hash, name []byte) []byte {
	key := append(make([]byte, 0, 2+len(project)+len(name)+positionSize), prefixRefLog)
	key = append(append(key, project[:]...), byte(len(name)))
	return append(key, name...)
}

// parseRefLogKey splits a key of refLogKey and a position.
func parseRefLogKey(key []byte) (project ident.Hash, name []byte, ok bool) {
	const head = 1 + ident.HashSize + 1
	if len(key) < head+positionSize || len(key) != head+int(key[head-1])+positionSize {
		return project, nil, false
	}
	copy(project[:], key[1:])
	return project, key[head : len(key)-positionSize], true
}

func nameKey(name string, project ident.Hash) []byte {
	key := append(make([]byte, 0, 2+len(name)+len(project)), prefixName)
	return append(append(append(key, name...), 0), project[:]...)
}

func statsKey() []byte { return []byte{prefixStats} }

func refusalKey(hash ident.Hash) []byte { return append([]byte{prefixRefusal}, hash[:]...) }

func refusalAgeKey(time uint64, hash ident.Hash) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{prefixRefusalAge}, time), hash[:]...)
}

func parseRefusalAgeKey(key []byte) (time uint64, hash ident.Hash, err error) {
	if len(key) != 1+8+ident.HashSize {
		return 0, hash, fmt.Errorf("row %x is not the age row of a refusal", key)
	}
	copy(hash[:], key[1+8:])
	return binary.BigEndian.Uint64(key[1:]), hash, nil
}

func refusalStateKey() []byte { return []byte{prefixRefusalState} }

func pruneStateKey() []byte { return []byte{prefixPruneState} }
