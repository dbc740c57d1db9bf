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
	"makechain/internal/backoff"
	"makechain/internal/schema"
)

// ReadKind is a kind of read that is made during the writes.
type ReadKind string

// The kinds of reads.
const (
	PointRead ReadKind = "point" // a project, a ref, a commit or an account
	ListRead  ReadKind = "list"  // a page of commits, refs or projects
	ProofRead ReadKind = "proof" // an existence proof of a project
)

const (
	// readLanes is the maximum number of concurrent reads of one kind.
	readLanes = 64
	// readPage is the number of entries read from a list.
	readPage = 50
)

// ReadKinds returns all kinds, in the order of the reports.
func ReadKinds() []ReadKind { return []ReadKind{PointRead, ListRead, ProofRead} }

// readCall is a call that reads.
type readCall struct {
	procedure string
	request   proto.Message
}

// calls returns the calls of a kind for a project of an account.
func (kind ReadKind) calls(account *workload.Account, number int) []readCall {
	owner, project, commit := account.Address(), account.Project(number), account.Commit(number)
	switch kind {
	case PointRead:
		return []readCall{
			{makechainpbconnect.MakechainServiceGetProjectProcedure, &pb.GetProjectRequest{ProjectId: project[:]}},
			{makechainpbconnect.MakechainServiceGetRefProcedure, &pb.GetRefRequest{ProjectId: project[:], RefName: []byte(workload.MainRef)}},
			{makechainpbconnect.MakechainServiceGetCommitProcedure, &pb.GetCommitRequest{ProjectId: project[:], CommitHash: commit[:]}},
			{makechainpbconnect.MakechainServiceGetAccountProcedure, &pb.GetAccountRequest{OwnerAddress: owner[:]}},
		}
	case ListRead:
		return []readCall{
			{makechainpbconnect.MakechainServiceListCommitsProcedure, &pb.ListCommitsRequest{ProjectId: project[:], Limit: readPage}},
			{makechainpbconnect.MakechainServiceListRefsProcedure, &pb.ListRefsRequest{ProjectId: project[:], Limit: readPage}},
			{makechainpbconnect.MakechainServiceListProjectsProcedure, &pb.ListProjectsRequest{OwnerAddress: owner[:], Limit: readPage}},
		}
	default:
		return []readCall{
			{makechainpbconnect.MakechainServiceGetOperationProofProcedure, &pb.GetOperationProofRequest{Key: schema.ProjectKey(project)}},
		}
	}
}

// reads are the reads of one kind in a run.
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

// read makes all reads of a kind until the window ends, open loop like the writes.
func (r *run) read(ctx context.Context, kind *reads) error {
	callers, err := r.generator.callers(kind.lanes, r.generator.options.readable())
	if err != nil {
		return err
	}
	defer closeAll(callers)
	reading, ctx := errgroup.WithContext(ctx)
	for lane, from := range callers {
		reading.Go(func() error { return r.readLane(ctx, kind, lane, from) })
	}
	return reading.Wait()
}

func (r *run) readLane(ctx context.Context, kind *reads, lane int, from caller) error {
	accounts := r.generator.population.Accounts
	random := rand.New(rand.NewPCG(r.generator.options.Seed, uint64(lane))) //nolint:gosec // reads are reproducible
	for number := lane; ; number += kind.lanes {
		due := r.start.Add(time.Duration(number) * kind.interval)
		if !due.Before(r.windowEnd) {
			return nil
		}
		if err := backoff.Sleep(ctx, time.Until(due)); err != nil {
			return err
		}
		account := accounts[random.IntN(len(accounts))]
		choices := kind.kind.calls(account, random.IntN(r.generator.options.Projects))
		chosen := choices[number/kind.lanes%len(choices)]
		request, err := proto.Marshal(chosen.request)
		if err != nil {
			return err
		}
		if _, err := from.call(ctx, chosen.procedure, request); err != nil {
			return fmt.Errorf("%s read: %w", kind.kind, err)
		}
		if r.inWindow(due) {
			kind.latency.Record(time.Since(due))
		}
	}
}

// readResults returns the results of the reads.
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
