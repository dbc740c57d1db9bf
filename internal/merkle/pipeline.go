package merkle

import (
	"fmt"
	"sync"
)

const (
	// batchBytes is the size of the keys and values in a batch: large enough to make a channel operation cheap, small
	// enough to stay in the cache of a core.
	batchBytes = 64 << 10
	// batchesPerHasher is the number of batches per hashing goroutine: one that is hashed, one queued before it and one
	// queued after it.
	batchesPerHasher = 3
)

// hashRows scans rows and calls add for each in order, with its leaf hash and the bit at which its key differs from the
// previous key. The scan runs on the caller's goroutine, hashing on hashers goroutines and add on one more.
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

// pipeline passes batches of rows from the scan to the hashers and then, in the order of the scan, to the builder.
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
	data   []byte // the key before the first row, then alternating keys and values
	start  int    // offset of the first row in data
	first  bool   // no row precedes this batch
	ends   []int  // offsets in data where each key and each value ends
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

// visit appends a row of the scan to the current batch.
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

// flush queues the current batch.
func (p *pipeline) flush() {
	if p.current != nil {
		p.unhashed <- p.current
		p.ordered <- p.current
		p.current = nil
	}
}

// hash hashes batches until the queue is closed.
func (p *pipeline) hash() {
	for b := range p.unhashed {
		b.err = b.hash()
		b.ready <- struct{}{}
	}
}

// add passes hashed rows to the builder. After an error it only drains the queue.
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

// reset empties the batch. previous is the last key of the batch before it.
func (b *batch) reset(previous []byte) {
	b.data = append(b.data[:0], previous...)
	b.start, b.first = len(previous), false
	b.ends, b.hashes, b.crits = b.ends[:0], b.hashes[:0], b.crits[:0]
}

// hash computes the leaf hashes. It returns an error for rows that are out of order.
func (b *batch) hash() error {
	previous := b.data[:b.start]
	for i := range len(b.ends) / 2 {
		key := b.key(i)
		if len(key) > MaxKeySize {
			return fmt.Errorf("%w: %d bytes, at most %d", ErrKeySize, len(key), MaxKeySize)
		}
		crit := 0
		if !b.first || i > 0 {
			crit = branch(previous, key, 0)
			if crit == keyEnd || bitAt(key, crit) == 0 {
				return fmt.Errorf("%w: row %x before %x", ErrOrder, previous, key)
			}
		}
		b.hashes = append(b.hashes, LeafHash(key, b.value(i)))
		b.crits = append(b.crits, crit)
		previous = key
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
