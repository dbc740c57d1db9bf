package server

import (
	"io"
	"net/http"
	"time"
)

// bePatient bounds how long a client may take to send its request and to accept each message, and nothing
// else, so that a stream may last. The time-outs of http.Server bound the whole call instead.
func bePatient(limits Limits, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		// Every response writer of net/http has deadlines, and one that has none needs none.
		_ = control.SetWriteDeadline(time.Time{}) // an earlier request on this connection may have left one
		if r.Body != http.NoBody {
			_ = control.SetReadDeadline(time.Now().Add(limits.ReadTimeout))
			r.Body = &patientBody{ReadCloser: r.Body, control: control}
		}

		patient := &patientWriter{ResponseWriter: w, patience: limits.WriteTimeout}
		patient.alarm = time.AfterFunc(limits.WriteTimeout, func() { _ = control.SetWriteDeadline(time.Now()) })
		patient.alarm.Stop()
		defer func() { _ = control.SetWriteDeadline(time.Now().Add(limits.WriteTimeout)) }() // for what is flushed after the call
		next.ServeHTTP(patient, r)
	})
}

// A patientBody lifts the deadline of reading when there is no more to read. Over HTTP/1.1 the connection
// goes on being read, to notice when the client leaves.
type patientBody struct {
	io.ReadCloser
	control *http.ResponseController
	lifted  bool
}

func (b *patientBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && !b.lifted {
		b.lifted = true
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// A patientWriter gives up when one write takes too long. An alarm costs less than a deadline for each
// write, which has to travel to the connection's own goroutine over HTTP/2.
type patientWriter struct {
	http.ResponseWriter
	patience time.Duration
	alarm    *time.Timer
}

func (w *patientWriter) Write(p []byte) (int, error) {
	w.alarm.Reset(w.patience)
	defer w.alarm.Stop()
	return w.ResponseWriter.Write(p)
}

// Flush sends what is buffered. Streams need it.
func (w *patientWriter) Flush() {
	w.alarm.Reset(w.patience)
	defer w.alarm.Stop()
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the next write reports a connection that is gone
}

// Unwrap gives http.ResponseController the writer below.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
