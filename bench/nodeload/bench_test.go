package load_test

import (
	"bufio"
	"errors"
	"net"
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
	projects = 10 // of each writer; in all it is work for three minutes at 12,000 messages a second
	batches  = 90 // of each project: less than what makes the node prune commits

	warmUp = 5 * time.Second
	// settle is the time from when readers come or go to when it counts: what was under way is done by then.
	settle    = 500 * time.Millisecond
	phaseTime = 5 * time.Second // far more than what is pending takes, which is part of the one phase or the next
	pairs     = 12              // of a phase without readers and one with them
)

// BenchmarkReadsUnderLoad measures what commits while messages are submitted as fast as the node takes them, in turns
// without and with clients that read and ask for proofs: in a second, and in a second of the node's processor time,
// which says what reads cost the node when others use the machine too. Ratios are means over pairs of turns, with the
// bounds of their intervals of 95 % confidence.
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
		// Whatever changes with time meets both alike.
		if pair%2 == 0 {
			alone = append(alone, n.measure(b))
		}
		begin, reading := time.Now(), n.launch(b, readersRole)
		read = append(read, n.measure(b))
		reading.CloseInput(b)
		calls += count(b, reading) / time.Since(begin).Seconds() / pairs
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

// loaded is the program as a node, with work prepared for it.
type loaded struct {
	*nodetest.Client

	address, metrics, work string
	writing                *nodetest.Process
}

func startNode(b *testing.B) *loaded {
	b.Helper()
	dir := b.TempDir()
	work, metrics := filepath.Join(dir, "work"), freeAddress(b)
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

// freeAddress finds a port for what does not say which one it took.
func freeAddress(b *testing.B) string {
	b.Helper()
	listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = listener.Close() }() // nobody has connected
	return listener.Addr().String()
}

// launch starts clients in a process of their own.
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

// prepare makes a person with projects, and a file of signed messages for them.
func (n *loaded) prepare(b *testing.B, name string) {
	b.Helper()
	person := nodetest.NewAccount(b)
	n.Register(person, 1, name)
	var made []*message.Envelope
	for i := range projects {
		made = append(made, person.Sign(message.ProjectCreate("bench-"+strconv.Itoa(i), pb.Visibility_VISIBILITY_PUBLIC, "", "")))
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
				commit := message.Commit{Hash: hash, TreeRoot: hash, MessageHash: hash, Author: person.Address(), Title: "push"}
				request.Messages = append(request.Messages, person.Sign(message.CommitBundle(project.Hash, message.Content{}, commit)).Proto())
			}
			if _, err := protodelim.MarshalTo(out, &request); err != nil {
				b.Fatal(err)
			}
		}
	}
	// It is on the disk before the node needs that.
	if err := errors.Join(out.Flush(), file.Sync(), file.Close()); err != nil {
		b.Fatal(err)
	}
}
