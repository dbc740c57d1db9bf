package snapshot

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"makechain/internal/schema"
)

// Reasons why a snapshot is not restored.
var (
	// ErrFormat says that a snapshot is of a format this program does not know.
	ErrFormat = errors.New("unknown snapshot format")
	// ErrOffer says that an offer contradicts itself.
	ErrOffer = errors.New("offer contradicts itself")
	// ErrChunk says that bytes are not the chunk that the manifest names. Nothing was taken from them, and the right
	// chunk may still come.
	ErrChunk = errors.New("not the chunk of the manifest")
	// ErrOrder says that a chunk is not the next one. Nothing was taken from it.
	ErrOrder = errors.New("not the next chunk")
	// ErrRows says that what the manifest names is no state. The restoration is over.
	ErrRows = errors.New("not the rows of a state")
	// ErrRoot says that the rows are not the state that the chain agreed on. The restoration is over.
	ErrRoot = errors.New("not the state of the chain")
)

// Restoration takes the rows of a state, and is visible to nobody before it is finished.
type Target interface {
	// Add takes a row of the state tree or a derived one.
	Add(row schema.Change) error
	// Finish makes the rows the state at a height. It answers ErrRoot when their tree has another root, and leaves
	// nothing behind after any error.
	Finish(height uint64, root Hash, messages uint64) error
	// Abort leaves nothing behind.
	Abort() error
}

// Offer is a snapshot as a peer offers it.
type Offer struct {
	Height   uint64
	Format   uint32
	Chunks   uint32
	Hash     []byte
	Manifest []byte
}

// Restorer restores one snapshot at a time. Its methods may be called by several goroutines.
type Restorer struct {
	open func() (Target, error)

	mu      sync.Mutex // guards what follows
	current *current   // nil when none is being restored
}

// current is the snapshot that is being restored.
type current struct {
	*Manifest
	next    int // chunk
	reader  rowReader
	derived schema.Deriver
	decoder *zstd.Decoder
	target  Target
}

// NewRestorer makes a restorer of a state that is opened once an offer is good.
func NewRestorer(open func() (Target, error)) *Restorer { return &Restorer{open: open} }

// Begin takes an offer up whose state must have a root. What was being restored before is dropped.
func (r *Restorer) Begin(offer Offer, root Hash) error {
	manifest, err := offer.check(root)
	if err != nil {
		return fmt.Errorf("snapshot of height %d: %w", offer.Height, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.drop(); err != nil {
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
	r.current = &current{Manifest: manifest, decoder: decoder, target: target}
	return nil
}

// check compares what an offer says with its manifest, and that with the root.
func (o *Offer) check(root Hash) (*Manifest, error) {
	if o.Format != Format {
		return nil, fmt.Errorf("%w: %d, this program reads %d", ErrFormat, o.Format, Format)
	}
	if hash := blake3.Sum256(o.Manifest); string(hash[:]) != string(o.Hash) {
		return nil, fmt.Errorf("%w: the manifest has another hash", ErrOffer)
	}
	manifest, err := ParseManifest(o.Manifest)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrOffer, err)
	case manifest.Height != o.Height || uint64(len(manifest.Chunks)) != uint64(o.Chunks):
		return nil, fmt.Errorf("%w: the manifest is of height %d and has %d chunks", ErrOffer, manifest.Height, len(manifest.Chunks))
	case manifest.Root != root:
		return nil, fmt.Errorf("%w: the manifest names the root %x, want %x", ErrRoot, manifest.Root, root)
	}
	return manifest, nil
}

// Apply takes the next chunk, and says whether the state is restored. An error other than ErrChunk and ErrOrder ends
// the restoration.
func (r *Restorer) Apply(index uint32, chunk []byte) (done bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch c := r.current; {
	case c == nil:
		return false, fmt.Errorf("%w: no snapshot is being restored", ErrOrder)
	case uint64(index) != uint64(c.next):
		return false, fmt.Errorf("%w: chunk %d of height %d, want %d", ErrOrder, index, c.Height, c.next)
	case blake3.Sum256(chunk) != c.Chunks[index]:
		return false, fmt.Errorf("%w: chunk %d of height %d", ErrChunk, index, c.Height)
	}
	c := r.current
	if err := c.apply(chunk); err != nil {
		return false, errors.Join(fmt.Errorf("chunk %d of height %d: %w", index, c.Height, err), r.drop())
	}
	if c.next < len(c.Chunks) {
		return false, nil
	}
	r.current = nil
	c.decoder.Close()
	if err := c.target.Finish(c.Height, c.Root, c.Messages); err != nil {
		return false, fmt.Errorf("snapshot of height %d: %w", c.Height, err)
	}
	return true, nil
}

// apply takes the rows of a chunk that the manifest names.
func (c *current) apply(chunk []byte) error {
	rows, err := c.decoder.DecodeAll(chunk, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRows, err)
	}
	c.next++
	isLast := c.next == len(c.Chunks)
	var failed error // to write, which is no fault of the rows
	write := func(row schema.Change) error {
		failed = c.target.Add(row)
		return failed
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
	case failed != nil:
		return failed
	case err != nil:
		return fmt.Errorf("%w: %w", ErrRows, err)
	case c.reader.rows > c.Rows || isLast && c.reader.rows != c.Rows:
		return fmt.Errorf("%w: %d rows, the manifest says %d", ErrRows, c.reader.rows, c.Rows)
	}
	return nil
}

// drop ends a restoration that is under way. The caller holds r.mu.
func (r *Restorer) drop() error {
	c := r.current
	if c == nil {
		return nil
	}
	r.current = nil
	c.decoder.Close()
	return c.target.Abort()
}

// Close gives up what is being restored.
func (r *Restorer) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.drop()
}
