package merkle

import (
	"crypto/sha256"
	"encoding/binary"
)

// HashSize is the size of a hash in bytes.
const HashSize = sha256.Size

// Hash is the SHA-256 hash of a leaf or of an inner node.
type Hash = [HashSize]byte

// The first byte of what is hashed keeps leaves and inner nodes apart (T1.3).
const (
	LeafPrefix  = 0x00
	InnerPrefix = 0x01
)

// EmptyRoot returns the root of a tree without rows: the hash of nothing.
func EmptyRoot() Hash { return sha256.Sum256(nil) }

// LeafHash returns the hash of a row (T1.3). The value enters as its own hash.
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
