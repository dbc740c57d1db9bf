// Package model computes the block time and the capacity of networks that do not fit on one machine, from costs that were
// measured on one.
//
// Blocks are computed step by step as CometBFT decides them: a proposal, prevotes and precommits, each of which has to reach a
// quorum over the paths between validators. Nothing is random except the choice of peers, which has a fixed seed.
package model

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Costs are what nodes need for their work. Default has measured values.
type Costs struct {
	Interval time.Duration // pause between a block and the next
	Hop      time.Duration // time to forward a vote or block part to a peer, beyond the latency of the network
	Flush    time.Duration // of the disk, before every proposal and vote and after every block: several fsyncs

	Verify  time.Duration // of the signature of a vote
	Prepare time.Duration // of a proposal, for each message
	Process time.Duration // of a proposal by others, for each message
	Apply   time.Duration // of a decided block, for each message

	CPU     time.Duration // of a validator for a message, in all, without peers
	CPUPeer time.Duration // more of it for each peer

	MessageBytes float64
	SentPerPeer  float64 // bytes that a validator sends for each byte of a message and each of its peers
	BlockBytes   float64 // size of the largest block
}

// Default returns the costs that docs/scale.md states with the commands that measure them.
func Default() Costs {
	return Costs{
		Interval: 50 * time.Millisecond, Hop: 10 * time.Millisecond, Flush: 12 * time.Millisecond,
		Verify: 50 * time.Microsecond, Prepare: 27 * time.Microsecond, Process: 18 * time.Microsecond, Apply: 22 * time.Microsecond,
		CPU: 130 * time.Microsecond, CPUPeer: 12 * time.Microsecond,
		MessageBytes: 403, SentPerPeer: 1.6, BlockBytes: 1.5 * (1 << 20),
	}
}

// Network is a network to compute.
type Network struct {
	Validators int
	Peers      int                              // of each validator; all others if it is larger
	Delay      func(from, to int) time.Duration // one-way latency of the network
	Cores      float64                          // of each validator
	Bandwidth  float64                          // of each validator, in bytes per second
}

// Result is what the model computes about a network.
type Result struct {
	Block     time.Duration // time between two blocks with few messages
	Readable  time.Duration // mean time from the submission of a message until its block is applied, with few messages
	ByCPU     float64       // messages per second at which all cores of a validator are busy
	ByBlock   float64       // messages per second of full blocks
	ByNetwork float64       // messages per second at which the bandwidth is used
}

// Limit returns the highest rate and what limits it.
func (r *Result) Limit() (rate float64, by string) {
	rate, by = r.ByCPU, "CPU"
	if r.ByBlock < rate {
		rate, by = r.ByBlock, "block size"
	}
	if r.ByNetwork < rate {
		rate, by = r.ByNetwork, "bandwidth"
	}
	return rate, by
}

// lowLoad is the number of messages in a block with few messages.
const lowLoad = 20

// Compute computes a network.
func (c *Costs) Compute(n *Network) Result {
	paths := c.paths(n)
	peers := float64(min(n.Peers, n.Validators-1))
	full := c.BlockBytes / c.MessageBytes
	var r Result
	var decided time.Duration
	r.Block, decided = c.blocks(n, paths, lowLoad)
	r.Readable = mean(paths) + r.Block/2 + decided + c.apply(lowLoad)
	fullBlock, _ := c.blocks(n, paths, full)
	r.ByBlock = full / fullBlock.Seconds()
	r.ByCPU = n.Cores / (c.CPU.Seconds() + peers*c.CPUPeer.Seconds())
	r.ByNetwork = n.Bandwidth / (c.MessageBytes * max(1, peers) * c.SentPerPeer)
	return r
}

// apply returns the time to apply a block.
func (c *Costs) apply(messages float64) time.Duration {
	return time.Duration(messages*float64(c.Apply)) + c.Flush
}

// blocks returns the mean time between blocks, and from the start of a round to the decision.
func (c *Costs) blocks(n *Network, paths [][]time.Duration, messages float64) (block, decided time.Duration) {
	count, quorum := n.Validators, n.Validators*2/3+1
	start, prevoted, precommitted, committed := make([]time.Duration, count), make([]time.Duration, count),
		make([]time.Duration, count), make([]time.Duration, count)
	votes := time.Duration(quorum) * c.Verify
	transfer := time.Duration(messages * c.MessageBytes / n.Bandwidth * float64(min(n.Peers, count-1)) * float64(time.Second))
	arrived := make([]time.Duration, count)
	var warm time.Duration
	heights := count * max(1, 20/count) // whole rotations of the proposers
	for height := range 2 * heights {
		proposer := height % count
		began := start[proposer]
		sent := began + time.Duration(messages*float64(c.Prepare)) + c.Flush + transfer
		for i := range count {
			// A proposal is sent to a validator whose height is known to be the current one.
			known := committed[i] + paths[i][proposer]
			arrived[i] = max(sent, known) + paths[proposer][i]
			processed := time.Duration(messages*float64(c.Process)) + time.Duration(count)*c.Verify // of the last commit
			prevoted[i] = max(start[i], arrived[i]) + processed + c.Flush
		}
		for i := range count {
			precommitted[i] = max(prevoted[i], reach(prevoted, paths, i, quorum)+votes) + c.Flush
		}
		for i := range count {
			committed[i] = max(arrived[i], reach(precommitted, paths, i, quorum)+votes)
		}
		for i := range count {
			start[i] = committed[i] + max(c.Interval, c.apply(messages))
		}
		if height == heights-1 {
			warm = slices.Min(committed)
		}
		if height >= heights {
			decided += slices.Min(committed) - began
		}
	}
	return (slices.Min(committed) - warm) / time.Duration(heights), decided / time.Duration(heights)
}

// reach returns when the votes of a quorum have reached a validator.
func reach(sent []time.Duration, paths [][]time.Duration, to, quorum int) time.Duration {
	arrived := make([]time.Duration, len(sent))
	for from, at := range sent {
		arrived[from] = at + paths[from][to]
	}
	slices.Sort(arrived)
	return arrived[quorum-1]
}

// paths returns the time that a vote takes between any two validators over their peers.
func (c *Costs) paths(n *Network) [][]time.Duration {
	const unreachable = time.Hour
	paths := make([][]time.Duration, n.Validators)
	linked := links(n.Validators, n.Peers)
	for i := range paths {
		paths[i] = make([]time.Duration, n.Validators)
		for j := range paths[i] {
			switch {
			case i == j:
			case linked[i][j]:
				paths[i][j] = n.Delay(i, j) + c.Hop
			default:
				paths[i][j] = unreachable
			}
		}
	}
	for by := range paths {
		for i := range paths {
			for j := range paths {
				paths[i][j] = min(paths[i][j], paths[i][by]+paths[by][j])
			}
		}
	}
	return paths
}

// links returns which validators are peers: all, or those beside them in a ring and random ones.
func links(validators, peers int) [][]bool {
	linked := make([][]bool, validators)
	for i := range linked {
		linked[i] = make([]bool, validators)
		for j := range linked[i] {
			linked[i][j] = i != j && peers >= validators-1
		}
	}
	if peers >= validators-1 {
		return linked
	}
	random := rand.New(rand.NewPCG(1, uint64(validators))) //nolint:gosec // reproducible
	link := func(i, j int) {
		if i != j {
			linked[i][j], linked[j][i] = true, true
		}
	}
	for i := range linked {
		link(i, (i+1)%validators)
		for range peers/2 - 1 {
			link(i, random.IntN(validators))
		}
	}
	return linked
}

// mean returns the mean path between two validators.
func mean(paths [][]time.Duration) time.Duration {
	var sum time.Duration
	for i := range paths {
		for j := range paths[i] {
			sum += paths[i][j]
		}
	}
	return sum / time.Duration(max(1, len(paths)*(len(paths)-1)))
}
