package nodeload_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"flag"
	"os/exec"
	"testing"
	"time"

	"connectrpc.com/connect"

	"makechain/bench/loadtest"
	"makechain/bench/process"
	pb "makechain/gen/makechain"
	"makechain/internal/node/nodetest"
	"makechain/internal/testnet"
)

// Size of the chain that followers join.
var (
	rows    = flag.Uint64("rows", 1_000_000, "rows of the state, most of them from few large messages")
	written = flag.Duration("written", time.Minute, "how long ordinary messages are then sent, as fast as they commit")
)

const (
	joinAccounts, joinProjects, joinBatch = 200, 2, 100
	// joinTimeout is far more than a follower needs.
	joinTimeout = 30 * time.Minute
	// joinPoll is the time between two status calls.
	joinPoll = 20 * time.Millisecond
)

// BenchmarkJoin restarts the only validator of a chain, and then measures how long new followers take to reach its end: one by
// block sync, another by state sync. All run on one machine, where the validator does nothing but serve them. The replay rate is
// that of the ordinary messages only, which are the last ones.
func BenchmarkJoin(b *testing.B) {
	net, err := testnet.Init(testnet.Options{Dir: b.TempDir(), Validators: 1, Followers: 2})
	if err != nil {
		b.Fatal(err)
	}
	c := &joined{program: buildProgram(b), validator: &net.Nodes[0]}
	writing := c.launch(b, c.validator, "--snapshot-every", "0")
	c.Client = writing.MustServe(b)
	c.write(b)
	writing.Stop(b)

	b.ResetTimer()
	start := time.Now()
	c.Client = c.launch(b, c.validator, "--snapshot-every", "1").MustServe(b)
	restarted := time.Since(start)
	c.takeSnapshot(b)
	executed := c.join(b, &net.Nodes[1])
	first := nodetest.Call(b, c.GetBlock, &pb.GetBlockRequest{BlockNumber: 1}).GetBlock()
	trust := "1:" + hex.EncodeToString(first.GetHash())
	taken := c.join(b, &net.Nodes[2], "--state-sync", c.validator.GRPC+","+c.validator.GRPC, "--trust", trust)
	b.StopTimer()

	b.ReportMetric(float64(c.end.GetStateEntries()), "rows")
	b.ReportMetric(float64(c.end.GetTotalMessages()-c.filled.GetTotalMessages()), "messages")
	b.ReportMetric(restarted.Seconds(), "restart-s")
	b.ReportMetric(executed.total().Seconds(), "block-sync-s")
	b.ReportMetric(executed.cpu, "block-sync-cpu-s")
	b.ReportMetric(float64(c.end.GetTotalMessages()-executed.atFilled)/executed.end.Sub(executed.filled).Seconds(), "replayed/s")
	b.ReportMetric(taken.total().Seconds(), "state-sync-s")
	b.ReportMetric(taken.cpu, "state-sync-cpu-s")
	b.ReportMetric(0, "ns/op")
}

// joined is a chain that followers join.
type joined struct {
	*nodetest.Client // of the validator

	program     string
	validator   *testnet.Node
	filled, end *pb.GetNodeStatusResponse // of the validator, before and after the ordinary messages
}

// launch starts a node of the network.
func (c *joined) launch(b *testing.B, node *testnet.Node, flags ...string) *nodetest.Process {
	b.Helper()
	args := append([]string{"node", "--home", node.Home, "--rest-addr", "", "--log-level", "error"}, flags...)
	if !node.Validator {
		args = append(args, "--peers", c.validator.Peer(), "--snapshot-every", "0")
	}
	return nodetest.Launch(b, exec.CommandContext(b.Context(), c.program, args...))
}

// write creates the chain.
func (c *joined) write(b *testing.B) {
	b.Helper()
	load, err := loadtest.Open(b.Context(), loadtest.Options{
		Nodes: []process.Node{{Address: c.validator.GRPC}}, Dir: b.TempDir(), Seed: 1,
		Accounts: joinAccounts, Projects: joinProjects, Rows: *rows, Protocol: loadtest.ProtocolConnect, Progress: func(string, int, int) {},
	})
	if err != nil {
		b.Fatal(err)
	}
	c.filled = c.awaitIdle(b)
	if _, err := load.Run(b.Context(), loadtest.Load{Batch: joinBatch, For: *written}); err != nil {
		b.Fatal(err)
	}
	load.Close()
	c.awaitIdle(b)
}

// takeSnapshot waits for a snapshot of the validator and for the block after it, which is needed to verify the snapshot.
func (c *joined) takeSnapshot(b *testing.B) {
	b.Helper()
	c.oneMore(b)
	nodetest.Await(b, "a snapshot", func() bool {
		_, err := c.GetSnapshotInfo(b.Context(), connect.NewRequest(new(pb.GetSnapshotInfoRequest)))
		return err == nil
	})
	c.oneMore(b)
	c.end = c.awaitIdle(b)
}

// oneMore commits another message.
func (c *joined) oneMore(b *testing.B) {
	b.Helper()
	key := nodetest.NewAccount(b).AddKey()
	c.Submit(b, key)
	c.MustCommit(b, key)
}

// awaitIdle waits until no message is pending and the block with the last app hash is there.
func (c *joined) awaitIdle(b *testing.B) (status *pb.GetNodeStatusResponse) {
	b.Helper()
	var before uint64
	nodetest.Await(b, "an idle chain", func() bool {
		<-time.After(time.Second) // much longer than a block interval
		status = nodetest.Call(b, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
		idle := status.GetMempoolSize() == 0 && status.GetCurrentBlock() == before
		before = status.GetCurrentBlock()
		return idle
	})
	return status
}

// joining is the progress of a follower.
type joining struct {
	start, filled, end time.Time // filled is when it reached the first ordinary message
	atFilled           uint64    // messages at that time
	cpu                float64   // seconds
}

func (j *joining) total() time.Duration { return j.end.Sub(j.start) }

// join starts a follower and waits until it has the state of the validator.
func (c *joined) join(b *testing.B, node *testnet.Node, flags ...string) *joining {
	b.Helper()
	j := &joining{start: time.Now()}
	p := c.launch(b, node, flags...)
	follower := p.MustServe(b)
	defer follower.Close()
	ctx, cancel := context.WithTimeout(b.Context(), joinTimeout)
	defer cancel()
	for ticker := time.NewTicker(joinPoll); ; {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			b.Fatalf("the follower did not reach the end: %s", p.Stderr())
		}
		status := nodetest.Call(b, follower.GetNodeStatus, &pb.GetNodeStatusRequest{})
		if j.filled.IsZero() && status.GetCurrentBlock() >= c.filled.GetCurrentBlock() {
			j.filled, j.atFilled = time.Now(), status.GetTotalMessages()
		}
		if status.GetCurrentBlock() >= c.end.GetCurrentBlock() && !status.GetCatchingUp() {
			break
		}
	}
	j.end, j.cpu = time.Now(), cpuSeconds(b, node.Metrics)
	c.mustAgree(b, follower)
	p.Stop(b)
	return j
}

// mustAgree checks that a follower has the state of the validator.
func (c *joined) mustAgree(b *testing.B, follower *nodetest.Client) {
	b.Helper()
	last := &pb.GetBlockRequest{BlockNumber: c.end.GetCurrentBlock()}
	want, got := nodetest.Call(b, c.GetBlock, last).GetBlock(), nodetest.Call(b, follower.GetBlock, last).GetBlock()
	if !bytes.Equal(want.GetHeader().GetStateRoot(), got.GetHeader().GetStateRoot()) {
		b.Fatal("the state of the follower differs")
	}
	entries := nodetest.Call(b, follower.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetStateEntries()
	if entries != c.end.GetStateEntries() {
		b.Fatalf("the follower has %d rows, want %d", entries, c.end.GetStateEntries())
	}
}
