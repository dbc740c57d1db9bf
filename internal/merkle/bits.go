package merkle

import "math/bits"

const (
	// MaxDepth is the length of the longest path that the published proof spec allows (T1.4).
	MaxDepth = 4096

	// MaxKeySize is the maximum length of a key in bytes. A key of n bytes has 9n+1 bits to branch at, so its path stays within
	// MaxDepth. The longest key of the state, the tombstone of a ref, has 288 bytes.
	MaxKeySize = (MaxDepth - 1) / bitsPerByte

	// bitsPerByte is a 1, which marks that the key continues, and the eight bits of the byte (T1.2).
	bitsPerByte = 9

	// keyEnd is a position after the last bit of every key.
	keyEnd = MaxDepth
)

// bitAt returns the bit of key at a position, 0 after its end.
func bitAt(key []byte, pos int) int {
	i, r := pos/bitsPerByte, pos%bitsPerByte
	if i >= len(key) {
		return 0
	}
	return int((1<<8 | uint(key[i])) >> (bitsPerByte - 1 - r) & 1)
}

// branch returns the position of the first bit in which two keys differ, keyEnd if they are equal. They must agree in
// all bits before from.
func branch(a, b []byte, from int) int {
	n := min(len(a), len(b))
	for i := from / bitsPerByte; i < n; i++ {
		if d := a[i] ^ b[i]; d != 0 {
			return i*bitsPerByte + 1 + bits.LeadingZeros8(d)
		}
	}
	if len(a) == len(b) {
		return keyEnd
	}
	return n * bitsPerByte
}

// floor returns the smallest key that agrees with key in its first n bits.
func floor(key []byte, n int) []byte {
	whole, partial := n/bitsPerByte, n%bitsPerByte
	if whole >= len(key) {
		return key
	}
	out := append([]byte(nil), key[:whole]...)
	if partial > 0 {
		out = append(out, key[whole]&^(0xff>>(partial-1)))
	}
	return out
}

// edge holds the bits that all keys of a subtree share after the bit that selects it, encoded as a 1 followed by the
// bits. It holds at most edgeBits bits, and fewer than the keys share where a longer edge was cut.
type edge uint16

const (
	edgeBits = 15
	noEdge   = edge(1)
)

// edgeOf returns the bits of key in [from, to), at most edgeBits of them.
func edgeOf(key []byte, from, to int) edge {
	n := min(edgeBits, to-from)
	return edge(1<<n | window(key, from)>>(edgeBits-n))
}

// window returns edgeBits bits of key, starting at from. After the end of the key they are 0.
func window(key []byte, from int) uint32 {
	i, skip := from/bitsPerByte, from%bitsPerByte
	var w uint32
	for j := i; j < i+3; j++ {
		w <<= bitsPerByte
		if j < len(key) {
			w |= 1<<8 | uint32(key[j])
		}
	}
	return w >> (3*bitsPerByte - edgeBits - skip) & (1<<edgeBits - 1)
}

// len returns the number of bits the edge holds.
func (e edge) len() int { return bits.Len16(uint16(e)) - 1 }

// match returns how many of the edge's bits equal those of key from a position on, counted up to the first difference.
func (e edge) match(key []byte, from int) int {
	n := e.len()
	diff := uint32(e) ^ (1<<n | window(key, from)>>(edgeBits-n))
	return n - bits.Len32(diff)
}

// cut drops the first n bits.
func (e edge) cut(n int) edge {
	left := e.len() - n
	if left <= 0 {
		return noEdge
	}
	return 1<<left | e&(1<<left-1)
}

// extend appends a bit and then the bits of tail, up to edgeBits in total.
func (e edge) extend(bit int, tail edge) edge {
	free := edgeBits - e.len()
	if free == 0 {
		return e
	}
	has := tail.len()
	n := min(free-1, has)
	return (e<<1|edge(bit))<<n | tail&^(1<<has)>>(has-n)
}
