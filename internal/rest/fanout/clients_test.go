package fanout_test

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

// Variables that make a process of this test run clients instead of tests.
const (
	addressVariable = "MAKECHAIN_FANOUT_ADDRESS"
	sizeVariable    = "MAKECHAIN_FANOUT_CLIENTS"
)

const (
	// timeout is how long clients may take to connect, and to receive the last events.
	timeout = 60 * time.Second
	// pollInterval is the time between two checks of a condition.
	pollInterval = 10 * time.Millisecond
	// dials is the number of clients that connect at a time: less than the listen backlog.
	dials = 64
)

func TestMain(m *testing.M) {
	address, isClients := os.LookupEnv(addressVariable)
	if !isClients {
		os.Exit(m.Run())
	}
	if err := runClients(address); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// summary is the result of all clients.
type summary struct {
	Events int64         `json:"events"`
	Bytes  int           `json:"bytes"`
	Digest uint64        `json:"digest"` // of the ids in order
	Median time.Duration `json:"median"` // from submission to the client
	P99    time.Duration `json:"p99"`
	Max    time.Duration `json:"max"`
}

// runClients connects clients and prints "connected", reads the number of events from its input, waits until every client has
// received them, and prints a summary.
func runClients(address string) error {
	size, err := strconv.Atoi(os.Getenv(sizeVariable))
	if err != nil {
		return err
	}
	c := &clientSet{clients: make([]*client, size), failed: make(chan error, size)}
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
	if err := c.await("receive all events", func(c *client) bool { return c.events.Load() >= events }); err != nil {
		return err
	}
	saw, err := c.end()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(saw)
}

// clientSet is a set of clients.
type clientSet struct {
	clients  []*client
	running  sync.WaitGroup
	isEnding atomic.Bool
	failed   chan error
}

// connect starts the clients, a limited number at a time.
func (c *clientSet) connect(address string) {
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

// await waits until a condition holds for all clients, or one fails.
func (c *clientSet) await(what string, holds func(*client) bool) error {
	ticker, late := time.NewTicker(pollInterval), time.After(timeout)
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

// end stops the clients and checks that all received the same events.
func (c *clientSet) end() (*summary, error) {
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
			return nil, fmt.Errorf("client %d received %d events with digest %x, the first client %d with %x",
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
