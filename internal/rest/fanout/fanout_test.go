package fanout_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/node/nodetest"
)

//nolint:gochecknoglobals // flags of a test
var (
	clientCount = flag.Int("clients", 20, "number of clients")
	perSecond   = flag.Int("rate", 500, "messages per second")
	seconds     = flag.Int("seconds", 2, "how long to submit")
)

const (
	writers = 10
	// tick is the time between two batches, and maxBatch the maximum size of a batch.
	tick     = 50 * time.Millisecond
	maxBatch = 100
)

// TestFanOut checks that each of many clients receives every event once and in order, and logs the cost.
//
// Rules: P10.7.
func TestFanOut(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("connects many clients to a node")
	}
	n := startNode(t)
	chain := nodetest.Dial(n.line(t, "gRPC "))
	defer chain.Close()
	address := strings.TrimPrefix(n.line(t, "REST "), "http://")
	w := prepare(t, chain)
	from := nodetest.Call(t, chain.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock() + 1

	before := n.residentBytes(t)
	clients := startClients(t, address, *clientCount)
	clients.line(t, "connected")
	idle := n.residentBytes(t)
	start := time.Now()
	sent := w.submit(t, chain)
	took := time.Since(start)
	if _, err := fmt.Fprintln(clients.input, sent); err != nil {
		t.Fatal(err)
	}
	var received summary
	if err := json.Unmarshal([]byte(clients.line(t, "")), &received); err != nil {
		t.Fatal(err)
	}
	busy := n.residentBytes(t)

	if want := digest(t, chain, from, sent); received.Events != sent || received.Digest != want {
		t.Errorf("every client received %d events with digest %x, want %d with %x", received.Events, received.Digest, sent, want)
	}
	rate := float64(sent) / took.Seconds()
	t.Logf("%d clients, %.0f messages/s for %.0f s, %.0f events/s, %.0f MB/s: none lost",
		*clientCount, rate, took.Seconds(), rate*float64(*clientCount), float64(received.Bytes)*float64(*clientCount)/took.Seconds()/1e6)
	t.Logf("from submission to a client: median %s, 99 %% %s, longest %s", received.Median, received.P99, received.Max)
	t.Logf("memory of the node: %d MB before, %d KB per idle client, %d KB per busy client",
		before>>20, (idle-before) / *clientCount >> 10, (busy-before) / *clientCount >> 10)
}
