package rest

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Clients that lose their stream reconnect after a random time between these two, so that they do not all do so at once.
const (
	minRetry = time.Second
	maxRetry = 3 * time.Second
)

// Clients whose stream was refused connect again after a random time between these two.
const (
	minRefusedRetry = 5 * time.Second
	maxRefusedRetry = 15 * time.Second
)

// streamPaths is the prefix of the paths of event streams.
const streamPaths = "/v1/stream/"

// isTemporary reports whether a request that was refused with a status may succeed later.
func isTemporary(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}

// acceptsEvents reports whether an Accept header names event streams, as that of a browser's EventSource does.
func acceptsEvents(accept string) bool { return strings.Contains(accept, eventsType) }

// writeRetry responds with a stream that ends at once and has only the time after which the client connects again, and the
// reason as a comment.
func writeRetry(w http.ResponseWriter, r *http.Request, reason string) {
	w.Header().Del(retryAfterHeader)
	_ = newEventWriterWithRetry(w, r, minRefusedRetry, maxRefusedRetry).write(": " + reason + "\n\n") // the client may have disconnected
}

// eventsType is the media type of event streams.
const eventsType = "text/event-stream"

// eventWriter writes server-sent events to one client.
type eventWriter struct {
	w       http.ResponseWriter
	flush   func() error
	pending bool   // data was written and not flushed
	seen    uint64 // the last block that a heartbeat named
}

// newEventWriter writes the headers of the response, and the time after which the client reconnects.
func newEventWriter(w http.ResponseWriter, r *http.Request) *eventWriter {
	return newEventWriterWithRetry(w, r, minRetry, maxRetry)
}

// newEventWriterWithRetry is newEventWriter with a random time between two others.
func newEventWriterWithRetry(w http.ResponseWriter, r *http.Request, minimum, maximum time.Duration) *eventWriter {
	header := w.Header()
	header.Set("Content-Type", eventsType)
	header.Set("Cache-Control", noStore)
	header.Set("X-Accel-Buffering", "no") // nginx does not buffer the response
	if r.ProtoMajor == 1 {
		// A stream ends with its connection. Without chunks a page is one write to the connection.
		header.Set("Transfer-Encoding", "identity")
	}
	w.WriteHeader(http.StatusOK)
	e := &eventWriter{w: w, flush: http.NewResponseController(w).Flush}
	retry := minimum + rand.N(maximum-minimum)                                    //nolint:gosec // jitter does not have to be unpredictable
	_ = e.write("retry: " + strconv.FormatInt(retry.Milliseconds(), 10) + "\n\n") // the next write returns the error of a closed connection
	return e
}

// run writes the events of a listener until the listener or the connection fails.
func (e *eventWriter) run(ctx context.Context, l *listener, interval time.Duration) error {
	heartbeat := time.NewTicker(interval)
	defer heartbeat.Stop()
	for {
		page, from, err := l.next(ctx, heartbeat.C)
		switch {
		case err != nil:
		case page == nil:
			err = e.heartbeat(l.cursor)
		default:
			err = e.send(page, from, l)
		}
		if err != nil {
			return err
		}
	}
}

// send writes the events of a page that match the listener's filter. It flushes when no further page is available.
func (e *eventWriter) send(page *eventPage, from uint32, l *listener) error {
	for run := range page.runs(from, l.filter) {
		if _, err := e.w.Write(run); err != nil {
			return err
		}
		e.pending = true
	}
	if !e.pending || l.hasMore() {
		return nil
	}
	e.pending = false
	return e.flush()
}

// heartbeat writes a comment. If blocks have passed, it includes the id of the last one, so that a client whose filter
// matched nothing for a long time does not reconnect at a position that is no longer available.
func (e *eventWriter) heartbeat(cursor eventCursor) error {
	comment := ":\n\n"
	if seen := cursor.block - 1; cursor.index == 0 && seen > e.seen {
		e.seen = seen
		comment = ":\nid: " + blockID(seen) + "\n\n"
	}
	e.pending = false
	return e.write(comment)
}

// fail writes an error event. It has no id, so that the client keeps the last one.
func (e *eventWriter) fail(p *Problem) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return e.write("event: " + errorEvent + "\ndata: " + string(data) + "\n\n")
}

// write writes text and flushes it.
func (e *eventWriter) write(text string) error {
	if _, err := io.WriteString(e.w, text); err != nil {
		return err
	}
	return e.flush()
}
