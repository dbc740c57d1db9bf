package loadtest

import (
	"context"
	"os"
	"time"

	"makechain/bench/process"
)

// meterInterval is the time between two readings.
const meterInterval = time.Second

// reading is what everything had used at a time.
type reading struct {
	at          time.Time
	nodes, self process.Usage
	disk        int64 // bytes in the homes of the nodes
	flushes     int64 // of the disk they lie on
}

// metered is what one goroutine reads of the processes; others use it when that has ended. Nodes that run elsewhere use
// nothing that can be seen.
type metered struct {
	first, last reading   // at the ends of the window
	course      []reading // in each second
}

// meter reads at the ends of the window, and memory and disk on the way.
func (r *run) meter(ctx context.Context) error {
	for at := r.start; at.Before(r.begun); at = at.Add(meterInterval) {
		if err := r.follow(ctx, at); err != nil {
			return err
		}
	}
	if err := r.readAll(ctx, r.begun, &r.first); err != nil {
		return err
	}
	for at := r.begun; at.Before(r.end); at = at.Add(meterInterval) {
		if err := r.follow(ctx, at); err != nil {
			return err
		}
	}
	return r.readAll(ctx, r.end, &r.last)
}

func (r *run) follow(ctx context.Context, at time.Time) error {
	if err := sleep(ctx, time.Until(at)); err != nil {
		return err
	}
	now := reading{at: time.Now()}
	var err error
	if now.nodes, err = r.usage(); err != nil {
		return err
	}
	now.disk, err = r.disk()
	r.course = append(r.course, now)
	return err
}

func (r *run) readAll(ctx context.Context, at time.Time, into *reading) (err error) {
	if err := sleep(ctx, time.Until(at)); err != nil {
		return err
	}
	into.at = time.Now()
	if into.nodes, err = r.usage(); err != nil {
		return err
	}
	if into.self, err = process.Read(os.Getpid()); err != nil {
		return err
	}
	if home := r.bench.options.Nodes[0].Home; home != "" {
		if into.flushes, err = process.Flushes(home); err != nil {
			return err
		}
	}
	into.disk, err = r.disk()
	return err
}

// disk is the size of the homes of all nodes of this machine.
func (r *run) disk() (sum int64, err error) {
	for _, node := range r.bench.options.Nodes {
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

// usage is what all nodes of this machine use.
func (r *run) usage() (process.Usage, error) {
	var sum process.Usage
	for _, node := range r.bench.options.Nodes {
		if node.PID == 0 {
			continue
		}
		used, err := process.Read(node.PID)
		if err != nil {
			return sum, err
		}
		sum = sum.Add(used)
	}
	return sum, nil
}
