package index

import (
	"encoding/binary"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// The kinds of index rows, by the first byte of their keys. All of them lie behind the rows of the state.
const (
	// prefixPosition: hash:32 -> height:8 index:4.
	prefixPosition = 0x80
	// prefixAccount: owner:20 type:1 place:12 -> 01.
	prefixAccount = 0x81
	// prefixProject: project:32 type:1 place:12 -> 01.
	prefixProject = 0x82
	// prefixRefLog: project:32 length:1 name place:12 -> RefLogEntry without its block number.
	prefixRefLog = 0x83
	// prefixName: name 00 project:32 -> owner:20. Names have no zero byte.
	prefixName = 0x84
	// prefixStats: nothing more -> the counts.
	prefixStats = 0x85
	// prefixRefusal: hash:32 -> the refusal.
	prefixRefusal = 0x86
	// prefixRefusalAge: time:8 hash:32 -> 01.
	prefixRefusalAge = 0x87
	// prefixRefusalState: nothing more -> count:8 oldest:8.
	prefixRefusalState = 0x88
	// prefixHorizon: nothing more -> lowest:8, then the key at which a search for left rows goes on, if one is under way.
	prefixHorizon = 0x89
)

// placeSize is the length of a place: the complement of height and index, so that the newest comes first.
const placeSize = 8 + 4

// Position is where a message stands: its block and its place there, counted over all messages of the block.
// The zero position lies before all messages, since block 0 has none.
type Position struct {
	Height uint64
	Index  uint32
}

// Before says whether p comes before q.
func (p Position) Before(q Position) bool {
	return p.Height < q.Height || p.Height == q.Height && p.Index < q.Index
}

func (p Position) appendPlace(key []byte) []byte {
	key = binary.BigEndian.AppendUint64(key, ^p.Height)
	return binary.BigEndian.AppendUint32(key, ^p.Index)
}

// placeOf reads the place that a key ends with.
func placeOf(key []byte) Position {
	place := key[len(key)-placeSize:]
	return Position{Height: ^binary.BigEndian.Uint64(place), Index: ^binary.BigEndian.Uint32(place[8:])}
}

func (p Position) encode() []byte {
	value := binary.BigEndian.AppendUint64(make([]byte, 0, placeSize), p.Height)
	return binary.BigEndian.AppendUint32(value, p.Index)
}

func decodePosition(value []byte) (Position, error) {
	if len(value) != placeSize {
		return Position{}, fmt.Errorf("a position has %d bytes, want %d", len(value), placeSize)
	}
	return Position{Height: binary.BigEndian.Uint64(value), Index: binary.BigEndian.Uint32(value[8:])}, nil
}

func positionKey(hash ident.Hash) []byte { return append([]byte{prefixPosition}, hash[:]...) }

// accountKey begins the rows of what an account sent of one type.
func accountKey(owner ident.Address, t pb.MessageType) []byte {
	key := append(make([]byte, 0, 2+len(owner)+placeSize), prefixAccount)
	return append(append(key, owner[:]...), byte(t))
}

// projectKey begins the rows of what is about a project and of one type.
func projectKey(project ident.Hash, t pb.MessageType) []byte {
	key := append(make([]byte, 0, 2+len(project)+placeSize), prefixProject)
	return append(append(key, project[:]...), byte(t))
}

// refLogKey begins the log of a ref. The length before the name keeps apart names that begin alike.
func refLogKey(project ident.Hash, name []byte) []byte {
	key := append(make([]byte, 0, 2+len(project)+len(name)+placeSize), prefixRefLog)
	key = append(append(key, project[:]...), byte(len(name)))
	return append(key, name...)
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

func refusalStateKey() []byte { return []byte{prefixRefusalState} }

func horizonKey() []byte { return []byte{prefixHorizon} }
