package server

import (
	"io"
	"net/http"

	"connectrpc.com/connect"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// minCompressedBytes is the size below which compression costs more than it saves.
const minCompressedBytes = 1 << 10

// compressCalls sends answers to calls as gzip to clients that take it. Half of most answers is hashes and signatures,
// which do not get smaller however long one tries, and trying hard took longer than finding the answer.
func compressCalls() connect.HandlerOption {
	return connect.WithHandlerOptions(
		connect.WithCompressMinBytes(minCompressedBytes),
		connect.WithCompression("gzip",
			func() connect.Decompressor { return new(gzip.Reader) },
			func() connect.Compressor {
				writer, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
				if err != nil {
					return gzip.NewWriter(io.Discard) // a level that does not exist
				}
				return writer
			},
		),
	)
}

// Compress sends answers as gzip to clients that take it, when they are large enough and of a kind that gets smaller.
//
// It holds back the headers of an answer until there is some of its body, so it is not for event streams.
func Compress(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressedBytes), gzhttp.EnableZstd(false), gzhttp.SetContentType(false),
		gzhttp.ContentTypes([]string{
			"application/json", "application/problem+json", "application/openapi+json", "application/openapi+yaml",
			"application/yaml", "text/css", "text/html", "text/javascript",
		}))
	if err != nil {
		return nil, err
	}
	return wrap(next), nil
}
