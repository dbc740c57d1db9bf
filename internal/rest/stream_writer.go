package rest

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Clients that lost their stream come back after a time between these two, so that not all of them come at once.
const (
	leastRetry = time.Second
	mostRetry  = 3 * time.Second
)

// eventWriter writes server-sent events to one client.
type eventWriter struct {
	w       http.ResponseWriter
	flush   func() error
	pending bool   // something was written and not flushed
	seen    uint64 // the last block that a sign of life named
}

// newEventWriter begins the answer, and tells the client when to come back if it loses the stream.
func newEventWriter(w http.ResponseWriter, r *http.Request) *eventWriter {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", noStore)
	header.Set("X-Accel-Buffering", "no") // nginx passes events on as they come
	if r.ProtoMajor == 1 {
		// A stream ends with its connection. Without chunks a page goes to the connection as it is, in one write.
		header.Set("Transfer-Encoding", "identity")
	}
	w.WriteHeader(http.StatusOK)
	e := &eventWriter{w: w, flush: http.NewResponseController(w).Flush}
	after := leastRetry + rand.N(mostRetry-leastRetry)                          //nolint:gosec // nobody gains by guessing it
	_ = e.say("retry: " + strconv.FormatInt(after.Milliseconds(), 10) + "\n\n") // a client that is gone shows at the next write
	return e
}

// follow writes what a listener is given, until either side ends.
func (e *eventWriter) follow(ctx context.Context, l *listener, heartbeat time.Duration) error {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		page, from, err := l.next(ctx, beat.C)
		switch {
		case err != nil:
		case page == nil:
			err = e.beat(l.cursor)
		default:
			err = e.send(page, from, l)
		}
		if err != nil {
			return err
		}
	}
}

// send writes what a listener wants of a page. It waits with the flush while there is more.
func (e *eventWriter) send(page *eventPage, from uint32, l *listener) error {
	for run := range page.runs(from, l.filter) {
		if _, err := e.w.Write(run); err != nil {
			return err
		}
		e.pending = true
	}
	if !e.pending || l.isLate() {
		return nil
	}
	e.pending = false
	return e.flush()
}

// beat writes a sign of life. A client that has seen nothing for long, because its filter took nothing, learns how far
// it has come; otherwise it would come back to a position that may no longer be kept.
func (e *eventWriter) beat(cursor eventCursor) error {
	comment := ":\n\n"
	if seen := cursor.block - 1; cursor.index == 0 && seen > e.seen {
		e.seen = seen
		comment = ":\nid: " + blockID(seen) + "\n\n"
	}
	e.pending = false
	return e.say(comment)
}

// fail ends a stream with a problem. It has no id, so that the client keeps the one it has.
func (e *eventWriter) fail(p *Problem) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return e.say("event: " + errorEvent + "\ndata: " + string(data) + "\n\n")
}

func (e *eventWriter) say(text string) error {
	if _, err := io.WriteString(e.w, text); err != nil {
		return err
	}
	return e.flush()
}
