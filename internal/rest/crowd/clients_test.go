package crowd_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What makes a process of this test a crowd of clients instead of tests.
const (
	addressVariable = "MAKECHAIN_CROWD_ADDRESS"
	sizeVariable    = "MAKECHAIN_CROWD_SIZE"
)

const (
	// patience is how long clients may take to connect, and for the last events once they know how many there are.
	patience = 60 * time.Second
	// pollInterval is the time between two looks at a condition.
	pollInterval = 10 * time.Millisecond
	// dials is how many clients connect at a time: less than what may wait to be accepted.
	dials = 64
)

func TestMain(m *testing.M) {
	address, isCrowd := os.LookupEnv(addressVariable)
	if !isCrowd {
		os.Exit(m.Run())
	}
	if err := runCrowd(address); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A summary is what every client of a crowd saw.
type summary struct {
	Events int64         `json:"events"`
	Bytes  int           `json:"bytes"`
	Digest uint64        `json:"digest"` // of the ids in order
	Median time.Duration `json:"median"` // from submission to the client
	P99    time.Duration `json:"p99"`
	Max    time.Duration `json:"max"`
}

// runCrowd connects clients and says so, reads from its input how many events there are, waits until every client has
// them, and prints what they saw.
func runCrowd(address string) error {
	size, err := strconv.Atoi(os.Getenv(sizeVariable))
	if err != nil {
		return err
	}
	c := &crowd{clients: make([]*client, size), failed: make(chan error, size)}
	c.connect(address)
	if err := c.await("connect", func(c *client) bool { return c.isConnected.Load() }); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, "connected"); err != nil {
		return err
	}
	var events int64
	if _, err := fmt.Fscan(os.Stdin, &events); err != nil {
		return err
	}
	if err := c.await("get all events", func(c *client) bool { return c.events.Load() >= events }); err != nil {
		return err
	}
	saw, err := c.end()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(saw)
}

// crowd are many clients.
type crowd struct {
	clients  []*client
	running  sync.WaitGroup
	isEnding atomic.Bool
	failed   chan error
}

// connect starts the clients, some at a time.
func (c *crowd) connect(address string) {
	dialing := make(chan struct{}, dials)
	for i := range c.clients {
		each := new(client)
		c.clients[i] = each
		c.running.Go(func() {
			dialing <- struct{}{}
			err := each.connect(address)
			<-dialing
			if err == nil {
				err = each.read()
			}
			if !c.isEnding.Load() {
				c.failed <- fmt.Errorf("client %d: %w", i, err)
			}
		})
	}
}

// await looks at all clients until something holds for each of them, or one fails.
func (c *crowd) await(what string, holds func(*client) bool) error {
	ticker, late := time.NewTicker(pollInterval), time.After(patience)
	defer ticker.Stop()
	for slices.ContainsFunc(c.clients, func(each *client) bool { return !holds(each) }) {
		select {
		case <-ticker.C:
		case err := <-c.failed:
			return err
		case <-late:
			return errors.New("some clients do not " + what)
		}
	}
	return nil
}

// end stops the clients and compares what they saw.
func (c *crowd) end() (*summary, error) {
	c.isEnding.Store(true)
	for _, each := range c.clients {
		if err := each.conn.Close(); err != nil {
			return nil, err
		}
	}
	c.running.Wait()
	first := c.clients[0]
	var lags []time.Duration
	for i, each := range c.clients {
		if each.events.Load() != first.events.Load() || each.digest != first.digest {
			return nil, fmt.Errorf("client %d saw %d events, digest %x; the first one %d, %x",
				i, each.events.Load(), each.digest, first.events.Load(), first.digest)
		}
		lags = append(lags, each.lags...)
	}
	slices.Sort(lags)
	return &summary{
		Events: first.events.Load(), Bytes: first.bytes, Digest: first.digest,
		Median: lags[len(lags)/2], P99: lags[len(lags)*99/100], Max: lags[len(lags)-1],
	}, nil
}
