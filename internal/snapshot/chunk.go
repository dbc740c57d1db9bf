package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"makechain/internal/schema"
)

const (
	// ChunkSize is the size at which a chunk ends: with the first row that brings its uncompressed rows to this many bytes.
	// A chunk is sent in one CometBFT message, which may have 16 MB.
	ChunkSize = 1 << 20
	// maxRowSize bounds the encoding of a row. A row contains no more than the message that wrote it, which has at most
	// 1 MiB (P2.8).
	maxRowSize = 1<<20 + 4<<10
	// maxChunkSize bounds the uncompressed rows of a chunk, and so the memory that a malicious chunk can take.
	maxChunkSize = ChunkSize + maxRowSize
)

// chunker splits rows into chunks. A row is encoded as the length of its key, the key, the length of its value and the
// value.
type chunker struct {
	rows   uint64
	chunks int
	buffer []byte
	write  func(chunk []byte) error
}

// add adds a row. It reports whether the chunk is complete and must be written before the next row.
func (c *chunker) add(key, value []byte) (complete bool) {
	c.rows++
	c.buffer = appendRow(c.buffer, key, value)
	return len(c.buffer) >= ChunkSize
}

// finish writes the last chunk. A state without rows has one empty chunk, because CometBFT does not accept a snapshot
// without chunks.
func (c *chunker) finish() error {
	if len(c.buffer) == 0 && c.chunks > 0 {
		return nil
	}
	return c.flush()
}

// flush writes the chunk.
func (c *chunker) flush() error {
	if len(c.buffer) > maxChunkSize {
		return fmt.Errorf("a chunk has %d bytes, at most %d", len(c.buffer), maxChunkSize)
	}
	err := c.write(c.buffer)
	c.chunks++
	c.buffer = c.buffer[:0]
	return err
}

func appendRow(b, key, value []byte) []byte {
	b = append(binary.AppendUvarint(b, uint64(len(key))), key...)
	return append(binary.AppendUvarint(b, uint64(len(value))), value...)
}

// newEncoder returns a compressor whose output depends on its input alone.
func newEncoder() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
}

// newDecoder returns a decompressor that refuses more than maxChunkSize bytes of output.
func newDecoder() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxChunkSize))
}

// rowReader reads the rows of consecutive chunks and refuses rows that are not valid in a state.
type rowReader struct {
	rows uint64
	last []byte // key
}

// read visits the rows of an uncompressed chunk, which must end where chunker would end it.
func (r *rowReader) read(chunk []byte, isLast bool, visit func(key, value []byte) error) error {
	if !isLast && len(chunk) < ChunkSize || isLast && len(chunk) == 0 && r.rows > 0 {
		return fmt.Errorf("chunk ends too early, at %d bytes", len(chunk))
	}
	for remaining := chunk; len(remaining) > 0; {
		if at := len(chunk) - len(remaining); at >= ChunkSize {
			return fmt.Errorf("chunk continues after its end at %d bytes", at)
		}
		key, afterKey, err := cutField(remaining)
		if err != nil {
			return err
		}
		value, afterValue, err := cutField(afterKey)
		if err != nil {
			return fmt.Errorf("row %x: %w", key, err)
		}
		if err := r.check(key, value); err != nil {
			return fmt.Errorf("row %x: %w", key, err)
		}
		if err := visit(key, value); err != nil {
			return err
		}
		r.rows++
		r.last = append(r.last[:0], key...)
		remaining = afterValue
	}
	return nil
}

// cutField splits off the first field. Its length must be a varint in the shortest form.
func cutField(b []byte) (field, remaining []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || n > 1 && b[n-1] == 0 || size > uint64(len(b)-n) {
		return nil, nil, errors.New("invalid length of a field")
	}
	return b[n : n+int(size)], b[n+int(size):], nil
}

func (r *rowReader) check(key, value []byte) error {
	if _, err := schema.ParseKey(key); err != nil {
		return err
	}
	if bytes.Compare(r.last, key) >= 0 {
		return fmt.Errorf("is not after row %x", r.last)
	}
	return checkValue(value)
}

// checkValue refuses values that cannot be the canonical encoding of a row. The root proves that a value is correct.
func checkValue(value []byte) error {
	if len(value) == 0 {
		return errors.New("the value is empty")
	}
	for last, remaining := protowire.Number(0), value; len(remaining) > 0; {
		number, kind, n := protowire.ConsumeField(remaining)
		switch {
		case n < 0:
			return fmt.Errorf("the value does not decode: %w", protowire.ParseError(n))
		case number < last || kind == protowire.StartGroupType:
			return errors.New("the value is not canonical")
		}
		last, remaining = number, remaining[n:]
	}
	return nil
}
