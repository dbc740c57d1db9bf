package server

import (
	"io"
	"net/http"

	"connectrpc.com/connect"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// minCompressedBytes is the size below which responses are not compressed.
const minCompressedBytes = 1 << 10

// compressCalls compresses responses with gzip for clients that accept it, at the fastest level: half of most responses
// are hashes and signatures, which do not compress, and higher levels took longer than computing the response. Requests are
// decompressed up to a limit.
func compressCalls(maxRequestBytes int) connect.HandlerOption {
	return connect.WithHandlerOptions(
		connect.WithCompressMinBytes(minCompressedBytes),
		connect.WithCompression("gzip",
			func() connect.Decompressor { return &decompressor{limit: maxRequestBytes} },
			func() connect.Compressor {
				writer, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
				if err != nil {
					return gzip.NewWriter(io.Discard) // the level is valid, so this is not reached
				}
				return writer
			},
		),
	)
}

// Compress compresses large text responses with gzip for clients that accept it.
//
// It buffers the headers of a response until part of the body is written, so it must not wrap event streams.
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
