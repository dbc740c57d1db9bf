package snapshot

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"makechain/internal/index"
	"makechain/internal/schema"
	"makechain/internal/statesync"
)

// ErrOrder is returned for a chunk that is not the next one of the snapshot being restored. Nothing was applied.
var ErrOrder = errors.New("not the next chunk")

// Target is a store that is being filled with the rows of a snapshot. Readers see none of them before Finish.
type Target interface {
	// Add adds a row of the state tree or a derived row.
	Add(row schema.Change) error
	// Finish makes the rows the state at a height, durable together with the index rows that buildIndex emits. It returns
	// statesync.ErrRoot when the rows have a different root. After an error the store is empty.
	Finish(height uint64, root Hash, buildIndex func(state index.View, emit func(schema.Change) error) error) error
	// Abort deletes the rows that were added.
	Abort() error
}

// Restorer restores one snapshot at a time. Its methods may be called by several goroutines.
type Restorer struct {
	open func() (Target, error)

	mu      sync.Mutex   // guards what follows
	current *restoration // nil when no snapshot is being restored
}

// restoration is a restoration in progress.
type restoration struct {
	*Manifest
	next    int // chunk
	reader  rowReader
	derived schema.Deriver
	decoder *zstd.Decoder
	target  Target
}

// NewRestorer returns a restorer that opens its target when it has accepted an offer.
func NewRestorer(open func() (Target, error)) *Restorer { return &Restorer{open: open} }

// Begin starts to restore an offered snapshot, whose state must have the given root. It aborts a restoration that is in
// progress. It returns statesync.ErrFormat, ErrOffer or ErrRoot when the offer is refused.
func (r *Restorer) Begin(offer statesync.Offer, root Hash) error {
	manifest, err := checkOffer(offer, root)
	if err != nil {
		return fmt.Errorf("snapshot of height %d: %w", offer.Height, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.abort(); err != nil {
		return err
	}
	decoder, err := newDecoder()
	if err != nil {
		return fmt.Errorf("restore height %d: %w", offer.Height, err)
	}
	target, err := r.open()
	if err != nil {
		decoder.Close()
		return fmt.Errorf("restore height %d: %w", offer.Height, err)
	}
	r.current = &restoration{Manifest: manifest, decoder: decoder, target: target}
	return nil
}

// checkOffer compares an offer with its manifest, and the manifest with the root.
func checkOffer(offer statesync.Offer, root Hash) (*Manifest, error) {
	if offer.Format != Format {
		return nil, fmt.Errorf("%w: %d, this program reads %d", statesync.ErrFormat, offer.Format, Format)
	}
	if hash := blake3.Sum256(offer.Manifest); string(hash[:]) != string(offer.Hash) {
		return nil, fmt.Errorf("%w: the manifest has a different hash", statesync.ErrOffer)
	}
	manifest, err := ParseManifest(offer.Manifest)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", statesync.ErrOffer, err)
	case manifest.Height != offer.Height || uint64(len(manifest.Chunks)) != uint64(offer.Chunks):
		return nil, fmt.Errorf("%w: the manifest has height %d and %d chunks", statesync.ErrOffer, manifest.Height, len(manifest.Chunks))
	case manifest.Root != root:
		return nil, fmt.Errorf("%w: the manifest has root %x, want %x", statesync.ErrRoot, manifest.Root, root)
	}
	return manifest, nil
}

// Apply applies the next chunk and reports whether the state is restored. An error other than statesync.ErrChunk and
// ErrOrder ends the restoration.
func (r *Restorer) Apply(number uint32, chunk []byte) (done bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.current
	switch {
	case c == nil:
		return false, fmt.Errorf("%w: no snapshot is being restored", ErrOrder)
	case uint64(number) != uint64(c.next):
		return false, fmt.Errorf("%w: chunk %d of height %d, want %d", ErrOrder, number, c.Height, c.next)
	case blake3.Sum256(chunk) != c.Chunks[number]:
		return false, fmt.Errorf("%w: chunk %d of height %d", statesync.ErrChunk, number, c.Height)
	}
	if err := c.apply(chunk); err != nil {
		return false, errors.Join(fmt.Errorf("chunk %d of height %d: %w", number, c.Height, err), r.abort())
	}
	if c.next < len(c.Chunks) {
		return false, nil
	}
	r.current = nil
	c.decoder.Close()
	err = c.target.Finish(c.Height, c.Root, index.FromState)
	if err != nil {
		return false, fmt.Errorf("snapshot of height %d: %w", c.Height, err)
	}
	return true, nil
}

// apply adds the rows of a chunk, whose hash was checked, and the rows derived from them.
func (c *restoration) apply(chunk []byte) error {
	rows, err := c.decoder.DecodeAll(chunk, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", statesync.ErrRows, err)
	}
	c.next++
	isLast := c.next == len(c.Chunks)
	var writeErr error // an error of the target, not of the rows
	write := func(row schema.Change) error {
		writeErr = c.target.Add(row)
		return writeErr
	}
	err = c.reader.read(rows, isLast, func(key, value []byte) error {
		if err := write(schema.Change{Key: key, Value: value}); err != nil {
			return err
		}
		return c.derived.Add(key, value, write)
	})
	if err == nil && isLast {
		err = c.derived.Finish(write)
	}
	switch {
	case writeErr != nil:
		return writeErr
	case err != nil:
		return fmt.Errorf("%w: %w", statesync.ErrRows, err)
	case c.reader.rows > c.Rows || isLast && c.reader.rows != c.Rows:
		return fmt.Errorf("%w: %d rows, the manifest has %d", statesync.ErrRows, c.reader.rows, c.Rows)
	}
	return nil
}

// abort ends the restoration in progress, if there is one. r.mu must be held.
func (r *Restorer) abort() error {
	c := r.current
	if c == nil {
		return nil
	}
	r.current = nil
	c.decoder.Close()
	return c.target.Abort()
}

// Close aborts the restoration in progress, if there is one.
func (r *Restorer) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.abort()
}
