package peers

import (
	"os"
	"slices"
	"sync"
	"time"

	"makechain/bench/process"
)

// warmUpShare is the part of a turn's batches, one of so many, after which it counts.
const warmUpShare = 5

// tally is what a contender did in all its turns, as far as it counts.
type tally struct {
	time      time.Duration
	cpu       time.Duration // of the contender
	clients   time.Duration // processor time of the clients
	latencies []time.Duration
}

// round is one turn. It counts from when some of the batches have committed to when the first client has sent all of
// its own: between that all clients are at work.
type round struct {
	*tally

	usage  func() (process.Usage, error) // of the contender
	warmUp int                           // batches before it counts

	mu           sync.Mutex // guards what follows, and tally
	done         int        // batches
	opened, shut bool
	begin        moment
}

// moment is when something was, and what had been used by then.
type moment struct {
	at           time.Time
	cpu, clients time.Duration
}

// add counts a batch that has committed.
func (r *round) add(took time.Duration) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened && !r.shut {
		r.latencies = append(r.latencies, took)
	}
	if r.done++; r.done == r.warmUp {
		r.opened = true
		r.begin, err = r.now()
	}
	return err
}

// spent says that a client has nothing left to send.
func (r *round) spent() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.opened || r.shut {
		return nil
	}
	r.shut = true
	end, err := r.now()
	r.time += end.at.Sub(r.begin.at)
	r.cpu += end.cpu - r.begin.cpu
	r.clients += end.clients - r.begin.clients
	return err
}

func (r *round) now() (moment, error) {
	used, err := r.usage()
	if err != nil {
		return moment{}, err
	}
	own, err := process.Read(os.Getpid())
	return moment{at: time.Now(), cpu: used.CPU, clients: own.CPU}, err
}

// measured is what is told of a tally.
type measured struct {
	Messages                int     `json:"messages"`
	Seconds                 float64 `json:"seconds"`
	CommittedPerSecond      float64 `json:"committed_per_second"`
	CPUMicrosPerMessage     float64 `json:"cpu_us_per_message"`
	ClientsMicrosPerMessage float64 `json:"clients_cpu_us_per_message"`
	CommittedP50            float64 `json:"committed_ms_p50"`
	CommittedP99            float64 `json:"committed_ms_p99"`
}

func (t *tally) measured() measured {
	m := measured{Messages: len(t.latencies) * batchSize, Seconds: t.time.Seconds()}
	if m.Messages == 0 {
		return m
	}
	slices.Sort(t.latencies)
	n := float64(m.Messages)
	m.CommittedPerSecond = n / m.Seconds
	m.CPUMicrosPerMessage, m.ClientsMicrosPerMessage = float64(t.cpu.Microseconds())/n, float64(t.clients.Microseconds())/n
	m.CommittedP50, m.CommittedP99 = percentile(t.latencies, 50), percentile(t.latencies, 99)
	return m
}

// percentile is the least of sorted times that so many of a hundred do not exceed, in milliseconds.
func percentile(sorted []time.Duration, percent int) float64 {
	rank := (len(sorted)*percent + 99) / 100
	return float64(sorted[max(rank, 1)-1].Microseconds()) / 1000
}
