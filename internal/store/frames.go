package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// frameBytes is the maximum size of the data of a frame.
const frameBytes = 1 << 20

// frameHead is the size of the length and checksum before the data of a frame.
const frameHead = 8

// errFrame is returned for data that was damaged or is not complete.
var errFrame = errors.New("damaged or truncated file")

// frameWriter writes data as frames: length, checksum of the frame's number and data, data. A frame without data is the last.
type frameWriter struct {
	w      io.Writer
	number uint64
	buf    []byte // the head and the data of the next frame
}

func newFrameWriter(w io.Writer) *frameWriter {
	return &frameWriter{w: w, buf: make([]byte, frameHead, frameHead+frameBytes)}
}

func (f *frameWriter) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		n := min(len(p), cap(f.buf)-len(f.buf))
		f.buf, p = append(f.buf, p[:n]...), p[n:]
		if len(f.buf) == cap(f.buf) {
			if err := f.flush(); err != nil {
				return 0, err
			}
		}
	}
	return written, nil
}

// Close writes the last frames. It does not close the writer below.
func (f *frameWriter) Close() error {
	if len(f.buf) > frameHead {
		if err := f.flush(); err != nil {
			return err
		}
	}
	return f.flush()
}

func (f *frameWriter) flush() error {
	data := f.buf[frameHead:]
	binary.BigEndian.PutUint32(f.buf, uint32(len(data)))
	binary.BigEndian.PutUint32(f.buf[4:], frameChecksum(f.number, data))
	_, err := f.w.Write(f.buf)
	f.number, f.buf = f.number+1, f.buf[:frameHead]
	return err
}

func frameChecksum(number uint64, data []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(binary.BigEndian.AppendUint64(nil, number), table), table, data)
}

// frameReader returns the data of frames. It returns no data that was damaged, and io.EOF only after the last frame.
type frameReader struct {
	r      io.Reader
	number uint64
	buf    []byte
	left   []byte // data that was not returned yet
	err    error
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{r: r, buf: make([]byte, frameBytes)}
}

func (f *frameReader) Read(p []byte) (int, error) {
	if len(f.left) == 0 && f.err == nil {
		f.err = f.next()
	}
	n := copy(p, f.left)
	f.left = f.left[n:]
	if n > 0 {
		return n, nil
	}
	return 0, f.err
}

func (f *frameReader) next() error {
	var head [frameHead]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return fmt.Errorf("%w: frame %d: %w", errFrame, f.number, noEOF(err))
	}
	length := binary.BigEndian.Uint32(head[:])
	if length > frameBytes {
		return fmt.Errorf("%w: frame %d has %d bytes", errFrame, f.number, length)
	}
	data := f.buf[:length]
	if _, err := io.ReadFull(f.r, data); err != nil {
		return fmt.Errorf("%w: frame %d: %w", errFrame, f.number, noEOF(err))
	}
	if frameChecksum(f.number, data) != binary.BigEndian.Uint32(head[4:]) {
		return fmt.Errorf("%w: frame %d has a wrong checksum", errFrame, f.number)
	}
	f.number++
	if length == 0 {
		return io.EOF
	}
	f.left = data
	return nil
}

// noEOF replaces io.EOF, which would mean that the data is complete.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
