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
	// calibrationBatches is the number of different batches, more than a CPU cache holds.
	calibrationBatches = 20
	calibrationTime    = time.Second
)

// VerificationSeconds returns the CPU time of verifying the signature of one message, in batches of 100 messages from 100
// accounts: a unit for other costs on this machine.
func VerificationSeconds(ctx context.Context, seed uint64) (float64, error) {
	const accounts = 100
	population, err := workload.New(workload.Options{Seed: seed, Network: pb.Network_NETWORK_DEVNET, Accounts: accounts, Projects: 1})
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
	for start := time.Now(); time.Since(start) < calibrationTime && ctx.Err() == nil; {
		for _, batch := range batches {
			for _, refusal := range message.VerifyBatch(batch) {
				if refusal != nil {
					return 0, fmt.Errorf("a valid signature: %w", refusal)
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
