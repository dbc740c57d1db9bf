package fill

import (
	"math/bits"

	"makechain/internal/merkle"
)

// bitsPerByte is the number of bits of a byte of a key in the state tree: one that marks that the key continues, and its own (T1.2).
const bitsPerByte = 9

// rootBuilder computes the root of the state tree from leaves in key order, in the memory of one path. The stack has the complete
// subtrees left of the last leaf, with ascending branches.
type rootBuilder struct {
	stack []subtree
	last  merkle.Hash // the last leaf
	key   []byte      // of the last leaf; nil before the first
	count uint64
}

// subtree is a complete subtree whose sibling differs at bit branch.
type subtree struct {
	hash   merkle.Hash
	branch int
}

func (b *rootBuilder) add(key []byte, leaf merkle.Hash) {
	if b.count > 0 {
		branch := firstDifference(b.key, key)
		b.stack = append(b.stack, subtree{b.join(branch), branch})
	}
	b.key, b.last = append(b.key[:0], key...), leaf
	b.count++
}

// join joins the last leaf with the subtrees whose siblings differ after a bit, and removes them from the stack.
func (b *rootBuilder) join(after int) merkle.Hash {
	hash := b.last
	n := len(b.stack)
	for ; n > 0 && b.stack[n-1].branch > after; n-- {
		hash = merkle.InnerHash(b.stack[n-1].hash, hash)
	}
	b.stack = b.stack[:n]
	return hash
}

// root returns the root. No leaf may be added after it.
func (b *rootBuilder) root() merkle.Hash {
	if b.count == 0 {
		return merkle.EmptyRoot()
	}
	return b.join(-1)
}

// firstDifference returns the first bit in which two different keys differ.
func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if d := a[i] ^ b[i]; d != 0 {
			return i*bitsPerByte + 1 + bits.LeadingZeros8(d)
		}
	}
	return n * bitsPerByte
}
