package merkle

import (
	"fmt"
	"sync"
)

const (
	// batchBytes is how much of keys and values is gathered before it is handed on: enough to make the handing on
	// cheap, little enough to stay in a core's cache.
	batchBytes = 64 << 10
	// batchesPerHasher is how many batches there are for every goroutine that hashes: one being hashed, one waiting
	// before it and one behind it.
	batchesPerHasher = 3
)

// hashRows scans rows and calls add for each in order, with its leaf hash and the bit at which its key parts from the
// one before. The scan runs on the caller's goroutine, the hashing on as many as hashers says, the adding on one more.
func hashRows(hashers int, scan Scan, add func(key []byte, hash Hash, crit int)) error {
	p := newPipeline(hashers)
	var wg sync.WaitGroup
	for range hashers {
		wg.Go(p.hash)
	}
	wg.Go(func() { p.add(add) })
	err := scan(p.visit)
	p.flush()
	close(p.unhashed)
	close(p.ordered)
	wg.Wait()
	if p.err != nil {
		return p.err
	}
	return err
}

// pipeline hands batches of rows on from the scan to the hashers and, in the order of the scan, to the tree.
type pipeline struct {
	current  *batch // being filled by the scan
	unhashed chan *batch
	ordered  chan *batch
	spare    chan *batch

	stop chan struct{} // closed when err is set
	err  error         // the first in the order of rows
}

// batch is a run of rows.
type batch struct {
	data   []byte // the key before the first row, then keys and values in turn
	start  int    // where in data the first row begins
	first  bool   // there is no key before
	ends   []int  // where in data each key and each value ends
	hashes []Hash
	crits  []int
	err    error
	ready  chan struct{} // receives when the batch is hashed
}

func newPipeline(hashers int) *pipeline {
	n := batchesPerHasher * hashers
	p := &pipeline{
		unhashed: make(chan *batch, n), ordered: make(chan *batch, n), spare: make(chan *batch, n),
		stop: make(chan struct{}),
	}
	for range n {
		p.spare <- &batch{ready: make(chan struct{}, 1)}
	}
	p.current = <-p.spare
	p.current.first = true
	return p
}

// visit takes a row from the scan.
func (p *pipeline) visit(key, value []byte) error {
	if p.current == nil {
		return p.err
	}
	b := p.current
	b.data = append(b.data, key...)
	b.ends = append(b.ends, len(b.data))
	b.data = append(b.data, value...)
	b.ends = append(b.ends, len(b.data))
	if len(b.data) < batchBytes {
		return nil
	}
	p.flush()
	select {
	case <-p.stop:
		return p.err
	case next := <-p.spare:
		next.reset(key)
		p.current = next
		return nil
	}
}

// flush hands on the current batch.
func (p *pipeline) flush() {
	if p.current != nil {
		p.unhashed <- p.current
		p.ordered <- p.current
		p.current = nil
	}
}

// hash is the loop of a hasher.
func (p *pipeline) hash() {
	for b := range p.unhashed {
		b.err = b.hash()
		b.ready <- struct{}{}
	}
}

// add is the loop that feeds the tree. Behind an error it only lets batches pass.
func (p *pipeline) add(add func(key []byte, hash Hash, crit int)) {
	for b := range p.ordered {
		<-b.ready
		if b.err != nil && p.err == nil {
			p.err = b.err
			close(p.stop)
		}
		if p.err == nil {
			for i, h := range b.hashes {
				add(b.key(i), h, b.crits[i])
			}
		}
		p.spare <- b
	}
}

// reset empties the batch, to go on behind a key.
func (b *batch) reset(before []byte) {
	b.data = append(b.data[:0], before...)
	b.start, b.first = len(before), false
	b.ends, b.hashes, b.crits = b.ends[:0], b.hashes[:0], b.crits[:0]
}

// hash works out the leaves, and refuses rows that are out of order.
func (b *batch) hash() error {
	before := b.data[:b.start]
	for i := range len(b.ends) / 2 {
		key := b.key(i)
		if len(key) > MaxKeySize {
			return fmt.Errorf("%w: %d bytes, at most %d", ErrKeySize, len(key), MaxKeySize)
		}
		crit := 0
		if !b.first || i > 0 {
			crit = branch(before, key, 0)
			if crit == keyEnd || bitAt(key, crit) == 0 {
				return fmt.Errorf("%w: row %x before %x", ErrOrder, before, key)
			}
		}
		b.hashes = append(b.hashes, LeafHash(key, b.value(i)))
		b.crits = append(b.crits, crit)
		before = key
	}
	return nil
}

func (b *batch) key(i int) []byte {
	from := b.start
	if i > 0 {
		from = b.ends[2*i-1]
	}
	return b.data[from:b.ends[2*i]]
}

func (b *batch) value(i int) []byte { return b.data[b.ends[2*i]:b.ends[2*i+1]] }
