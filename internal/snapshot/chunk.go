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
	// ChunkSize is where a chunk ends: with the first row that takes its uncompressed rows to this many bytes. A chunk
	// travels in one message of the consensus engine, which takes 16 MB.
	ChunkSize = 1 << 20
	// maxRowSize bounds a row with its lengths. A row says no more than the message that wrote it, and that has at
	// most 1 MiB (P2.8).
	maxRowSize = 1<<20 + 4<<10
	// maxChunkSize bounds the uncompressed rows of a chunk, and so what a bad one can make its receiver hold.
	maxChunkSize = ChunkSize + maxRowSize
)

// cutter cuts rows into chunks. A row is the length of its key, the key, the length of its value and the value.
type cutter struct {
	rows   uint64
	chunks int
	buffer []byte
	write  func(chunk []byte) error
}

func (c *cutter) add(key, value []byte) error {
	c.rows++
	c.buffer = appendRow(c.buffer, key, value)
	if len(c.buffer) < ChunkSize {
		return nil
	}
	return c.cut()
}

// finish writes what is left. A state without rows has one chunk without rows, because the engine knows no snapshot
// without chunks.
func (c *cutter) finish() error {
	if len(c.buffer) == 0 && c.chunks > 0 {
		return nil
	}
	return c.cut()
}

func (c *cutter) cut() error {
	if len(c.buffer) > maxChunkSize {
		return fmt.Errorf("a chunk of %d bytes, the most is %d", len(c.buffer), maxChunkSize)
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

// newEncoder makes a compressor whose output depends on its input alone.
func newEncoder() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
}

// newDecoder makes a decompressor that stops at the size of the largest chunk.
func newDecoder() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxChunkSize))
}

// rowReader reads the rows of chunks one after another, and refuses rows that no state has.
type rowReader struct {
	rows uint64
	last []byte // key
}

// read visits the rows of an uncompressed chunk, which must be cut where the rule says.
func (r *rowReader) read(chunk []byte, isLast bool, visit func(key, value []byte) error) error {
	if !isLast && len(chunk) < ChunkSize || isLast && len(chunk) == 0 && r.rows > 0 {
		return fmt.Errorf("chunk ends early, at %d bytes", len(chunk))
	}
	for rest := chunk; len(rest) > 0; {
		if at := len(chunk) - len(rest); at >= ChunkSize {
			return fmt.Errorf("chunk goes on behind its end at %d bytes", at)
		}
		key, behindKey, err := cutField(rest)
		if err != nil {
			return err
		}
		value, behindValue, err := cutField(behindKey)
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
		rest = behindValue
	}
	return nil
}

// cutField takes a field with its length, in the shortest form, off the front.
func cutField(b []byte) (field, rest []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || n > 1 && b[n-1] == 0 || size > uint64(len(b)-n) {
		return nil, nil, errors.New("a length is cut short or wrong")
	}
	return b[n : n+int(size)], b[n+int(size):], nil
}

func (r *rowReader) check(key, value []byte) error {
	if _, err := schema.ParseKey(key); err != nil {
		return err
	}
	if bytes.Compare(r.last, key) >= 0 {
		return fmt.Errorf("comes after row %x", r.last)
	}
	return checkValue(value)
}

// checkValue refuses what is surely no canonical value of a row. That the value is the right one, the root decides.
func checkValue(value []byte) error {
	if len(value) == 0 {
		return errors.New("the value is empty")
	}
	for last, rest := protowire.Number(0), value; len(rest) > 0; {
		number, kind, n := protowire.ConsumeField(rest)
		switch {
		case n < 0:
			return fmt.Errorf("the value does not decode: %w", protowire.ParseError(n))
		case number < last || kind == protowire.StartGroupType:
			return errors.New("the value is not canonical")
		}
		last, rest = number, rest[n:]
	}
	return nil
}
