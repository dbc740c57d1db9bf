package loadtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"

	"makechain/bench/histogram"
	"makechain/bench/report"
	"makechain/bench/workload"
	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/schema"
)

// ReadKind is a kind of reads that can be made beside the writes.
type ReadKind string

// The kinds of reads.
const (
	PointRead ReadKind = "point" // a project, a ref, a commit or an account
	ListRead  ReadKind = "list"  // a page of commits, refs or projects
	ProofRead ReadKind = "proof" // that a project is in the state
)

const (
	// readLanes is how many reads of a kind are under way at most.
	readLanes = 64
	// readPage is how much of a list is read.
	readPage = 50
)

// ReadKinds are all kinds, in the order in which they are told.
func ReadKinds() []ReadKind { return []ReadKind{PointRead, ListRead, ProofRead} }

// question is a call that reads.
type question struct {
	procedure string
	request   proto.Message
}

// questions are what can be asked about a project of a account, in turns.
func (kind ReadKind) questions(account *workload.Account, number int) []question {
	owner, project, commit := account.Address(), account.Project(number), account.Commit(number)
	switch kind {
	case PointRead:
		return []question{
			{makechainpbconnect.MakechainServiceGetProjectProcedure, &pb.GetProjectRequest{ProjectId: project[:]}},
			{makechainpbconnect.MakechainServiceGetRefProcedure, &pb.GetRefRequest{ProjectId: project[:], RefName: []byte(workload.MainRef)}},
			{makechainpbconnect.MakechainServiceGetCommitProcedure, &pb.GetCommitRequest{ProjectId: project[:], CommitHash: commit[:]}},
			{makechainpbconnect.MakechainServiceGetAccountProcedure, &pb.GetAccountRequest{OwnerAddress: owner[:]}},
		}
	case ListRead:
		return []question{
			{makechainpbconnect.MakechainServiceListCommitsProcedure, &pb.ListCommitsRequest{ProjectId: project[:], Limit: readPage}},
			{makechainpbconnect.MakechainServiceListRefsProcedure, &pb.ListRefsRequest{ProjectId: project[:], Limit: readPage}},
			{makechainpbconnect.MakechainServiceListProjectsProcedure, &pb.ListProjectsRequest{OwnerAddress: owner[:], Limit: readPage}},
		}
	default:
		return []question{
			{makechainpbconnect.MakechainServiceGetOperationProofProcedure, &pb.GetOperationProofRequest{Key: schema.ProjectKey(project)}},
		}
	}
}

// reads are those of one kind, under way.
type reads struct {
	kind     ReadKind
	lanes    int
	interval time.Duration
	latency  histogram.Histogram
}

func newReads(rates map[ReadKind]float64) []*reads {
	var all []*reads
	for _, kind := range ReadKinds() {
		if rate := rates[kind]; rate > 0 {
			all = append(all, &reads{kind: kind, lanes: lanesAt(rate, readLanes), interval: time.Duration(float64(time.Second) / rate)})
		}
	}
	return all
}

// read makes all reads of a kind until the window ends. They are open loop as the writes are.
func (r *run) read(ctx context.Context, kind *reads) error {
	links, err := r.bench.links(kind.lanes)
	if err != nil {
		return err
	}
	defer closeAll(links)
	reading, ctx := errgroup.WithContext(ctx)
	for lane, from := range links {
		reading.Go(func() error { return r.readLane(ctx, kind, lane, from) })
	}
	return reading.Wait()
}

func (r *run) readLane(ctx context.Context, kind *reads, lane int, from link) error {
	people := r.bench.population.Accounts
	random := rand.New(rand.NewPCG(r.bench.options.Seed, uint64(lane))) //nolint:gosec // what is measured must be the same again
	for number := lane; ; number += kind.lanes {
		due := r.start.Add(time.Duration(number) * kind.interval)
		if !due.Before(r.end) {
			return nil
		}
		if err := sleep(ctx, time.Until(due)); err != nil {
			return err
		}
		account := people[random.IntN(len(people))]
		choices := kind.kind.questions(account, random.IntN(r.bench.options.Projects))
		asked := choices[number/kind.lanes%len(choices)]
		request, err := proto.Marshal(asked.request)
		if err != nil {
			return err
		}
		if _, err := from.call(ctx, asked.procedure, request); err != nil {
			return fmt.Errorf("%s read: %w", kind.kind, err)
		}
		if r.measures(due) {
			kind.latency.Record(time.Since(due))
		}
	}
}

// readResults tells what came of the reads.
func (r *run) readResults() map[string]report.Reads {
	results := map[string]report.Reads{}
	for _, kind := range r.reading {
		results[string(kind.kind)] = report.Reads{
			OfferedPerSecond: float64(time.Second) / float64(kind.interval),
			PerSecond:        float64(kind.latency.Count()) / r.load.For.Seconds(),
			MS:               report.LatencyOf(&kind.latency),
		}
	}
	return results
}
