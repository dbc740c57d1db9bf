package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"makechain/internal/jsonform"
)

const (
	messagesPath = "/v1/stream/messages"
	blocksPath   = "/v1/stream/blocks"
)

// TestStreamStart checks the headers that proxies and browsers need, and that a stream without a position has no past events.
//
// Rules: REST, P10.7.
func TestStreamStart(t *testing.T) {
	t.Parallel()
	s := serveStreams(t, StreamLimits{})
	cast := streamCast(t, 4)
	s.commitSigned(cast[:2]...)
	answer := s.open(t, messagesPath, "")
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	messages, blocks := s.listen(t, messagesPath, ""), s.listen(t, blocksPath, "")
	s.commitSigned(cast[2:]...)
	for i, id := range []string{"2-0", "2-1"} {
		s.wantEvent(t, messages.read(), "message", id, s.blocks[1].GetExecutionPayload().GetAccountMessages()[i])
	}
	s.wantEvent(t, blocks.read(), "block", "2", s.blocks[1])
}

func (s *liveStreams) wantEvent(t *testing.T, got sentEvent, name, id string, data proto.Message) {
	t.Helper()
	want, err := jsonform.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.name != name || got.id != id || got.data != string(want) {
		t.Errorf("event %v, want %s %s %s", got, name, id, want)
	}
}

// TestStreamResumes checks that a stream continues after a position, given as a header or a parameter; the header takes
// precedence.
//
// Rules: REST, P10.7.
func TestStreamResumes(t *testing.T) {
	t.Parallel()
	for _, ring := range []int{1, 100} {
		s := serveStreams(t, StreamLimits{RingBlocks: ring})
		cast := streamCast(t, 6)
		s.commitSigned(cast[:3]...)
		s.commitSigned()
		s.commitSigned(cast[3:]...)
		for _, test := range []struct{ path, position, want string }{
			{messagesPath + "?from=0", "", "1-0 1-1 1-2 3-0 3-1 3-2"},
			{messagesPath + "?from=0-0", "", "1-0 1-1 1-2 3-0 3-1 3-2"},
			{messagesPath + "?from=1-1", "", "1-2 3-0 3-1 3-2"},
			{messagesPath, "1-1", "1-2 3-0 3-1 3-2"},
			{messagesPath + "?from=0", "1-1", "1-2 3-0 3-1 3-2"},
			{messagesPath, "1-2", "3-0 3-1 3-2"},
			{messagesPath, "1-77", "3-0 3-1 3-2"},
			{messagesPath, "1", "3-0 3-1 3-2"},
			{messagesPath, "2", "3-0 3-1 3-2"},
			{messagesPath, "3-1", "3-2"},
			{messagesPath + "?types=fork", "1-0", "3-0"},
			{blocksPath + "?from=0", "", "1 2 3"},
			{blocksPath, "2", "3"},
		} {
			s.listen(t, test.path, test.position).want(strings.Fields(test.want)...)
		}
		caughtUp := s.listen(t, messagesPath, "3-2")
		s.commitSigned(cast[0])
		caughtUp.want("4-0")
	}
}

// TestBadStreams checks that an invalid position or filter is rejected with its location before the stream starts.
//
// Rules: REST.
func TestBadStreams(t *testing.T) {
	t.Parallel()
	s := serveStreams(t, StreamLimits{})
	s.commitSigned(streamCast(t, 1)...)
	for _, test := range []struct {
		query, position string
		status          int
		location        string
	}{
		{"?from=x", "", 422, "query.from"},
		{"?from=1-", "", 422, "query.from"},
		{"?from=-1", "", 422, "query.from"},
		{"?from=1-2-3", "", 422, "query.from"},
		{"?from=01", "", 422, "query.from"},
		{"?from=18446744073709551615", "", 422, "query.from"},
		{"?from=1-4294967295", "", 422, "query.from"},
		{"", "1 ", 200, ""}, // spaces around the value of a header are not part of it
		{"", "abc", 422, "header.Last-Event-ID"},
		{"?from=2", "", 400, ""},
		{"?from=2-0", "", 400, ""},
		{"", "999", 400, ""},
		{"?types=nothing", "", 422, "query.types[0]"},
		{"?project_id=12", "", 422, "query.project_id"},
		{"?owner_address=0xzz", "", 422, "query.owner_address"},
		{"?what=1", "", 422, "query.what"},
	} {
		answer := s.open(t, messagesPath+test.query, test.position)
		if answer.StatusCode != test.status {
			t.Errorf("%s %s: %s, want %d", test.query, test.position, answer.Status, test.status)
		}
		if test.status == http.StatusOK {
			continue
		}
		var problem Problem
		if err := json.NewDecoder(answer.Body).Decode(&problem); err != nil || problem.Status != test.status {
			t.Errorf("%s %s: %v, %v", test.query, test.position, problem, err)
		}
		if test.location != "" && (len(problem.Errors) != 1 || problem.Errors[0].Location != test.location) {
			t.Errorf("%s %s: errors %v, want one at %s", test.query, test.position, problem.Errors, test.location)
		}
	}
}

// TestPrunedPosition checks that a stream from a pruned position ends with an error event.
//
// Rules: REST, P10.7.
func TestPrunedPosition(t *testing.T) {
	t.Parallel()
	s := serveStreams(t, StreamLimits{RingBlocks: 1})
	for _, m := range streamCast(t, 5) {
		s.commitSigned(m)
	}
	s.prune(4)
	r := s.listen(t, messagesPath, "1-0")
	event := r.read()
	var problem Problem
	if err := json.Unmarshal([]byte(event.data), &problem); err != nil {
		t.Fatal(err)
	}
	if event.name != "error" || event.id != "" || problem.Code != "out_of_range" || problem.Status != http.StatusBadRequest {
		t.Errorf("event %v", event)
	}
	if _, err := r.tryRead(); !errors.Is(err, io.EOF) {
		t.Errorf("after the error there is %v", err)
	}
	s.listen(t, messagesPath, "3").want("4-0", "5-0")
}

// TestHeartbeat checks that heartbeats are sent, with the position of a client whose filter matches nothing.
//
// Rules: REST.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	s := serveStreams(t, StreamLimits{Heartbeat: 5 * time.Millisecond})
	s.commitSigned(streamCast(t, 3)...)
	quiet := s.listen(t, messagesPath+"?types=username_create", "0")
	for event := quiet.read(); event.id != "1"; event = quiet.read() {
		if event != (sentEvent{}) {
			t.Fatalf("event %v, want comments", event)
		}
	}
	s.commitSigned()
	for event := quiet.read(); event.id != "2"; event = quiet.read() {
		if event != (sentEvent{}) {
			t.Fatalf("event %v, want comments", event)
		}
	}
}

// TestUpstreamRestarts checks that clients of the gateway are not affected when the connection to the node breaks.
//
// Rules: REST, P10.7.
func TestUpstreamRestarts(t *testing.T) {
	t.Parallel()
	s := serveStreams(t, StreamLimits{RingBlocks: 3})
	cast := streamCast(t, 20)
	r := s.listen(t, messagesPath, "")
	for i, m := range cast {
		s.commitSigned(m)
		switch i % 5 {
		case 1:
			s.breakOff(false) // the stream ends
		case 2:
			s.node.CloseClientConnections() // the network does
		case 3:
			s.breakOff(true) // the node is down, and comes back
			s.commitSigned()
			s.breakOff(false)
		}
	}
	for i := range cast {
		number := i + 1 + (i+1)/5 // an empty block after every fourth of five
		r.want(fmt.Sprintf("%d-0", number))
	}
}

// TestUpstreamDown checks that a stream is refused while the node is down, and that the next one starts when it is back.
//
// Rules: REST.
func TestUpstreamDown(t *testing.T) {
	t.Parallel()
	s := serveStreams(t, StreamLimits{})
	s.breakOff(true)
	if answer := s.open(t, messagesPath, ""); answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" {
		t.Errorf("%s, want 503 with the time to come back", answer.Status)
	}
	s.wantRetry(t, "") // the reason is that of the connection
	s.breakOff(false)
	r := s.listen(t, messagesPath, "")
	s.commitSigned(streamCast(t, 1)...)
	r.want("1-0")
}

// TestTooManyStreams checks that streams beyond the limit are refused until another one ends.
//
// Rules: REST.
func TestTooManyStreams(t *testing.T) {
	t.Parallel()
	s := serveStreams(t, StreamLimits{MaxStreams: 2})
	first := s.listen(t, messagesPath, "")
	s.listen(t, blocksPath, "")
	answer := s.open(t, messagesPath, "")
	var problem Problem
	if err := json.NewDecoder(answer.Body).Decode(&problem); err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusServiceUnavailable || problem.Code != "unavailable" || answer.Header.Get("Retry-After") == "" {
		t.Errorf("%s: %v", answer.Status, problem)
	}
	s.wantRetry(t, "too many event streams are open")
	if err := first.body.Close(); err != nil {
		t.Fatal(err)
	}
	for { // until the gateway has detected it
		if answer := s.open(t, messagesPath, ""); answer.StatusCode == http.StatusOK {
			break
		}
	}
}

// wantRetry checks that a browser's EventSource receives a stream that ends at once, because it does not connect again after
// an error.
func (s *liveStreams) wantRetry(t *testing.T, reason string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL+messagesPath, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", eventsType)
	answer, err := s.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var retry int
	_, err = fmt.Sscanf(string(body), "retry: %d\n\n: ", &retry)
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != eventsType || err != nil ||
		retry < int(minRefusedRetry.Milliseconds()) || !strings.Contains(string(body), reason) {
		t.Errorf("%s %q: %v", answer.Status, body, err)
	}
}

// TestStreamsOfClient checks that one address cannot take all streams.
//
// Rules: REST.
func TestStreamsOfClient(t *testing.T) {
	t.Parallel()
	s := serveStreams(t, StreamLimits{MaxStreams: 4, MaxClientStreams: 2})
	s.address.Store("203.0.113.7")
	s.listen(t, messagesPath, "")
	s.listen(t, blocksPath, "")
	answer := s.open(t, messagesPath, "")
	var problem Problem
	if err := json.NewDecoder(answer.Body).Decode(&problem); err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusTooManyRequests || problem.Code != "resource_exhausted" || answer.Header.Get("Retry-After") == "" {
		t.Errorf("%s: %v", answer.Status, problem)
	}
	s.wantRetry(t, "from this address")
	s.address.Store("203.0.113.8")
	s.listen(t, messagesPath, "")
}

// TestOneSubscription checks that all streams share one subscription to the node, which ends with the last stream.
func TestOneSubscription(t *testing.T) {
	t.Parallel()
	s := serveStreams(t, StreamLimits{})
	cast := streamCast(t, 3)
	s.commitSigned(cast[0])
	readers := make([]*eventReader, 20)
	for i := range readers {
		readers[i] = s.listen(t, messagesPath, "0")
	}
	s.commitSigned(cast[1:]...)
	for _, r := range readers {
		r.want("1-0", "2-0", "2-1")
	}
	if got := s.subscriptions(); got != 1 {
		t.Errorf("the node has %d subscriptions, want 1", got)
	}
	for _, r := range readers {
		if err := r.body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for s.subscribed() > 0 { // until the gateway has detected it
		runtime.Gosched()
	}
}

// TestSlowClient checks that a client that does not read does not delay others, and that it receives all events later although
// they are no longer in memory.
//
// Rules: P10.7.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	const blocks = 10
	s := serveStreams(t, StreamLimits{RingBlocks: 2})
	cast := streamCast(t, 5)
	quick := s.listen(t, messagesPath, "")
	s.client = &http.Client{Transport: pipeTransport{s.gateway.Handler()}} // which buffers nothing that the client does not read
	slow := s.listen(t, messagesPath, "")
	for i := range blocks {
		s.commitSigned(cast...)
		for j := range cast {
			quick.want(messageID(uint64(i)+1, uint32(j)))
		}
	}
	for i := range blocks {
		for j := range cast {
			slow.want(messageID(uint64(i)+1, uint32(j)))
		}
	}
	if s.subscriptions() < 2 {
		t.Error("the slow client never fell behind")
	}
}

// TestStreamsEnd checks that open streams end and new ones are refused when the gateway closes.
//
// Rules: REST.
func TestStreamsEnd(t *testing.T) {
	t.Parallel()
	s := serveStreams(t, StreamLimits{})
	r := s.listen(t, blocksPath, "")
	if err := s.gateway.Close(); err != nil {
		t.Fatal(err)
	}
	if event, err := r.tryRead(); !errors.Is(err, io.EOF) {
		t.Errorf("event %v, %v, want the end", event, err)
	}
	if answer := s.open(t, blocksPath, ""); answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%s, want 503", answer.Status)
	}
}

// TestStreamHead checks that HEAD returns the headers of a stream and ends.
func TestStreamHead(t *testing.T) {
	t.Parallel()
	s := serveStreams(t, StreamLimits{})
	answer, err := s.server.Client().Head(s.server.URL + messagesPath) //nolint:noctx // it ends at once
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%v, %v", answer.Header, err)
	}
}
