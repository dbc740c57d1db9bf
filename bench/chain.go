package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"makechain/bench/fill"
	"makechain/bench/process"
	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/testnet"
)

const (
	// filledTimeout is how long a node with a large state may take to start: some minutes if it builds its state tree from the rows.
	filledTimeout = time.Hour
	// filledFile is the file in the directory of a chain that describes how it was filled.
	filledFile = "filled.json"
	// idlePoll is the time between two checks whether a chain is idle.
	idlePoll = 200 * time.Millisecond
)

// chain is a chain that is started for a measurement.
type chain struct {
	network *process.Network
	options process.Options
}

// filled is the content of filledFile.
type filled struct {
	Wanted uint64 `json:"wanted"` // --fill
	Rows   uint64 `json:"rows"`
	Height uint64 `json:"height"`
	Root   []byte `json:"root"`
}

// start starts a network in a directory, of the program that --program names or that is built. It is filled first if --fill is set.
func (f *flags) start(ctx context.Context, dir string, progress func(doing string, at, total int)) (_ *chain, err error) {
	program := f.program
	if program == "" {
		if program, err = process.Build(ctx, dir); err != nil {
			return nil, err
		}
	}
	c := &chain{options: process.Options{
		Program: program, Dir: filepath.Join(dir, "net"), Validators: f.validators, Followers: f.followers, Flags: f.nodeFlags,
	}}
	if c.options.Delay, err = f.delays(); err != nil {
		return nil, err
	}
	if f.home != "" {
		c.options.Dir, c.options.Timeout = f.home, filledTimeout
	}
	if f.options.Profile != "" {
		c.options.Flags = append(c.options.Flags, "--profiles")
	}
	if f.fill > 0 {
		c.options.Timeout = filledTimeout
		options := fill.Options{Rows: f.fill, Seed: f.options.Seed, Progress: func(at, total int) { progress("filling", at, total) }}
		if err := c.fill(ctx, options); err != nil {
			return nil, fmt.Errorf("filling: %w", err)
		}
	}
	progress("starting", 0, 0)
	c.network, err = process.Start(ctx, c.options)
	return c, err
}

// fill creates a chain and fills it, unless an earlier run has done so.
func (c *chain) fill(ctx context.Context, options fill.Options) error {
	if c.options.Validators != 1 {
		return errors.New("only a chain of one validator can be filled")
	}
	path := filepath.Join(c.options.Dir, filledFile)
	stored, err := os.ReadFile(path)
	if err == nil {
		return checkFilled(path, stored, options.Rows)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := testnet.Read(c.options.Dir); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s has a chain that is not filled: use another --home", c.options.Dir), err)
	}
	home, err := c.create(ctx)
	if err != nil {
		return err
	}
	result, err := fill.Home(ctx, home, options)
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(filled{options.Rows, result.Rows, result.Height, result.Root[:]})
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(encoded, '\n'), 0o600)
}

// checkFilled checks that a chain that is used again has the requested number of rows.
func checkFilled(path string, stored []byte, rows uint64) error {
	var found filled
	if err := json.Unmarshal(stored, &found); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if found.Wanted != rows {
		return fmt.Errorf("%s: the chain was filled with --fill %d, not %d: use another --home", path, found.Wanted, rows)
	}
	return nil
}

// create creates a chain, and stops it when it has blocks and is idle. It returns the home of its node.
func (c *chain) create(ctx context.Context) (home string, err error) {
	for idle := false; !idle; {
		network, err := process.Start(ctx, c.options)
		if err != nil {
			return "", err
		}
		home = network.Nodes[0].Home
		if err := errors.Join(awaitIdle(ctx, network.Nodes[0].Address), network.Stop()); err != nil {
			return "", err
		}
		if idle, err = fill.Idle(home); err != nil {
			return "", err
		}
	}
	return home, nil
}

// awaitIdle waits until a chain has blocks, and no new one between two polls.
func awaitIdle(ctx context.Context, address string) error {
	c, err := client.New(address)
	if err != nil {
		return err
	}
	defer c.Close()
	for last := uint64(0); ; {
		status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
		if err != nil {
			return err
		}
		if last > 0 && status.GetCurrentBlock() == last {
			return nil
		}
		last = status.GetCurrentBlock()
		if err := backoff.Sleep(ctx, idlePoll); err != nil {
			return err
		}
	}
}
