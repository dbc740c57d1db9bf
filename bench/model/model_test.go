package model_test

import (
	"testing"
	"time"

	"makechain/bench/model"
)

// compute computes a network of 8-core machines with 1 Gbit/s.
func compute(costs model.Costs, validators, peers int, delay func(from, to int) time.Duration) model.Result {
	return costs.Compute(&model.Network{Validators: validators, Peers: peers, Delay: delay, Cores: 8, Bandwidth: 125e6})
}

func uniform(delay time.Duration) func(int, int) time.Duration {
	return func(int, int) time.Duration { return delay }
}

// TestDelays checks that a block takes three latencies more when all validators are equally far apart: for the proposal, the
// prevotes and the precommits. A latency above the block interval also delays the proposal by the rest of an announcement.
func TestDelays(t *testing.T) {
	t.Parallel()
	costs := model.Default()
	for _, validators := range []int{4, 7, 20} {
		near := compute(costs, validators, validators, uniform(0))
		for _, delay := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond} {
			far := compute(costs, validators, validators, uniform(delay))
			rest := max(0, delay-costs.Interval)
			if more := far.Block - near.Block; more < 3*delay || more > 3*delay+rest {
				t.Errorf("%d validators: a latency of %v adds %v to a block, want %v to %v", validators, delay, more, 3*delay, 3*delay+rest)
			}
			if far.Readable <= near.Readable || far.ByBlock >= near.ByBlock || far.ByCPU != near.ByCPU {
				t.Errorf("%d validators: %+v with latency, %+v without", validators, far, near)
			}
		}
	}
}

// TestQuorum checks that a validator far away does not delay the blocks of others by more than its own turns.
func TestQuorum(t *testing.T) {
	t.Parallel()
	const delay = 90 * time.Millisecond
	last := func(from, to int) time.Duration {
		if from == 3 || to == 3 {
			return delay
		}
		return 0
	}
	costs := model.Default()
	near, far, all := compute(costs, 4, 4, uniform(0)), compute(costs, 4, 4, last), compute(costs, 4, 4, uniform(delay))
	if far.Block <= near.Block || far.Block >= (near.Block+all.Block)/2 {
		t.Errorf("blocks take %v, %v with one validator far away and %v with all of them", near.Block, far.Block, all.Block)
	}
}

// TestPeers checks that fewer peers mean more hops and less work.
func TestPeers(t *testing.T) {
	t.Parallel()
	costs := model.Default()
	all, few := compute(costs, 100, 99, uniform(0)), compute(costs, 100, 8, uniform(0))
	if few.Block <= all.Block || few.ByCPU <= all.ByCPU || few.ByNetwork <= all.ByNetwork {
		t.Errorf("8 peers: %+v, 99 peers: %+v", few, all)
	}
	if one := compute(costs, 1, 20, uniform(0)); one.Block < costs.Interval || one.Block > 4*costs.Interval {
		t.Errorf("one validator: %+v", one)
	}
}

// TestPlace checks the placement of nodes and that unknown regions are refused.
func TestPlace(t *testing.T) {
	t.Parallel()
	placed, err := model.Place([]string{"ireland", "tokyo"}, 4)
	if err != nil {
		t.Fatal(err)
	}
	if near, far := placed.Delay(0, 2), placed.Delay(0, 1); near != 500*time.Microsecond || far != 101*time.Millisecond || far != placed.Delay(3, 2) {
		t.Errorf("latencies %v and %v", near, far)
	}
	if _, err := model.Place([]string{"ireland", "atlantis"}, 4); err == nil {
		t.Error("an unknown region was accepted")
	}
	if _, err := model.Place([]string{model.World}, 100); err != nil {
		t.Error(err)
	}
}
