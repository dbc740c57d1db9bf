package faults_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// kind is a kind of fault.
type kind string

// The kinds of faults.
const (
	kill      kind = "kill"           // a node is killed and started again
	tear      kind = "torn WAL"       // the same, and the end of its WAL is lost
	pause     kind = "pause"          // a process is suspended and resumed
	halves    kind = "halves"         // the validators are partitioned in two halves
	isolated  kind = "isolated"       // a node is disconnected in both directions
	oneWay    kind = "one way"        // messages of a node do not arrive
	slow      kind = "delay"          // messages from and to a node are delayed
	flaky     kind = "resets"         // connections of a node are reset repeatedly
	outage    kind = "two down"       // two validators are killed, so the chain stops
	full      kind = "disk full"      // the disk of a node is full
	clock     kind = "clock"          // the clock of a node is wrong
	slowFlush kind = "slow disk"      // fsyncs of a node are slow
	cut       kind = "power cut"      // a node is killed, and data without fsync is lost
	lose      kind = "lost flush"     // the same, and fsynced data of one database or log is lost too
	lie       kind = "invalid blocks" // a validator proposes invalid blocks
	forge     kind = "wrong root"     // a validator proposes a wrong app hash
	rollback  kind = "backup"         // a follower is restored from an old backup
	twin      kind = "same key"       // a follower signs with the key of a running validator
	tornPages kind = "torn pages"     // a node is killed, and some pages of its state tree are overwritten with zeros
	lostPages kind = "lost pages"     // the same, and a file of pages is lost
	flips     kind = "flipped bits"   // bits of pages and of the checkpoint change while a node runs, and then it is killed
)

// Limits of the parameters of faults.
const (
	shortestFault, longestFault = 1 * time.Second, 4 * time.Second
	maxInterval                 = 1 * time.Second // between two faults
	shortestDelay, longestDelay = 20 * time.Millisecond, 300 * time.Millisecond
	resetEvery                  = 300 * time.Millisecond
	maxTornBytes                = 4 << 10 // bytes
	maxLostFlushes              = 20      // flushes
	// maxClockError is less than the allowed difference of message timestamps, so that the node still accepts messages.
	maxClockError = 2 * time.Minute
)

// fault is a fault of a plan.
type fault struct {
	kind    kind
	victims []int // of the network's nodes; of twin the follower first
	after   time.Duration
	lasts   time.Duration
	delay   time.Duration // of slow, or the error of a clock
	bytes   int64         // lost by tear and tornPages, or surviving cut
	part    string        // database or log of lose, and the number of lost fsyncs
	flushes int
}

func (f fault) String() string {
	parts := []string{fmt.Sprintf("after %v: %s", f.after, f.kind), fmt.Sprintf("of %v for %v", f.victims, f.lasts)}
	if f.delay != 0 {
		parts = append(parts, fmt.Sprintf("by %v", f.delay))
	}
	if f.bytes > 0 {
		parts = append(parts, fmt.Sprintf("by %d bytes", f.bytes))
	}
	if f.part != "" {
		parts = append(parts, fmt.Sprintf("of %d flushes of %s", f.flushes, f.part))
	}
	return strings.Join(parts, " ")
}

// shape is the size of a network, and which faults it supports. Validators come first.
type shape struct {
	validators, followers int
	mounts                bool // small disks can be mounted
	rebuilt               bool // the program was rebuilt for faults of clocks and disks
}

func (s shape) nodes() int { return s.validators + s.followers }

// kinds returns the faults that a network supports.
func (s shape) kinds() []kind {
	all := []kind{kill, tear, pause, halves, isolated, oneWay, slow, flaky, outage, lie, forge, tornPages, lostPages, flips}
	if s.followers > 0 {
		all = append(all, rollback, twin)
	}
	if s.mounts {
		all = append(all, full)
	}
	if s.rebuilt {
		all = append(all, clock, slowFlush, cut, lose)
	}
	return all
}

// newPlan returns a sequence of faults, determined by seed, shape and kinds. No kind is repeated before all others have been
// used.
func newPlan(seed uint64, s shape, of []kind, count int) []fault {
	random := rand.New(rand.NewPCG(seed, 0))
	var plan []fault
	for len(plan) < count {
		kinds := slices.Clone(of)
		random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		for _, k := range kinds[:min(len(kinds), count-len(plan))] {
			plan = append(plan, newFault(random, s, k))
		}
	}
	return plan
}

func newFault(random *rand.Rand, s shape, k kind) fault {
	f := fault{
		kind:  k,
		after: between(random, 0, maxInterval),
		lasts: between(random, shortestFault, longestFault),
	}
	switch k {
	case halves:
		f.victims = pick(random, s.validators, s.validators/2)
		for follower := s.validators; follower < s.nodes(); follower++ {
			if random.IntN(2) == 0 {
				f.victims = append(f.victims, follower)
			}
		}
	case outage:
		f.victims = pick(random, s.validators, 2)
	case lie, forge:
		f.victims = pick(random, s.validators, 1)
	case rollback:
		f.victims = []int{s.validators + random.IntN(s.followers)}
	case twin:
		f.victims = []int{s.validators + random.IntN(s.followers), random.IntN(s.validators)}
	default:
		f.victims = pick(random, s.nodes(), 1)
	}
	switch k {
	case slow, slowFlush:
		f.delay = between(random, shortestDelay, longestDelay)
	case clock:
		f.delay = between(random, -maxClockError, maxClockError).Truncate(time.Second)
	case tear, cut, tornPages:
		f.bytes = 1 + random.Int64N(maxTornBytes)
	case lose:
		f.part, f.flushes = parts()[random.IntN(len(parts()))], 1+random.IntN(maxLostFlushes)
	}
	return f
}

func between(random *rand.Rand, low, high time.Duration) time.Duration {
	return (low + time.Duration(random.Int64N(int64(high-low)))).Truncate(time.Millisecond)
}

// pick returns count random numbers below of, sorted.
func pick(random *rand.Rand, of, count int) []int {
	chosen := random.Perm(of)[:count]
	slices.Sort(chosen)
	return chosen
}
