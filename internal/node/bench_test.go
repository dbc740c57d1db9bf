package node_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
	"makechain/message"
)

const (
	benchWriters  = 24
	benchMessages = 9_000 // of each writer
	benchBatch    = 100
	benchReaders  = 4
	// readPause is the time between two calls of a reader: 4 readers make 400 calls a second.
	readPause  = 10 * time.Millisecond
	benchPhase = 500 * time.Millisecond
	benchPairs = 36 // of a phase without readers and one with them
)

// BenchmarkReadsUnderLoad measures how much commits while messages are submitted as fast as the node takes them, in
// turns without and with clients that read and ask for proofs. It reports both rates and their ratio, and the time
// between blocks, which grows with what a block holds.
func BenchmarkReadsUnderLoad(b *testing.B) {
	n := nodetest.Start(b, b.TempDir())
	bench := &readBench{Node: n}
	for i := range benchWriters {
		bench.prepare(b, i)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var writing sync.WaitGroup
	for _, messages := range bench.messages {
		writing.Go(func() { bench.write(ctx, messages) })
	}
	b.ResetTimer()
	var alone, read phase
	for pair := range benchPairs {
		// Whatever changes with time, such as what is pending, meets both alike.
		if pair%2 == 0 {
			alone.add(bench.measure(b))
			read.add(bench.measureRead(b))
		} else {
			read.add(bench.measureRead(b))
			alone.add(bench.measure(b))
		}
	}
	b.StopTimer()
	cancel()
	writing.Wait()
	b.ReportMetric(alone.interval(), "ms/block-alone")
	b.ReportMetric(read.interval(), "ms/block-read")
	b.ReportMetric(read.rate()/alone.rate(), "ratio")
	b.ReportMetric(alone.rate(), "msg/s-alone")
	b.ReportMetric(read.rate(), "msg/s-read")
	b.ReportMetric(0, "ns/op")
}

// readBench is a node with work prepared for it.
type readBench struct {
	*nodetest.Node

	projects []ident.Hash
	messages [][]*pb.Message
}

// prepare makes a project and the messages that a writer will send to it.
func (r *readBench) prepare(b *testing.B, i int) {
	b.Helper()
	person := nodetest.NewPerson(b)
	r.Join(person, 1, "writer-"+strconv.Itoa(i))
	project := person.Sign(message.ProjectCreate("bench", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	r.Submit(b, project)
	r.MustCommit(b, project)
	messages := make([]*pb.Message, benchMessages)
	for j := range messages {
		hash := nodetest.Random(b)
		commit := message.Commit{Hash: hash, TreeRoot: hash, MessageHash: hash, Author: person.Address(), Title: "push"}
		messages[j] = person.Sign(message.CommitBundle(project.Hash, message.Content{}, commit)).Proto()
	}
	r.projects, r.messages = append(r.projects, project.Hash), append(r.messages, messages)
}

// write submits messages in batches until there are no more.
func (r *readBench) write(ctx context.Context, messages []*pb.Message) {
	for len(messages) > 0 && ctx.Err() == nil {
		batch := messages[:benchBatch]
		messages = messages[benchBatch:]
		_, _ = r.BatchSubmitMessages(ctx, connect.NewRequest(&pb.BatchSubmitRequest{Messages: batch})) // an end of the context ends the loop
	}
}

// read makes calls of several kinds until it is told to stop.
func (r *readBench) read(ctx context.Context, i int) {
	pause := time.NewTicker(readPause)
	defer pause.Stop()
	project := r.projects[i%len(r.projects)]
	for turn := 0; ; turn++ {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		switch turn % 4 { // a call that the end of the context cuts off is no failure
		case 0:
			_, _ = r.ListCommits(ctx, connect.NewRequest(&pb.ListCommitsRequest{ProjectId: project[:]}))
		case 1:
			_, _ = r.GetOperationProof(ctx, connect.NewRequest(&pb.GetOperationProofRequest{Key: schema.ProjectKey(project)}))
		case 2:
			_, _ = r.GetProject(ctx, connect.NewRequest(&pb.GetProjectRequest{ProjectId: project[:]}))
		default:
			_, _ = r.GetProjectActivity(ctx, connect.NewRequest(&pb.GetProjectActivityRequest{ProjectId: project[:], Limit: 20}))
		}
	}
}

// phase counts what a node did in some time.
type phase struct {
	time             time.Duration
	blocks, messages uint64
}

func (p *phase) add(other phase) {
	p.time += other.time
	p.blocks += other.blocks
	p.messages += other.messages
}

// interval is the time between blocks in milliseconds.
func (p *phase) interval() float64 { return p.time.Seconds() * 1000 / float64(max(p.blocks, 1)) }

// rate is messages in a second.
func (p *phase) rate() float64 { return float64(p.messages) / p.time.Seconds() }

// measureRead measures while clients read.
func (r *readBench) measureRead(b *testing.B) phase {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	var reading sync.WaitGroup
	for i := range benchReaders {
		reading.Go(func() { r.read(ctx, i) })
	}
	measured := r.measure(b)
	stop()
	reading.Wait()
	return measured
}

// measure counts for the time of a phase.
func (r *readBench) measure(b *testing.B) phase {
	b.Helper()
	begin := time.Now()
	before := nodetest.Call(b, r.GetChainStats, &pb.GetChainStatsRequest{})
	<-time.After(benchPhase)
	after := nodetest.Call(b, r.GetChainStats, &pb.GetChainStatsRequest{})
	return phase{
		time: time.Since(begin), blocks: after.GetBlockHeight() - before.GetBlockHeight(),
		messages: after.GetTotalMessages() - before.GetTotalMessages(),
	}
}
