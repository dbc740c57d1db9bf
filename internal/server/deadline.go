package server

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// withDeadlines bounds how long a client may take to send its request body (Limits.ReadTimeout) and to accept what is written
// (Limits.WriteTimeout, at a minimum rate). The timeouts of http.Server bound the whole request instead, which would end streams.
func withDeadlines(limits Limits, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d := newDeadlines(w)
		if r.Body != http.NoBody {
			_ = d.SetReadDeadline(time.Now().Add(limits.ReadTimeout))
			r.Body = &deadlineBody{ReadCloser: r.Body, deadlines: d}
		}
		d.serve(limits.WriteTimeout, writeRateBytes, next, w, r)
	})
}

// withMinimumRate bounds how slowly a client may send its request body and accept the response: transferRateBytes in
// Limits.ReadTimeout and Limits.WriteTimeout. Only the time in which the handler waits for the client counts.
func withMinimumRate(limits Limits, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d := newDeadlines(w)
		if r.Body != http.NoBody {
			body := &rateBody{ReadCloser: r.Body, timeout: limits.ReadTimeout, credit: limits.ReadTimeout}
			body.timer = time.AfterFunc(limits.ReadTimeout, func() { _ = d.SetReadDeadline(time.Now()) })
			body.timer.Stop()
			r.Body = body
		}
		d.serve(limits.WriteTimeout, transferRateBytes, next, w, r)
	})
}

var errReturned = errors.New("the handler of the request has returned")

// deadlines sets the deadlines of a request until its handler has returned. Timers set them in goroutines of their own, and
// transports that pass a body on read it in others, but net/http reuses what belongs to a response writer when the handler
// has returned: a late call would panic, or end another request.
//
// Callers ignore the errors: every response writer of net/http supports deadlines, and others do no network I/O.
type deadlines struct {
	mu       sync.Mutex
	control  *http.ResponseController // guarded by mu
	returned bool                     // guarded by mu
}

func newDeadlines(w http.ResponseWriter) *deadlines {
	d := &deadlines{control: http.NewResponseController(w)}
	_ = d.SetWriteDeadline(time.Time{}) // an earlier request on this connection may have left one
	return d
}

// SetReadDeadline sets the deadline for reads of the request body. The zero time removes it.
func (d *deadlines) SetReadDeadline(deadline time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.returned {
		return errReturned
	}
	return d.control.SetReadDeadline(deadline)
}

// SetWriteDeadline sets the deadline for writes of the response. The zero time removes it.
func (d *deadlines) SetWriteDeadline(deadline time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.returned {
		return errReturned
	}
	return d.control.SetWriteDeadline(deadline)
}

// serve calls a handler with a writer to which the client has to accept rateBytes in each timeout.
func (d *deadlines) serve(timeout time.Duration, rateBytes float64, next http.Handler, w http.ResponseWriter, r *http.Request) {
	writer := &deadlineWriter{ResponseWriter: w, deadlines: d, timeout: timeout, credit: timeout, rateBytes: rateBytes}
	writer.timer = time.AfterFunc(timeout, func() { _ = d.SetWriteDeadline(time.Now()) })
	writer.timer.Stop()
	defer d.end(timeout)
	next.ServeHTTP(writer, r)
}

// end leaves a write deadline for what is flushed after the handler has returned, and makes later calls fail.
func (d *deadlines) end(timeout time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.returned = true
	_ = d.control.SetWriteDeadline(time.Now().Add(timeout))
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
	deadlines *deadlines
	done      bool
}

func (b *deadlineBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && !b.done {
		b.done = true
		_ = b.deadlines.SetReadDeadline(time.Time{})
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
// for each write, which over HTTP/2 is set by the connection's own goroutine. Handlers may set deadlines of their own in any
// goroutine.
type deadlineWriter struct {
	http.ResponseWriter
	*deadlines
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
