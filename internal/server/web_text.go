package server

import (
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strings"
)

// The content types of gRPC-web. What may follow is the encoding of messages, such as "+proto".
const (
	webType     = "application/grpc-web"
	webTextType = "application/grpc-web-text"
)

// translateText serves gRPC-web in base64. The original clients of gRPC-web need it for streams: a browser's
// XMLHttpRequest shows them a text while it comes, and binary data only when it has ended. Connect knows the
// binary form alone, so calls are translated on their way.
func translateText(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		encoding, isText := strings.CutPrefix(r.Header.Get("Content-Type"), webTextType)
		if !isText {
			next.ServeHTTP(w, r)
			return
		}
		translated := r.Clone(r.Context())
		translated.Header.Set("Content-Type", webType+encoding)
		translated.Header.Del("Content-Length")
		translated.ContentLength = -1
		translated.Body = &decodedBody{Reader: base64.NewDecoder(base64.StdEncoding, r.Body), Closer: r.Body}
		text := &textWriter{ResponseWriter: w}
		next.ServeHTTP(text, translated)
		_ = text.end() // a client that is gone misses nothing
	})
}

// A decodedBody is the body of a request as it was before it became a text.
type decodedBody struct {
	io.Reader
	io.Closer
}

// A textWriter sends an answer as base64. What is flushed ends with padding, so that clients can read it at once;
// they take the next as a text of its own.
type textWriter struct {
	http.ResponseWriter
	began bool
	rest  []byte // up to two bytes that are no whole group of base64 yet
}

func (w *textWriter) WriteHeader(status int) {
	header := w.Header()
	if encoding, isWeb := strings.CutPrefix(header.Get("Content-Type"), webType); isWeb && !w.began {
		header.Set("Content-Type", webTextType+encoding)
		header.Del("Content-Length")
	}
	w.began = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *textWriter) Write(p []byte) (int, error) {
	if !w.began {
		w.WriteHeader(http.StatusOK)
	}
	all := slices.Concat(w.rest, p)
	whole := len(all) - len(all)%3
	w.rest = append([]byte(nil), all[whole:]...)
	if err := w.send(all[:whole]); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *textWriter) send(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	_, err := io.WriteString(w.ResponseWriter, base64.StdEncoding.EncodeToString(p))
	return err
}

// end sends what is left, with padding.
func (w *textWriter) end() error {
	rest := w.rest
	w.rest = nil
	return w.send(rest)
}

// Flush sends what is buffered, at first the headers. Streams need it.
func (w *textWriter) Flush() {
	if !w.began {
		w.WriteHeader(http.StatusOK)
	}
	_ = w.end()                                              // the next write reports a connection that is gone
	_ = http.NewResponseController(w.ResponseWriter).Flush() // as above
}

// Unwrap gives http.ResponseController the writer below.
func (w *textWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
