package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/sync/errgroup"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/bench/workload"
	"makechain/message"
)

const (
	// peoplePerClient is how many write by one client, in turns: as a gateway does, a batch carries messages of several.
	peoplePerClient = 20
	projectsOfEach  = 2
	// founders is how many people come to the chain at a time.
	founders = 16
	// seed makes the workload the same in every run.
	seed = 1
)

// preparation puts people on the chain of a node.
type preparation struct {
	service  makechainpbconnect.MakechainServiceClient
	faucet   devpbconnect.FaucetServiceClient
	expected uint64 // messages that the chain will have
}

// prepare fills the state of a node and puts people on its chain, who will write by the clients.
func prepare(ctx context.Context, address string, o options) (*workload.Population, error) {
	population, err := workload.New(workload.Options{
		Seed: seed, Network: pb.Network_NETWORK_DEVNET, Accounts: o.clients * peoplePerClient, Projects: projectsOfEach,
	})
	if err != nil {
		return nil, err
	}
	url := "http://" + address
	p := &preparation{
		service: makechainpbconnect.NewMakechainServiceClient(http.DefaultClient, url),
		faucet:  devpbconnect.NewFaucetServiceClient(http.DefaultClient, url),
	}
	if err := p.fill(ctx, o.rows); err != nil {
		return nil, fmt.Errorf("fill the state: %w", err)
	}
	if err := p.found(ctx, population.People); err != nil {
		return nil, fmt.Errorf("put people on the chain: %w", err)
	}
	return population, nil
}

// found puts everybody on the chain.
func (p *preparation) found(ctx context.Context, people []*workload.Person) error {
	err := p.submitOf(ctx, people, func(person *workload.Person) ([]*message.Envelope, error) {
		if err := p.claim(ctx, person.Address()); err != nil {
			return nil, err
		}
		return person.Found(now())
	})
	if err != nil {
		return err
	}
	return p.submitOf(ctx, people, func(person *workload.Person) ([]*message.Envelope, error) { return person.Fork(now()) })
}

// claim gets storage for an account.
func (p *preparation) claim(ctx context.Context, owner message.Address) error {
	p.expected++
	if _, err := p.faucet.Claim(ctx, connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: owner[:], Units: workload.Units})); err != nil {
		return fmt.Errorf("storage for %s: %w", owner, err)
	}
	return nil
}

// submitOf has everybody send what a function makes for them, and waits until all of it has committed. Messages are made
// for one person after another, because they look at one another.
func (p *preparation) submitOf(
	ctx context.Context, people []*workload.Person, of func(*workload.Person) ([]*message.Envelope, error),
) error {
	var sending errgroup.Group
	sending.SetLimit(founders)
	for _, person := range people {
		messages, err := of(person)
		if err != nil {
			return errors.Join(err, sending.Wait())
		}
		p.expected += uint64(len(messages))
		sending.Go(func() error { return p.submit(ctx, messages...) })
	}
	if err := sending.Wait(); err != nil {
		return err
	}
	return p.awaitCommitted(ctx)
}

func (p *preparation) submit(ctx context.Context, messages ...*message.Envelope) error {
	request := &pb.BatchSubmitRequest{}
	for _, m := range messages {
		request.Messages = append(request.Messages, m.Proto())
	}
	answer, err := p.service.BatchSubmitMessages(ctx, connect.NewRequest(request))
	if err != nil {
		return err
	}
	return verdict(answer.Msg)
}

// awaitCommitted waits until all that was sent is on the chain.
func (p *preparation) awaitCommitted(ctx context.Context) error {
	for {
		stats, err := p.service.GetChainStats(ctx, connect.NewRequest(new(pb.GetChainStatsRequest)))
		if err != nil {
			return err
		}
		if stats.Msg.GetTotalMessages() >= p.expected {
			return nil
		}
		if err := sleepUntil(ctx, time.Now().Add(pollTime)); err != nil {
			return err
		}
	}
}

func now() uint32 { return uint32(time.Now().Unix()) }
