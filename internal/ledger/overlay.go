package ledger

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tidwall/btree"
	"google.golang.org/protobuf/proto"

	"makechain/internal/schema"
)

// overlay holds the rows that a session has read and written on top of its view. After the first failed read err is
// set, later reads return nothing, and the session returns err instead of a result. Keys and values passed to it are
// retained and must not be modified afterwards.
type overlay struct {
	view    View
	rows    map[uint64]*overlayRow // by the hash of the key
	dirty   []*overlayRow          // written rows, in the order in which they were first written
	sorted  map[byte]*sortedRows   // for scans, by the first byte of the keys
	journal []undo                 // writes since commit
	reads   int
	bytes   int     // approximate memory of rows
	writer  version // of what is written
	record  *record // of the current message, nil if it is not recorded
	err     error
}

// rowOverhead is the approximate memory of a row in an overlay apart from its key and value: the row itself, its entries
// in the map and the tree, and unused capacity of both.
const rowOverhead = 256

type overlayRow struct {
	key    []byte
	base   []byte // the value in the view
	value  []byte // the current value
	hash   uint64 // of key
	next   *overlayRow
	record *record // the last record that contains a read of the row
	rowState
}

// rowState is the state of a row apart from its value.
type rowState struct {
	writer version // of the value, unrecorded for the value in the view
	height heightPlace
	dirty  bool
}

// undo is the state of a row before one write.
type undo struct {
	row   *overlayRow
	value []byte
	rowState
}

// newOverlay returns an overlay with memory for the given number of rows. What is written has a version, which is not unrecorded.
func newOverlay(view View, rows int, writer version) *overlay {
	return &overlay{view: view, rows: make(map[uint64]*overlayRow, rows), writer: writer}
}

func (r *overlayRow) compare(other *overlayRow) int { return bytes.Compare(r.key, other.key) }

// sortedRows are the written rows whose keys start with a certain byte, by key.
type sortedRows struct {
	tree *btree.BTreeG[*overlayRow]
	seen int // rows of overlay.dirty, from the first one on, of which tree contains those with that byte
}

// sortedFrom returns the written rows whose keys start with a byte, by key.
func (o *overlay) sortedFrom(first byte) *btree.BTreeG[*overlayRow] {
	s := o.sorted[first]
	if s == nil {
		less := func(a, b *overlayRow) bool { return a.compare(b) < 0 }
		s = &sortedRows{tree: btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
		if o.sorted == nil {
			o.sorted = make(map[byte]*sortedRows)
		}
		o.sorted[first] = s
	}
	for _, r := range o.dirty[s.seen:] {
		if r.key[0] == first {
			s.tree.Set(r)
		}
	}
	s.seen = len(o.dirty)
	return s.tree
}

// unsort removes a row from the sorted rows. It was the last one of dirty until now.
func (o *overlay) unsort(r *overlayRow) {
	for first, s := range o.sorted { // order: each tree is changed by itself
		if s.seen <= len(o.dirty) {
			continue
		}
		s.seen--
		if r.key[0] == first {
			s.tree.Delete(r)
		}
	}
}

func (o *overlay) fail(err error) {
	if o.err == nil && err != nil {
		o.err = fmt.Errorf("ledger: %w", err)
	}
}

// find returns the row at a key with the given hash, nil if it was not accessed before.
func (o *overlay) find(key []byte, hash uint64) *overlayRow {
	for r := o.rows[hash]; r != nil; r = r.next {
		if bytes.Equal(r.key, key) {
			return r
		}
	}
	return nil
}

// row returns the row at a key and records that the current message depends on it.
func (o *overlay) row(key []byte) *overlayRow {
	hash := keyHash(key)
	r := o.find(key, hash)
	if r == nil {
		r = o.read(key, hash)
	}
	o.record.read(r)
	return r
}

// read adds a row of the view.
func (o *overlay) read(key []byte, hash uint64) *overlayRow {
	r := &overlayRow{key: key, hash: hash}
	if o.err == nil {
		value, err := o.view.Get(key)
		o.fail(err)
		o.reads++
		r.base, r.value = value, value
	}
	o.add(r)
	return r
}

func (o *overlay) add(r *overlayRow) {
	r.next = o.rows[r.hash]
	o.rows[r.hash] = r
	o.bytes += r.bytes()
}

// bytes returns the approximate memory of a row in an overlay.
func (r *overlayRow) bytes() int { return rowOverhead + 2*len(r.key) + len(r.value) }

func (o *overlay) get(key []byte) []byte {
	r := o.row(key)
	o.record.useHeightOf(r)
	return r.value
}

// peek returns the value of a row of which the caller uses nothing that depends on the height of a block. It retains a copy of
// the key.
func (o *overlay) peek(key []byte) []byte {
	hash := keyHash(key)
	r := o.find(key, hash)
	if r == nil {
		r = o.read(bytes.Clone(key), hash)
	}
	o.record.read(r)
	return r.value
}

func (o *overlay) has(key []byte) bool { return o.row(key).value != nil }

// set writes a value, nil to delete the row. A write that does not change the value is not recorded.
func (o *overlay) set(key, value []byte) {
	r := o.row(key)
	o.record.useHeightOf(r)
	o.write(r, value, notInRow)
}

// write writes a value that contains the height of the block at the given place.
func (o *overlay) write(r *overlayRow, value []byte, height heightPlace) {
	if bytes.Equal(r.value, value) && (r.value == nil) == (value == nil) {
		return
	}
	o.journal = append(o.journal, undo{row: r, value: r.value, rowState: r.rowState})
	o.assign(r, value)
	r.writer, r.height = o.writer, height
}

// assign sets the value of a row and marks it as written.
func (o *overlay) assign(r *overlayRow, value []byte) {
	o.bytes += len(value) - len(r.value)
	r.value = value
	if !r.dirty {
		r.dirty = true
		o.dirty = append(o.dirty, r)
	}
}

// insert writes a row that the view does not contain, without reading the view.
func (o *overlay) insert(key, value []byte) {
	if hash := keyHash(key); o.find(key, hash) == nil {
		o.add(&overlayRow{key: key, hash: hash})
	}
	o.set(key, value)
}

// create encodes and writes a row that does not exist and contains the height of the block at the given place.
func (o *overlay) create(key []byte, row proto.Message, height heightPlace) {
	value, err := schema.Encode(row)
	o.fail(err)
	r := o.row(key)
	o.record.useHeightOf(r)
	o.write(r, value, height)
}

// insertAtHeight is insert for a key that contains the height of the block.
func (o *overlay) insertAtHeight(key, value []byte, height heightPlace) {
	hash := keyHash(key)
	r := o.find(key, hash)
	if r == nil {
		r = &overlayRow{key: key, hash: hash}
		o.add(r)
	}
	o.write(r, value, height)
}

func (o *overlay) delete(key []byte) { o.set(key, nil) }

// deleteKnown deletes a row that has the given value, which is not nil, without reading the view.
func (o *overlay) deleteKnown(key, value []byte) {
	if hash := keyHash(key); o.find(key, hash) == nil {
		o.add(&overlayRow{key: key, base: value, value: value, hash: hash})
	}
	o.delete(key)
}

// put encodes and writes a row. A row whose fields are all zero is deleted.
func (o *overlay) put(key []byte, row proto.Message) {
	value, err := schema.Encode(row)
	o.fail(err)
	if len(value) == 0 {
		value = nil
	}
	o.set(key, value)
}

// load reads a row into a new T. It returns nil when the row is absent.
func load[T any, P interface {
	*T
	proto.Message
}](o *overlay, key []byte) *T {
	value := o.get(key)
	if value == nil {
		return nil
	}
	row := new(T)
	if err := schema.Decode(value, P(row)); err != nil {
		o.fail(fmt.Errorf("row %x: %w", key, err))
		return nil
	}
	return row
}

// timestamp returns the timestamp in field 1 of a row, 0 when the row is absent.
func (o *overlay) timestamp(key []byte) uint32 {
	value := o.get(key)
	if value == nil {
		return 0
	}
	ts, err := schema.Timestamp(value)
	if err != nil {
		o.fail(fmt.Errorf("row %x: %w", key, err))
	}
	return ts
}

// scan calls fn for the rows whose keys start with prefix, which is not empty, in key order, until it returns false. fn must
// not write.
func (o *overlay) scan(prefix []byte, fn func(key, value []byte) bool) {
	o.record.scan()
	o.scanUnrecorded(prefix, fn)
}

// scanUnrecorded is scan for rows that change only together with a row that the current message has read.
func (o *overlay) scanUnrecorded(prefix []byte, fn func(key, value []byte) bool) {
	if o.err != nil {
		return
	}
	upper := schema.After(prefix)
	written := o.sortedFrom(prefix[0]).Iter()
	defer written.Release()
	hasWritten, more := written.Seek(&overlayRow{key: prefix}), true
	// visitBelow visits the written rows before limit.
	visitBelow := func(limit []byte) {
		for more && hasWritten && bytes.Compare(written.Item().key, limit) < 0 {
			if r := written.Item(); r.value != nil {
				more = fn(r.key, r.value)
			}
			hasWritten = written.Next()
		}
	}
	err := o.view.Scan(prefix, upper, func(key, value []byte) bool {
		o.reads++
		visitBelow(key)
		switch {
		case !more:
		case hasWritten && bytes.Equal(written.Item().key, key):
			if r := written.Item(); r.value != nil {
				more = fn(key, r.value)
			}
			hasWritten = written.Next()
		default:
			more = fn(key, value)
		}
		return more
	})
	o.fail(err)
	visitBelow(upper)
}

// commit keeps the writes so far: rollback does not undo them.
func (o *overlay) commit() { o.journal = o.journal[:0] }

func (o *overlay) changed() bool { return len(o.journal) > 0 }

// rollback undoes the writes since commit.
func (o *overlay) rollback() {
	for _, u := range slices.Backward(o.journal) {
		o.bytes += len(u.value) - len(u.row.value)
		u.row.value, u.row.rowState = u.value, u.rowState
		if !u.dirty { // then it is the last one of dirty
			o.dirty = o.dirty[:len(o.dirty)-1]
			o.unsort(u.row)
		}
	}
	o.commit()
}

// written returns the approximate memory of the rows written since commit.
func (o *overlay) written() (bytes int) {
	for _, u := range o.journal {
		bytes += u.row.bytes()
	}
	return bytes
}

// trim drops the rows that were not written.
func (o *overlay) trim() {
	rows := o.rows
	o.rows, o.bytes = make(map[uint64]*overlayRow, len(o.dirty)), 0
	for _, r := range rows { // order: each row is kept or dropped by itself
		for r != nil {
			next := r.next
			if r.dirty {
				o.add(r)
			}
			r = next
		}
	}
}

// changes returns the rows that differ from the view, in key order, and their versions.
func (o *overlay) changes() ([]schema.Change, []rowVersion) {
	rows := slices.SortedFunc(slices.Values(o.dirty), (*overlayRow).compare)
	changes, versions := make([]schema.Change, 0, len(rows)), make([]rowVersion, 0, len(rows))
	for _, r := range rows {
		if !bytes.Equal(r.base, r.value) {
			changes = append(changes, schema.Change{Key: r.key, Value: r.value, Existed: r.base != nil})
			versions = append(versions, rowVersion{r.hash, r.writer})
		}
	}
	return changes, versions
}
