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
	"makechain/internal/backoff"
	"makechain/internal/ident"
)

const (
	// probeInterval keeps the load of the probes negligible: ten commits per second.
	probeInterval = 100 * time.Millisecond
	// firstProbe is the time between two reads of one commit, until one part in probeShare of its age is longer: the
	// resolution is 5 ms, or 5 %.
	firstProbe = 5 * time.Millisecond
	probeShare = 20
	// maxProbes is the number of probes that may be queued.
	maxProbes = 1_024
)

// probe is an accepted commit that is read until it is found.
type probe struct {
	project, commit ident.Hash
	due             time.Time
	node            *client.Client
}

// probe queues a probe of a commit of a request, every probeInterval. The selection must not depend on responses, so it is
// by due time.
func (r *run) probe(request *workload.Request, due time.Time, node *client.Client) {
	r.mu.Lock()
	chosen := !due.Before(r.nextProbe)
	if chosen {
		if r.nextProbe = r.nextProbe.Add(probeInterval); r.nextProbe.Before(due) {
			r.nextProbe = due
		}
	}
	r.mu.Unlock()
	if !chosen {
		return
	}
	select {
	case r.probes <- probe{request.Project, request.Commit, due, node}:
		r.probing.Add(1)
	default: // the node is too far behind for any probe to succeed
	}
}

// runProbes runs queued probes until the context ends.
func (r *run) runProbes(ctx context.Context) error {
	probing, ctx := errgroup.WithContext(ctx)
	for {
		select {
		case p := <-r.probes:
			probing.Go(func() error { return r.find(ctx, p) })
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), probing.Wait())
		}
	}
}

// find reads a commit until it is found.
func (r *run) find(ctx context.Context, p probe) error {
	for {
		_, err := client.Call(ctx, p.node.GetCommit, &pb.GetCommitRequest{ProjectId: p.project[:], CommitHash: p.commit[:]})
		age := time.Since(p.due)
		if err == nil {
			r.readable.Record(age)
			r.readableParts[r.part(p.due)].Record(age)
			r.probing.Add(-1)
			return nil
		}
		if connect.CodeOf(err) != connect.CodeNotFound {
			return err
		}
		if err := backoff.Sleep(ctx, max(firstProbe, age/probeShare)); err != nil {
			return err
		}
	}
}
