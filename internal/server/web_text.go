package server

import (
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strings"
)

// The content types of gRPC-web. The encoding of messages may follow, such as "+proto".
const (
	webType     = "application/grpc-web"
	webTextType = "application/grpc-web-text"
)

// translateText serves gRPC-web in base64 by translating it to and from the binary format, the only one that Connect
// supports. The original gRPC-web clients need it for streams: a browser's XMLHttpRequest makes text available while it
// arrives, and binary data only at the end.
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
		_ = text.flushPending() // the client may have disconnected
	})
}

// A decodedBody is the binary body of a request in base64.
type decodedBody struct {
	io.Reader
	io.Closer
}

// A textWriter writes a response in base64. Flushed data ends with padding, so that clients can decode it at once; they
// decode the data after it separately.
type textWriter struct {
	http.ResponseWriter
	wroteHeader bool
	pending     []byte // up to two bytes that do not fill a group of base64
}

func (w *textWriter) WriteHeader(status int) {
	header := w.Header()
	if encoding, isWeb := strings.CutPrefix(header.Get("Content-Type"), webType); isWeb && !w.wroteHeader {
		header.Set("Content-Type", webTextType+encoding)
		header.Del("Content-Length")
	}
	w.wroteHeader = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *textWriter) Write(p []byte) (int, error) {
	if !w.wroteHeader {
		w.WriteHeader(http.StatusOK)
	}
	all := slices.Concat(w.pending, p)
	whole := len(all) - len(all)%3
	w.pending = append([]byte(nil), all[whole:]...)
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

// flushPending sends the pending bytes with padding.
func (w *textWriter) flushPending() error {
	pending := w.pending
	w.pending = nil
	return w.send(pending)
}

// Flush sends the headers and buffered data, as streams require.
func (w *textWriter) Flush() {
	if !w.wroteHeader {
		w.WriteHeader(http.StatusOK)
	}
	_ = w.flushPending()                                     // the next write returns the error of a closed connection
	_ = http.NewResponseController(w.ResponseWriter).Flush() // as above
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *textWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
