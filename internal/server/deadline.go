package server

import (
	"io"
	"net/http"
	"time"
)

// withDeadlines bounds how long a client may take to send its request body (Limits.ReadTimeout) and to accept what is written
// (Limits.WriteTimeout, at a minimum rate). The timeouts of http.Server bound the whole request instead, which would end streams.
func withDeadlines(limits Limits, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		// Errors are ignored: every response writer of net/http supports deadlines, and others do no network I/O.
		_ = control.SetWriteDeadline(time.Time{}) // an earlier request on this connection may have left one
		if r.Body != http.NoBody {
			_ = control.SetReadDeadline(time.Now().Add(limits.ReadTimeout))
			r.Body = &deadlineBody{ReadCloser: r.Body, control: control}
		}

		serveWithin(limits.WriteTimeout, writeRateBytes, next, w, r)
	})
}

// serveWithin calls a handler with a writer to which the client has to accept rateBytes in each timeout.
func serveWithin(timeout time.Duration, rateBytes float64, next http.Handler, w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	writer := &deadlineWriter{ResponseWriter: w, timeout: timeout, credit: timeout, rateBytes: rateBytes}
	writer.timer = time.AfterFunc(timeout, func() { _ = control.SetWriteDeadline(time.Now()) })
	writer.timer.Stop()
	defer func() { _ = control.SetWriteDeadline(time.Now().Add(timeout)) }() // for what is flushed after the handler returns
	next.ServeHTTP(writer, r)
}

// withMinimumRate bounds how slowly a client may send its request body and accept the response: transferRateBytes in
// Limits.ReadTimeout and Limits.WriteTimeout. Only the time in which the handler waits for the client counts.
func withMinimumRate(limits Limits, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Time{}) // see withDeadlines
		if r.Body != http.NoBody {
			body := &rateBody{ReadCloser: r.Body, timeout: limits.ReadTimeout, credit: limits.ReadTimeout}
			body.timer = time.AfterFunc(limits.ReadTimeout, func() { _ = control.SetReadDeadline(time.Now()) })
			body.timer.Stop()
			r.Body = body
		}
		serveWithin(limits.WriteTimeout, transferRateBytes, next, w, r)
	})
}

// A rateBody sets a read deadline when a client sends its body too slowly.
type rateBody struct {
	io.ReadCloser
	timeout time.Duration
	credit  time.Duration // how much longer reads may still take than the minimum rate allows
	timer   *time.Timer
}

func (b *rateBody) Read(p []byte) (int, error) {
	start := time.Now()
	b.timer.Reset(b.credit)
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop()
	earned := time.Duration(float64(b.timeout) * float64(n) / transferRateBytes)
	b.credit = min(b.timeout, max(0, b.credit-time.Since(start))+earned)
	return n, err
}

// A deadlineBody removes the read deadline when the body has been read. Over HTTP/1.1 net/http continues to read the
// connection, to detect that the client closed it.
type deadlineBody struct {
	io.ReadCloser
	control *http.ResponseController
	done    bool
}

func (b *deadlineBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && !b.done {
		b.done = true
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// writeRateBytes is the minimum rate at which a client has to accept a response: this many bytes in Limits.WriteTimeout, by
// default 70 kB in a second. A client that is slower may take Limits.WriteTimeout longer in total.
const writeRateBytes = 2 << 20

// transferRateBytes is the same for mounts of Transfer, in both directions: by default 17 kB in a second, so that slow
// connections can transfer large files.
const transferRateBytes = 512 << 10

// A deadlineWriter sets a write deadline when a client accepts a response too slowly. A timer is cheaper than a deadline
// for each write, which over HTTP/2 is set by the connection's own goroutine.
type deadlineWriter struct {
	http.ResponseWriter
	timeout time.Duration
	credit  time.Duration // how much longer writes may still take than the minimum rate allows
	timer   *time.Timer
	// rateBytes is the minimum rate: bytes in each timeout.
	rateBytes float64
}

func (w *deadlineWriter) Write(p []byte) (int, error) {
	start := time.Now()
	allowed := w.credit + time.Duration(float64(w.timeout)*float64(len(p))/w.rateBytes)
	w.timer.Reset(allowed)
	defer func() {
		w.timer.Stop()
		w.credit = min(w.timeout, max(0, allowed-time.Since(start)))
	}()
	return w.ResponseWriter.Write(p)
}

// Flush sends buffered data, as streams require.
func (w *deadlineWriter) Flush() {
	w.timer.Reset(w.timeout)
	defer w.timer.Stop()
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the next write returns the error of a closed connection
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
