package load_test

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

// How large the chain is that followers join.
var (
	rows    = flag.Uint64("rows", 1_000_000, "rows of state, most of which come in few large messages")
	written = flag.Duration("written", time.Minute, "how long ordinary messages are then written, as fast as the node takes them")
)

const (
	joinAccounts, joinProjects, joinBatch = 200, 2, 100
	// joinPatience is far more than a follower takes.
	joinPatience = 30 * time.Minute
	// joinLook is the time between two looks at how far a follower is.
	joinLook = 20 * time.Millisecond
)

// BenchmarkJoin starts the only validator of a chain again, and then has a fresh follower reach the end of the chain by
// executing all its blocks, and another by taking over the state of the validator. All run on one machine, where the
// validator serves followers and does nothing else. What is replayed in a second is that of the ordinary messages alone,
// which come last.
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
	begin := time.Now()
	c.Client = c.launch(b, c.validator, "--snapshot-every", "1").MustServe(b)
	restarted := time.Since(begin)
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

// joined is a chain that others join.
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

// write makes the chain.
func (c *joined) write(b *testing.B) {
	b.Helper()
	load, err := loadtest.Open(b.Context(), loadtest.Options{
		Nodes: []process.Node{{Address: c.validator.GRPC}}, Dir: b.TempDir(), Seed: 1,
		Accounts: joinAccounts, Projects: joinProjects, Rows: *rows, Protocol: loadtest.ProtocolConnect, Progress: func(string, int, int) {},
	})
	if err != nil {
		b.Fatal(err)
	}
	c.filled = c.rest(b)
	if _, err := load.Run(b.Context(), loadtest.Load{Batch: joinBatch, For: *written}); err != nil {
		b.Fatal(err)
	}
	load.Close()
	c.rest(b)
}

// takeSnapshot has the validator copy its state, and the chain go on by a block, without which the copy is worth nothing.
func (c *joined) takeSnapshot(b *testing.B) {
	b.Helper()
	c.oneMore(b)
	nodetest.Await(b, "a snapshot", func() bool {
		_, err := c.GetSnapshotInfo(b.Context(), connect.NewRequest(new(pb.GetSnapshotInfoRequest)))
		return err == nil
	})
	c.oneMore(b)
	c.end = c.rest(b)
}

// oneMore adds a message to the chain.
func (c *joined) oneMore(b *testing.B) {
	b.Helper()
	key := nodetest.NewAccount(b).AddKey()
	c.Submit(b, key)
	c.MustCommit(b, key)
}

// rest waits until nothing is pending, and the block is there that certifies the last root.
func (c *joined) rest(b *testing.B) (status *pb.GetNodeStatusResponse) {
	b.Helper()
	var before uint64
	nodetest.Await(b, "the chain to rest", func() bool {
		<-time.After(time.Second) // many times what a block takes
		status = nodetest.Call(b, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
		resting := status.GetMempoolSize() == 0 && status.GetCurrentBlock() == before
		before = status.GetCurrentBlock()
		return resting
	})
	return status
}

// joining is how a follower came to the end of the chain.
type joining struct {
	begin, filled, end time.Time // filled is when it was where the ordinary messages begin
	atFilled           uint64    // messages that it had by then
	cpu                float64   // seconds
}

func (j *joining) total() time.Duration { return j.end.Sub(j.begin) }

// join starts a follower and waits until it has the state of the validator.
func (c *joined) join(b *testing.B, node *testnet.Node, flags ...string) *joining {
	b.Helper()
	j := &joining{begin: time.Now()}
	p := c.launch(b, node, flags...)
	follower := p.MustServe(b)
	defer follower.Close()
	ctx, cancel := context.WithTimeout(b.Context(), joinPatience)
	defer cancel()
	for ticker := time.NewTicker(joinLook); ; {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			b.Fatalf("the follower did not arrive: %s", p.Stderr())
		}
		status := nodetest.Call(b, follower.GetNodeStatus, &pb.GetNodeStatusRequest{})
		if j.filled.IsZero() && status.GetCurrentBlock() >= c.filled.GetCurrentBlock() {
			j.filled, j.atFilled = time.Now(), status.GetTotalMessages()
		}
		if status.GetCurrentBlock() >= c.end.GetCurrentBlock() && !status.GetCatchingUp() {
			break
		}
	}
	j.end, j.cpu = time.Now(), processorTime(b, node.Metrics)
	c.mustAgree(b, follower)
	p.Stop(b)
	return j
}

// mustAgree compares the state of a follower with that of the validator.
func (c *joined) mustAgree(b *testing.B, follower *nodetest.Client) {
	b.Helper()
	last := &pb.GetBlockRequest{BlockNumber: c.end.GetCurrentBlock()}
	want, got := nodetest.Call(b, c.GetBlock, last).GetBlock(), nodetest.Call(b, follower.GetBlock, last).GetBlock()
	if !bytes.Equal(want.GetHeader().GetStateRoot(), got.GetHeader().GetStateRoot()) {
		b.Fatal("the follower has another state")
	}
	entries := nodetest.Call(b, follower.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetStateEntries()
	if entries != c.end.GetStateEntries() {
		b.Fatalf("the follower has %d rows, want %d", entries, c.end.GetStateEntries())
	}
}
