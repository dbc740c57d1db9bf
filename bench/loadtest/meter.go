package loadtest

import (
	"context"
	"os"
	"time"

	"makechain/bench/process"
	"makechain/internal/backoff"
)

// meterInterval is the time between two readings of memory and disk.
const meterInterval = time.Second

// reading is the cumulative resource usage at one time.
type reading struct {
	at          time.Time
	nodes, self process.Usage
	disk        int64              // bytes in the homes of the nodes
	flushes     int64              // of the disk with the homes
	databases   map[string]float64 // bytes written by the databases of the nodes, by database and reason
	network     int64              // bytes between nodes
	perNode     []time.Duration    // CPU time of each node; 0 if it runs on another machine
	verified    time.Duration      // time of one signature verification by the generator
}

// readings is written by one goroutine. Others may read it when that has returned. Nodes on other machines are not
// included.
type readings struct {
	reference   *reference
	first, last reading // at the start and end of the window
	perSecond   []reading
}

// meter takes readings at the start and end of the window, and every second of usage, disk and the speed of the machine.
func (r *run) meter(ctx context.Context) error {
	for at := r.start; at.Before(r.windowStart); at = at.Add(meterInterval) {
		if err := r.readUsage(ctx, at); err != nil {
			return err
		}
	}
	if err := r.readAll(ctx, r.windowStart, &r.first); err != nil {
		return err
	}
	for at := r.windowStart; at.Before(r.windowEnd); at = at.Add(meterInterval) {
		if err := r.readUsage(ctx, at); err != nil {
			return err
		}
	}
	return r.readAll(ctx, r.windowEnd, &r.last)
}

func (r *run) readUsage(ctx context.Context, at time.Time) error {
	if err := backoff.Sleep(ctx, time.Until(at)); err != nil {
		return err
	}
	now := reading{at: time.Now()}
	var err error
	if now.nodes, _, err = r.usage(); err != nil {
		return err
	}
	now.verified = r.reference.verify()
	now.disk, err = r.disk()
	r.perSecond = append(r.perSecond, now)
	return err
}

func (r *run) readAll(ctx context.Context, at time.Time, into *reading) (err error) {
	if err := backoff.Sleep(ctx, time.Until(at)); err != nil {
		return err
	}
	into.at = time.Now()
	if into.nodes, into.perNode, err = r.usage(); err != nil {
		return err
	}
	if count := r.generator.options.NetworkBytes; count != nil {
		into.network = count()
	}
	if into.self, err = process.Read(os.Getpid()); err != nil {
		return err
	}
	if home := r.generator.options.Nodes[0].Home; home != "" {
		if into.flushes, err = process.Flushes(home); err != nil {
			return err
		}
	}
	if into.databases, err = r.written(ctx); err != nil {
		return err
	}
	into.disk, err = r.disk()
	return err
}

// disk returns the size of the homes of all local nodes.
func (r *run) disk() (sum int64, err error) {
	for _, node := range r.generator.options.Nodes {
		if node.Home == "" {
			continue
		}
		size, err := process.DiskBytes(node.Home)
		if err != nil {
			return sum, err
		}
		sum += size
	}
	return sum, nil
}

// usage returns the usage of all local nodes, and the CPU time of each node.
func (r *run) usage() (sum process.Usage, cpu []time.Duration, err error) {
	nodes := r.generator.options.Nodes
	cpu = make([]time.Duration, len(nodes))
	for i, node := range nodes {
		if node.PID == 0 {
			continue
		}
		used, err := process.Read(node.PID)
		if err != nil {
			return sum, nil, err
		}
		sum, cpu[i] = sum.Add(used), used.CPU
	}
	return sum, cpu, nil
}
