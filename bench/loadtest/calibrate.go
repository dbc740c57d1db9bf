package loadtest

import (
	"context"
	"fmt"
	"os"
	"time"

	"makechain/bench/process"
	"makechain/bench/workload"
	pb "makechain/gen/makechain"
	"makechain/message"
)

const (
	// calibrationBatches is how many different batches are verified, so that no cache holds all of them.
	calibrationBatches = 20
	calibrationTime    = time.Second
)

// VerificationSeconds is the processor time that this machine takes to check the signature of one message, in batches
// of 100 by as many people: a measure of the machine that other costs can be compared with.
func VerificationSeconds(ctx context.Context, seed uint64) (float64, error) {
	const people = 100
	population, err := workload.New(workload.Options{Seed: seed, Network: pb.Network_NETWORK_DEVNET, Accounts: people, Projects: 1})
	if err != nil {
		return 0, err
	}
	var batches [calibrationBatches][]*message.Envelope
	at := uint32(time.Now().Unix())
	for i := range batches {
		for _, account := range population.Accounts {
			m, err := account.FollowMessage(at)
			if err != nil {
				return 0, err
			}
			batches[i] = append(batches[i], m)
		}
	}
	before, err := process.Read(os.Getpid())
	if err != nil {
		return 0, err
	}
	verified := 0
	for begin := time.Now(); time.Since(begin) < calibrationTime && ctx.Err() == nil; {
		for _, batch := range batches {
			for _, refusal := range message.VerifyBatch(batch) {
				if refusal != nil {
					return 0, fmt.Errorf("a good signature: %w", refusal)
				}
			}
			verified += len(batch)
		}
	}
	after, err := process.Read(os.Getpid())
	if err != nil {
		return 0, err
	}
	return (after.CPU - before.CPU).Seconds() / float64(verified), ctx.Err()
}
