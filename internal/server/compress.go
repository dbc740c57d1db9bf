package server

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

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
