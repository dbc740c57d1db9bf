package merkle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"makechain/proof"
)

const (
	// PageRows is the maximum number of rows of a page.
	PageRows = 32
	// MaxPage is the number of different page numbers, which start at 0.
	MaxPage = 1<<31 - 1
	// MaxPageSize is the maximum size of a page in bytes.
	MaxPageSize = pageHashesAt + PageRows*HashSize + (PageRows-1)*pageNodeSize
)

// A page is the serialized form of a subtree of 2 to PageRows rows, in key order: checksum, number of rows, the hashes of the
// rows, and for each two adjacent rows the node at which they separate: its crit position and the edges to its children.
// Adjacent rows separate at exactly one node, and the node with the smallest crit position of a range of rows is the
// topmost, so the positions determine the shape of the subtree. The checksum also covers the hash of the subtree, which
// is not stored: a valid page with another content is detected too.
const (
	pageCountAt  = 4
	pageHashesAt = pageCountAt + 1
	pageNodeSize = 2 + 2 + 2
)

// errPage is the reason for which a page is computed from the rows.
var errPage = errors.New("damaged page")

// PageStore stores pages. It need not be durable: a page that cannot be read is computed from the rows. Its methods may be
// called by several goroutines.
type PageStore interface {
	// Append stores a page, which can be read after the next Flush, and returns its number, less than MaxPage.
	Append(page []byte) (number uint32, err error)
	// Flush makes appended pages readable.
	Flush() error
	// Read reads a page into buf, which has MaxPageSize bytes. It returns the page and possibly bytes that follow it.
	Read(number uint32, buf []byte) ([]byte, error)
	// Free releases pages that no version reaches any more.
	Free(numbers []uint32)
	// Sparse reports whether a page should be stored again, because most of the space around it is unused.
	Sparse(number uint32) bool
}

// page is a page whose checksum was verified.
type page struct {
	rows   int
	hashes []byte
	nodes  []byte
	stored []byte // all of it, nil if it was computed from the rows
}

// pageSize returns the size of a page.
func pageSize(rows int) int { return pageHashesAt + rows*HashSize + (rows-1)*pageNodeSize }

// pageChecksum returns the checksum of a page and the hash of its subtree.
func pageChecksum(content []byte, hash Hash) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(hash[:], table), table, content)
}

// parsePage returns the page of a subtree with the given hash.
func parsePage(b []byte, hash Hash) (page, error) {
	if len(b) < pageHashesAt {
		return page{}, fmt.Errorf("%w: %d bytes", errPage, len(b))
	}
	rows := int(b[pageCountAt])
	if rows < 2 || rows > PageRows || len(b) < pageSize(rows) {
		return page{}, fmt.Errorf("%w: %d rows in %d bytes", errPage, rows, len(b))
	}
	b = b[:pageSize(rows)]
	if binary.BigEndian.Uint32(b) != pageChecksum(b[pageCountAt:], hash) {
		return page{}, fmt.Errorf("%w: wrong checksum", errPage)
	}
	hashes, nodes := b[pageHashesAt:pageHashesAt+rows*HashSize], b[pageHashesAt+rows*HashSize:]
	return page{rows: rows, hashes: hashes, nodes: nodes, stored: b}, nil
}

// appendPage appends the page of a subtree of nodes in memory to b, which must be empty, and the nodes to nodes.
func appendPage(b []byte, dir directory, s subtree, nodes []ref) ([]byte, []ref) {
	var stored [(PageRows - 1) * pageNodeSize]byte
	b = append(b, make([]byte, pageHashesAt)...)
	before := len(nodes)
	b, inner, nodes := appendNode(b, stored[:0], dir, s.ref, nodes)
	b = append(b, inner...)
	b[pageCountAt] = byte(len(nodes) - before + 1)
	binary.BigEndian.PutUint32(b, pageChecksum(b[pageCountAt:], s.hash))
	return b, nodes
}

// appendNode appends the hashes of the rows below a node to hashes, the nodes in key order to inner and their slots to
// nodes.
func appendNode(hashes, inner []byte, dir directory, r ref, nodes []ref) (newHashes, newInner []byte, newNodes []ref) {
	n := dir.node(r)
	nodes = append(nodes, r)
	for bit := range 2 {
		if n.child[bit] == leaf {
			hashes = append(hashes, n.hash[bit][:]...)
		} else {
			hashes, inner, nodes = appendNode(hashes, inner, dir, n.child[bit], nodes)
		}
		if bit == 0 {
			inner = binary.BigEndian.AppendUint16(inner, n.crit)
			inner = binary.BigEndian.AppendUint16(inner, uint16(n.edge[0]))
			inner = binary.BigEndian.AppendUint16(inner, uint16(n.edge[1]))
		}
	}
	return hashes, inner, nodes
}

// hash returns the hash of row i.
func (p page) hash(i int) Hash { return Hash(p.hashes[i*HashSize:]) }

// crit returns the bit at which rows i and i+1 differ.
func (p page) crit(i int) int { return int(binary.BigEndian.Uint16(p.nodes[i*pageNodeSize:])) }

// edge returns an edge of the node that separates rows i and i+1.
func (p page) edge(i, bit int) edge {
	return edge(binary.BigEndian.Uint16(p.nodes[i*pageNodeSize+2+2*bit:]))
}

// split returns the node above the rows [lo, hi), of which there must be at least two, as the index of the row before it.
func (p page) split(lo, hi int) int {
	top := lo
	for i := lo + 1; i < hi-1; i++ {
		if p.crit(i) < p.crit(top) {
			top = i
		}
	}
	return top
}

// root returns the hash of the subtree of the rows [lo, hi).
func (p page) root(lo, hi int) Hash {
	if hi-lo == 1 {
		return p.hash(lo)
	}
	mid := p.split(lo, hi)
	return InnerHash(p.root(lo, mid+1), p.root(mid+1, hi))
}

// descend visits the nodes that the bits of a key select, with the rows [lo, hi) below the child that is not taken. It
// reports whether the edges show that the key is absent.
func (p page) descend(key []byte, visit func(bit, lo, hi int)) (absent bool) {
	lo, hi := 0, p.rows
	for hi-lo > 1 {
		at := p.split(lo, hi)
		bit := bitAt(key, p.crit(at))
		if bit == 0 {
			visit(bit, at+1, hi)
			hi = at + 1
		} else {
			visit(bit, lo, at+1)
			lo = at + 1
		}
		if e := p.edge(at, bit); e.match(key, p.crit(at)+1) < e.len() {
			return true
		}
	}
	return false
}

// absent reports whether the page alone shows that no row has the key.
func (p page) absent(key []byte) bool { return p.descend(key, func(int, int, int) {}) }

// appendPath appends the siblings on the path to a row, the topmost first.
func (p page) appendPath(siblings []proof.Sibling, key []byte) (path []proof.Sibling, absent bool) {
	absent = p.descend(key, func(bit, lo, hi int) {
		siblings = append(siblings, proof.Sibling{Hash: p.root(lo, hi), Right: bit == 0})
	})
	return siblings, absent
}

// loadPage reads the page of a subtree into buf, which has MaxPageSize bytes.
func (t *Tree) loadPage(s subtree, buf []byte) (page, error) {
	b, err := t.options.Pages.Read(s.ref.page(), buf)
	if err != nil {
		return page{}, fmt.Errorf("%w: %w", errPage, err)
	}
	return parsePage(b, s.hash)
}

// readPage returns the page of a subtree whose keys and the given key agree in all bits before from, and verifies its
// hashes. If the page is damaged, it is computed from the rows.
func (t *Tree) readPage(s subtree, key []byte, from int, rows Rows) (page, error) {
	p, err := t.loadPage(s, make([]byte, MaxPageSize))
	if err == nil && p.root(0, p.rows) == s.hash {
		return p, nil
	}
	seeker, openErr := rows.Seeker()
	if openErr != nil {
		return page{}, fmt.Errorf("open a cursor: %w", openErr)
	}
	p, repairErr := t.recomputePage(s, key, from, seeker, err)
	return p, errors.Join(repairErr, seeker.Close())
}

// writePage stores a page.
func (t *Tree) writePage(b []byte) (ref, error) {
	number, err := t.options.Pages.Append(b)
	if err != nil {
		return 0, fmt.Errorf("write a page: %w", err)
	}
	t.livePages.Add(1)
	return pageBit | ref(number), nil
}
