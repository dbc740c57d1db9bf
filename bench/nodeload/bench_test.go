package nodeload_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protodelim"

	"makechain/bench/process"
	pb "makechain/gen/makechain"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	writers  = 24
	batch    = 100
	projects = 10 // per writer; in total enough for three minutes at 12,000 messages per second
	batches  = 90 // per project: few enough that the node prunes no commits

	warmUp = 5 * time.Second
	// settle is the delay between a change of the readers and the measurement.
	settle    = 500 * time.Millisecond
	phaseTime = 5 * time.Second // much longer than pending messages need, which count in one phase or the next
	pairs     = 12              // of a phase without and a phase with readers
)

// BenchmarkReadsUnderLoad measures the committed rate at maximum load, in alternating phases without and with clients that read
// and request proofs: per second, and per second of the node's CPU time, which shows the cost of reads also on a busy machine.
// Ratios are means over pairs of phases, with their 95 % confidence intervals.
func BenchmarkReadsUnderLoad(b *testing.B) {
	n := startNode(b)
	for i := range writers {
		n.prepare(b, "writer-"+strconv.Itoa(i))
	}
	n.writing = n.launch(b, writersRole)
	<-time.After(warmUp)
	b.ResetTimer()
	var alone, read []phase
	var calls float64
	for pair := range pairs {
		// Alternate the order, so that changes over time affect both alike.
		if pair%2 == 0 {
			alone = append(alone, n.measure(b))
		}
		start, reading := time.Now(), n.launch(b, readersRole)
		read = append(read, n.measure(b))
		reading.CloseInput(b)
		calls += count(b, reading) / time.Since(start).Seconds() / pairs
		if pair%2 != 0 {
			alone = append(alone, n.measure(b))
		}
	}
	b.StopTimer()
	n.writing.CloseInput(b)
	compare(b, read, alone, phase.rate, "")
	compare(b, read, alone, phase.perCPU, "-cpu")
	b.ReportMetric(calls, "reads/s")
	b.ReportMetric(0, "ns/op")
}

// loaded is a running node with prepared messages.
type loaded struct {
	*nodetest.Client

	address, metrics, work string
	writing                *nodetest.Process
}

func startNode(b *testing.B) *loaded {
	b.Helper()
	dir := b.TempDir()
	work, metrics := filepath.Join(dir, "work"), nodetest.FreeAddress(b)
	if err := os.Mkdir(work, 0o700); err != nil {
		b.Fatal(err)
	}
	node := nodetest.Launch(b, exec.CommandContext(b.Context(), buildProgram(b), "node", "--home", filepath.Join(dir, "home"),
		"--grpc-addr", "127.0.0.1:0", "--p2p-addr", "127.0.0.1:0", "--metrics-addr", metrics, "--log-level", "warn"))
	address, serves := node.Address()
	if !serves {
		b.Fatalf("the node did not start: %s", node.Stderr())
	}
	return &loaded{Client: nodetest.Dial(address), address: address, metrics: metrics, work: work}
}

// buildProgram returns the path of the program.
func buildProgram(b *testing.B) string {
	b.Helper()
	program, err := process.Build(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	return program
}

// launch starts a client process.
func (n *loaded) launch(b *testing.B, role string) *nodetest.Process {
	b.Helper()
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	command := exec.CommandContext(b.Context(), program)
	command.Env = append(os.Environ(), roleVariable+"="+role, addressVariable+"="+n.address, workVariable+"="+n.work)
	return nodetest.Launch(b, command)
}

// prepare creates an account with projects, and a file of signed messages for them.
func (n *loaded) prepare(b *testing.B, name string) {
	b.Helper()
	account := nodetest.NewAccount(b)
	n.Register(account, 1, name)
	var made []*message.Envelope
	for i := range projects {
		made = append(made, account.Sign(message.ProjectCreate("bench-"+strconv.Itoa(i), pb.Visibility_VISIBILITY_PUBLIC, "", "")))
	}
	n.Submit(b, made...)
	n.MustCommit(b, made...)
	file, err := os.Create(filepath.Join(n.work, made[0].Hash.String()))
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(file)
	for _, project := range made {
		for range batches {
			var request pb.BatchSubmitRequest
			for range batch {
				hash := nodetest.Random(b)
				commit := message.Commit{Hash: hash, TreeRoot: hash, MessageHash: hash, Author: account.Address(), Title: "push"}
				request.Messages = append(request.Messages, account.Sign(message.CommitBundle(project.Hash, message.Content{}, commit)).Proto())
			}
			if _, err := protodelim.MarshalTo(out, &request); err != nil {
				b.Fatal(err)
			}
		}
	}
	// Write it to the disk before the node needs the disk.
	if err := errors.Join(out.Flush(), file.Sync(), file.Close()); err != nil {
		b.Fatal(err)
	}
}
