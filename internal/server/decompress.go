package server

import (
	"errors"
	"fmt"
	"io"

	"connectrpc.com/connect"
	"github.com/klauspost/compress/gzip"
)

var errTrailingData = connect.NewError(connect.CodeInvalidArgument, errors.New("data follows the compressed message"))

// A decompressor decompresses the messages of requests, up to a limit. Connect has a limit of its own, but decompresses the
// rest of a message that exceeds it, to name its size.
type decompressor struct {
	limit int
	gzip  gzip.Reader

	// Of the current message:
	compressed io.Reader
	read       int
}

// Reset starts with a new message.
func (d *decompressor) Reset(compressed io.Reader) error {
	d.compressed, d.read = compressed, 0
	err := d.gzip.Reset(compressed)
	d.gzip.Multistream(false) // a message is one gzip stream; a million empty ones would be slow
	return err
}

// Read returns an error when a message exceeds the limit.
func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.gzip.Read(p[:min(len(p), d.limit-d.read+1)])
	d.read += n
	if d.read > d.limit {
		d.read = d.limit // a further Read gets one byte more
		return n, connect.NewError(connect.CodeResourceExhausted, fmt.Errorf("the request has more than %d bytes after decompression", d.limit))
	}
	if rest, ok := d.compressed.(interface{ Len() int }); ok && errors.Is(err, io.EOF) && rest.Len() > 0 {
		return n, errTrailingData
	}
	return n, err
}

// Close releases nothing: the decompressor is reused.
func (d *decompressor) Close() error { return d.gzip.Close() }
