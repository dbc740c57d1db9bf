package merkle

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrEncoding is returned by Decode for an invalid encoding.
var ErrEncoding = errors.New("invalid encoding of a tree")

// An encoded version is the number of its rows and the edge of its root, followed by its subtrees, each before those
// below it: a node as its crit position and edges, a row as its hash, and a page as its hash and number. The hashes of nodes
// are computed when it is decoded.
const (
	tagRow   = 0
	tagPage  = 1
	tagNode  = 2
	tagEmpty = 3
)

// Encode writes the part of a version that is in memory. Its pages are needed to decode it.
func (v *Version) Encode(w io.Writer) error {
	e := encoder{w: bufio.NewWriterSize(w, batchBytes), dir: v.dir}
	var head [8 + 2]byte
	binary.BigEndian.PutUint64(head[:], uint64(v.count))
	binary.BigEndian.PutUint16(head[8:], uint16(v.root.edge))
	if _, err := e.w.Write(head[:]); err != nil {
		return fmt.Errorf("encode the state tree: %w", err)
	}
	if err := e.subtree(v.root.ref, &v.root.hash); err != nil {
		return fmt.Errorf("encode the state tree: %w", err)
	}
	if err := e.w.Flush(); err != nil {
		return fmt.Errorf("encode the state tree: %w", err)
	}
	return nil
}

type encoder struct {
	w   *bufio.Writer
	dir directory
	buf [1 + HashSize + 4]byte
}

func (e *encoder) subtree(r ref, hash *Hash) error {
	b := e.buf[:0]
	switch {
	case r == empty:
		b = append(b, tagEmpty)
	case r == leaf:
		b = append(append(b, tagRow), hash[:]...)
	case r.isPage():
		b = binary.BigEndian.AppendUint32(append(append(b, tagPage), hash[:]...), r.page())
	default:
		n := e.dir.node(r)
		b = binary.BigEndian.AppendUint16(append(b, tagNode), n.crit)
		b = binary.BigEndian.AppendUint16(b, uint16(n.edge[0]))
		b = binary.BigEndian.AppendUint16(b, uint16(n.edge[1]))
		if _, err := e.w.Write(b); err != nil {
			return err
		}
		if err := e.subtree(n.child[0], &n.hash[0]); err != nil {
			return err
		}
		return e.subtree(n.child[1], &n.hash[1])
	}
	_, err := e.w.Write(b)
	return err
}

// Decode returns the version that was encoded. It reads no page: the caller must compare the root. The caller must release
// the version.
func (t *Tree) Decode(r io.Reader) (*Version, error) {
	d := decoder{r: bufio.NewReaderSize(r, batchBytes), slotSource: slotSource{arena: &t.arena}, pages: t.options.Pages != nil}
	var head [8 + 2]byte
	if _, err := io.ReadFull(d.r, head[:]); err != nil {
		return nil, fmt.Errorf("decode the state tree: %w", err)
	}
	root, err := d.subtree(-1)
	d.close()
	t.livePages.Add(int64(d.found))
	v := &Version{tree: t, dir: d.dir, root: root, count: int(binary.BigEndian.Uint64(head[:])), refs: 1}
	if err != nil {
		t.free(d.added)
		return nil, fmt.Errorf("decode the state tree: %w", err)
	}
	v.root.edge = edge(binary.BigEndian.Uint16(head[8:]))
	return v, nil
}

type decoder struct {
	slotSource
	r     *bufio.Reader
	pages bool // whether there may be pages
	found int  // pages
	added []ref
	buf   [HashSize + 4]byte
}

// subtree reads the subtree below a node with the given crit position.
func (d *decoder) subtree(above int) (subtree, error) {
	tag, err := d.r.ReadByte()
	if err != nil {
		return subtree{}, err
	}
	switch tag {
	case tagRow:
		_, err := io.ReadFull(d.r, d.buf[:HashSize])
		return subtree{hash: Hash(d.buf[:]), ref: leaf}, err
	case tagPage:
		_, err := io.ReadFull(d.r, d.buf[:])
		number := binary.BigEndian.Uint32(d.buf[HashSize:])
		if err == nil && (!d.pages || number >= MaxPage) {
			err = fmt.Errorf("%w: page %d", ErrEncoding, number)
		}
		if err != nil {
			return subtree{}, err
		}
		d.found++
		d.added = append(d.added, pageBit|ref(number))
		return subtree{hash: Hash(d.buf[:]), ref: pageBit | ref(number)}, nil
	case tagNode:
		return d.node(above)
	case tagEmpty:
		if above >= 0 {
			return subtree{}, fmt.Errorf("%w: a node without a child", ErrEncoding)
		}
		return subtree{hash: EmptyRoot(), ref: empty}, nil
	default:
		return subtree{}, fmt.Errorf("%w: tag %d", ErrEncoding, tag)
	}
}

func (d *decoder) node(above int) (subtree, error) {
	if _, err := io.ReadFull(d.r, d.buf[:pageNodeSize]); err != nil {
		return subtree{}, err
	}
	crit := int(binary.BigEndian.Uint16(d.buf[:]))
	edges := [2]edge{edge(binary.BigEndian.Uint16(d.buf[2:])), edge(binary.BigEndian.Uint16(d.buf[4:]))}
	if crit <= above || crit >= keyEnd || edges[0] == 0 || edges[1] == 0 {
		return subtree{}, fmt.Errorf("%w: a node at bit %d below bit %d", ErrEncoding, crit, above)
	}
	r := d.newSlot()
	d.added = append(d.added, r)
	zero, err := d.subtree(crit)
	if err != nil {
		return subtree{}, err
	}
	one, err := d.subtree(crit)
	if err != nil {
		return subtree{}, err
	}
	*d.dir.node(r) = node{
		hash: [2]Hash{zero.hash, one.hash}, child: [2]ref{zero.ref, one.ref}, crit: uint16(crit), edge: edges,
	}
	return subtree{hash: InnerHash(zero.hash, one.hash), ref: r}, nil
}

// VisitPages calls visit for each page of a version.
func (v *Version) VisitPages(visit func(number uint32)) {
	v.walk(func(r ref) {
		if r.isPage() {
			visit(r.page())
		}
	})
}
