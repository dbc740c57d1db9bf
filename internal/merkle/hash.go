package merkle

import (
	"crypto/sha256"
	"encoding/binary"
)

// HashSize is the size of a hash in bytes.
const HashSize = sha256.Size

// Hash is the SHA-256 hash of a leaf or of an inner node.
type Hash = [HashSize]byte

// The first byte of the hashed data distinguishes leaves from inner nodes (T1.3).
const (
	LeafPrefix  = 0x00
	InnerPrefix = 0x01
)

// EmptyRoot returns the root of a tree without rows: the hash of the empty string.
func EmptyRoot() Hash { return sha256.Sum256(nil) }

// LeafHash returns the hash of a row (T1.3). The value is included as its hash.
func LeafHash(key, value []byte) Hash {
	var scratch [1 + binary.MaxVarintLen16 + MaxKeySize + 1 + HashSize]byte
	digest := sha256.Sum256(value)
	b := append(scratch[:0], LeafPrefix)
	b = binary.AppendUvarint(b, uint64(len(key)))
	b = append(b, key...)
	b = append(b, HashSize) // a one-byte varint
	b = append(b, digest[:]...)
	return sha256.Sum256(b)
}

// InnerHash returns the hash of an inner node.
func InnerHash(left, right Hash) Hash {
	var b [1 + 2*HashSize]byte
	b[0] = InnerPrefix
	copy(b[1:], left[:])
	copy(b[1+HashSize:], right[:])
	return sha256.Sum256(b[:])
}
