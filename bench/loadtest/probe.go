package loadtest

import (
	"context"
	"errors"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/sync/errgroup"

	"makechain/bench/workload"
	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

const (
	// probePause keeps the reads by which commits are looked for below what a node would notice: ten commits in a second.
	probePause = 100 * time.Millisecond
	// firstProbe is the time between two reads for one commit, until it is old enough for probeShare of its age: so the
	// time is known to 5 %, or 5 ms.
	firstProbe = 5 * time.Millisecond
	probeShare = 20
	// maxProbes is how many may wait to be looked for.
	maxProbes = 1_024
)

// probe is a commit that was accepted and is looked for.
type probe struct {
	project, commit ident.Hash
	due             time.Time
	node            *client.Client
}

// probe looks for a commit of a request, now and then. The choice must not depend on the answers: it is by the time at
// which calls are due.
func (r *run) probe(request *workload.Request, due time.Time, node *client.Client) {
	r.mu.Lock()
	chosen := !due.Before(r.nextProbe)
	if chosen {
		if r.nextProbe = r.nextProbe.Add(probePause); r.nextProbe.Before(due) {
			r.nextProbe = due
		}
	}
	r.mu.Unlock()
	if !chosen {
		return
	}
	select {
	case r.probes <- probe{request.Project, request.Commit, due, node}:
		r.seeking.Add(1)
	default: // a node that is so far behind answers none of them
	}
}

// seek looks for commits until the context ends.
func (r *run) seek(ctx context.Context) error {
	seeking, ctx := errgroup.WithContext(ctx)
	for {
		select {
		case p := <-r.probes:
			seeking.Go(func() error { return r.find(ctx, p) })
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), seeking.Wait())
		}
	}
}

// find reads until the commit is there.
func (r *run) find(ctx context.Context, p probe) error {
	for {
		_, err := client.Call(ctx, p.node.GetCommit, &pb.GetCommitRequest{ProjectId: p.project[:], CommitHash: p.commit[:]})
		age := time.Since(p.due)
		if err == nil {
			r.readable.Record(age)
			r.seeking.Add(-1)
			return nil
		}
		if connect.CodeOf(err) != connect.CodeNotFound {
			return err
		}
		if err := sleep(ctx, max(firstProbe, age/probeShare)); err != nil {
			return err
		}
	}
}
