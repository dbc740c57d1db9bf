package peers

import (
	"os"
	"slices"
	"sync"
	"time"

	"makechain/bench/process"
)

// warmUpShare is the divisor of the number of batches that gives the warm-up of a round.
const warmUpShare = 5

// tally is the sum of the measured parts of all rounds of an application.
type tally struct {
	time      time.Duration
	cpu       time.Duration // of the application
	clients   time.Duration // CPU time of the clients
	latencies []time.Duration
}

// round is one round. It is measured from when warmUp batches have committed until the first client has sent all of its
// requests: in between all clients are busy.
type round struct {
	*tally

	usage  func() (process.Usage, error) // of the application
	warmUp int                           // batches before the measurement

	mu             sync.Mutex // guards the fields below and tally
	done           int        // batches
	started, ended bool
	start          moment
}

// moment is a time with the cumulative usage.
type moment struct {
	at           time.Time
	cpu, clients time.Duration
}

// add records a committed batch.
func (r *round) add(took time.Duration) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started && !r.ended {
		r.latencies = append(r.latencies, took)
	}
	if r.done++; r.done == r.warmUp {
		r.started = true
		r.start, err = r.now()
	}
	return err
}

// clientDone records that a client has sent all of its requests.
func (r *round) clientDone() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.started || r.ended {
		return nil
	}
	r.ended = true
	end, err := r.now()
	r.time += end.at.Sub(r.start.at)
	r.cpu += end.cpu - r.start.cpu
	r.clients += end.clients - r.start.clients
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

// measured is a tally as it is reported.
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

// percentile returns a percentile of sorted durations, in milliseconds.
func percentile(sorted []time.Duration, percent int) float64 {
	rank := (len(sorted)*percent + 99) / 100
	return float64(sorted[max(rank, 1)-1].Microseconds()) / 1000
}
