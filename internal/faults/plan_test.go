package faults_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// kind is what a fault is.
type kind string

// The faults there are.
const (
	kill     kind = "kill"       // a node dies, and starts again
	tear     kind = "torn log"   // so it does, and the end of its log of votes is lost
	pause    kind = "stop"       // a node stands still, and goes on as if no time had passed
	halves   kind = "halves"     // no half of the validators hears the other
	alone    kind = "alone"      // one node hears nobody, and nobody hears it
	mute     kind = "one way"    // one node hears all others, and nobody hears it
	slow     kind = "delay"      // what one node says and hears arrives late
	flaky    kind = "resets"     // connections of one node break again and again
	outage   kind = "two down"   // two validators die, which is more than the chain can do without
	full     kind = "disk full"  // a node cannot write any more
	clock    kind = "clock"      // a node believes it to be earlier or later than it is
	sluggish kind = "slow disk"  // a node takes long to flush what it writes
	cut      kind = "power cut"  // a node dies, and what it had not flushed is lost
	lose     kind = "lost flush" // a node dies, and of one of its databases or logs what it had flushed is lost too
	lie      kind = "liar"       // a validator proposes invalid blocks
	forge    kind = "forger"     // a validator has come to another state than the others, and proposes its root
	rollback kind = "backup"     // a follower is set back to a backup of the beginning
	twin     kind = "same key"   // a follower signs with the key of a validator that goes on
)

// Bounds of what a plan says.
const (
	shortestFault, longestFault = 1 * time.Second, 4 * time.Second
	longestPause                = 1 * time.Second // between two faults
	shortestDelay, longestDelay = 20 * time.Millisecond, 300 * time.Millisecond
	resetEvery                  = 300 * time.Millisecond
	longestTear                 = 4 << 10 // bytes
	mostLost                    = 20      // flushes
	// mostWrong is less than a message may be early or late, so that the node can still judge.
	mostWrong = 2 * time.Minute
)

// fault is one thing that happens.
type fault struct {
	kind    kind
	victims []int // of the network's nodes; of twin the follower first
	after   time.Duration
	lasts   time.Duration
	delay   time.Duration // of slow, and by how much a clock is ahead
	bytes   int64         // of tear, and of cut that survive
	part    string        // of lose, and how many flushes of it
	flushes int
}

func (f fault) String() string {
	words := []string{fmt.Sprintf("after %v: %s", f.after, f.kind), fmt.Sprintf("of %v for %v", f.victims, f.lasts)}
	if f.delay != 0 {
		words = append(words, fmt.Sprintf("by %v", f.delay))
	}
	if f.bytes > 0 {
		words = append(words, fmt.Sprintf("by %d bytes", f.bytes))
	}
	if f.part != "" {
		words = append(words, fmt.Sprintf("of %d flushes of %s", f.flushes, f.part))
	}
	return strings.Join(words, " ")
}

// shape is how many nodes a network has. Validators come first.
type shape struct {
	validators, followers int
	mounts                bool // disks of its own making can be put in place
	rebuilt               bool // the program was built to have clocks and disks that can be wrong
}

func (s shape) nodes() int { return s.validators + s.followers }

// kinds are the faults that a network of the shape can have.
func (s shape) kinds() []kind {
	all := []kind{kill, tear, pause, halves, alone, mute, slow, flaky, outage, lie, forge}
	if s.followers > 0 {
		all = append(all, rollback, twin)
	}
	if s.mounts {
		all = append(all, full)
	}
	if s.rebuilt {
		all = append(all, clock, sluggish, cut, lose)
	}
	return all
}

// newPlan makes up faults of some kinds that follow one another. The same seed, shape and kinds always give the same,
// and no kind comes a second time before all others came.
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
		after: between(random, 0, longestPause),
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
	case slow, sluggish:
		f.delay = between(random, shortestDelay, longestDelay)
	case clock:
		f.delay = between(random, -mostWrong, mostWrong).Truncate(time.Second)
	case tear, cut:
		f.bytes = 1 + random.Int64N(longestTear)
	case lose:
		f.part, f.flushes = parts()[random.IntN(len(parts()))], 1+random.IntN(mostLost)
	}
	return f
}

func between(random *rand.Rand, low, high time.Duration) time.Duration {
	return (low + time.Duration(random.Int64N(int64(high-low)))).Truncate(time.Millisecond)
}

// pick chooses some of the first so many.
func pick(random *rand.Rand, of, count int) []int {
	chosen := random.Perm(of)[:count]
	slices.Sort(chosen)
	return chosen
}
