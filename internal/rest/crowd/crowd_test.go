package crowd_test

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

//nolint:gochecknoglobals // flags of a test are
var (
	crowdSize = flag.Int("crowd", 20, "clients that listen")
	perSecond = flag.Int("rate", 500, "messages to submit in a second")
	seconds   = flag.Int("seconds", 2, "how long to submit")
)

const (
	writers = 10
	// tick is the time between two batches, and maxBatch what one may hold.
	tick     = 50 * time.Millisecond
	maxBatch = 100
)

// TestCrowd has many clients listen to one node while messages commit. Each of them is given every event once and in
// order. It logs what that costs.
//
// Rules: P10.7.
func TestCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("connects many clients to a node")
	}
	t.Parallel()
	n := startNode(t)
	chain := nodetest.Dial(n.line(t, "gRPC "))
	defer chain.Close()
	address := strings.TrimPrefix(n.line(t, "REST "), "http://")
	w := prepare(t, chain)
	from := nodetest.Call(t, chain.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock() + 1

	before := n.residentBytes(t)
	clients := startCrowd(t, address, *crowdSize)
	clients.line(t, "connected")
	idle := n.residentBytes(t)
	begin := time.Now()
	sent := w.submit(t, chain)
	took := time.Since(begin)
	if _, err := fmt.Fprintln(clients.input, sent); err != nil {
		t.Fatal(err)
	}
	var saw summary
	if err := json.Unmarshal([]byte(clients.line(t, "")), &saw); err != nil {
		t.Fatal(err)
	}
	busy := n.residentBytes(t)

	if want := digest(t, chain, from, sent); saw.Events != sent || saw.Digest != want {
		t.Errorf("every client saw %d events with digest %x, want %d with %x", saw.Events, saw.Digest, sent, want)
	}
	rate := float64(sent) / took.Seconds()
	t.Logf("%d clients, %.0f messages/s for %.0f s, %.0f events/s, %.0f MB/s: no client lost one",
		*crowdSize, rate, took.Seconds(), rate*float64(*crowdSize), float64(saw.Bytes)*float64(*crowdSize)/took.Seconds()/1e6)
	t.Logf("from submission to a client: median %s, 99 %% %s, longest %s", saw.Median, saw.P99, saw.Max)
	t.Logf("memory of the node: %d MB before, %d KB a client idle, %d KB a client busy",
		before>>20, (idle-before) / *crowdSize >> 10, (busy-before) / *crowdSize >> 10)
}
