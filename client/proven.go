package client

import (
	"context"
	"fmt"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/proof"
	"makechain/proof/finality"
)

const (
	// maxListAttempts is how often a list of several pages is read when the node no longer keeps its root.
	maxListAttempts = 3
	// rollbackTimeout is the default of WithRollbackTimeout: a node that returns blocks before the highest known one may only be
	// behind the node that returned that block. rollbackPoll is the time between two attempts.
	rollbackTimeout = 10 * time.Second
	rollbackPoll    = 250 * time.Millisecond
)

// RollbackError is returned when a node returns a state before the highest block that trusted validators have certified to this
// client or, with WithBlockMemory, to earlier ones. The node is behind, or it conceals what has happened since.
type RollbackError struct {
	Node    string
	ChainID string
	Block   uint64 // returned by the node
	Highest uint64 // known before
}

func (e *RollbackError) Error() string {
	return fmt.Sprintf("the node at %s returned the state after block %d of chain %s, but block %d is known", e.Node, e.Block, e.ChainID, e.Highest)
}

// NodeError is an error about a node, which it names: what the node returned is wrong, or it returned nothing.
type NodeError struct {
	Node string // host and port
	Err  error
}

func (e *NodeError) Error() string { return "node " + e.Node + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *NodeError) Unwrap() error { return e.Err }

// BlockMemory stores the highest verified block of each chain for later clients.
type BlockMemory interface {
	// HighestBlock returns the number of the highest stored block of a chain, 0 when there is none.
	HighestBlock(chainID string) (uint64, error)
	// SetHighestBlock stores the number of a block that is higher than what HighestBlock returned.
	SetHighestBlock(chainID string, number uint64) error
}

// WithBlockMemory makes the client refuse states before the highest block in a memory, and store higher ones there.
func WithBlockMemory(memory BlockMemory) Option {
	return func(c *Client) { c.memory = memory }
}

// reachBlock notes that a block of the trusted chain is certified and returns the number of the highest such block. With store it
// reads and updates the memory.
func (c *Client) reachBlock(chainID string, number uint64, store bool) (highest uint64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.highest = max(c.highest, number)
	if c.memory == nil || !store {
		return c.highest, nil
	}
	stored, err := c.memory.HighestBlock(chainID)
	if err == nil && c.highest > stored {
		err = c.memory.SetHighestBlock(chainID, c.highest)
	}
	c.highest = max(c.highest, stored)
	return c.highest, err
}

// readNewest calls read until it returns a state that is not before the highest block that was known when it was called, for
// the client's rollback timeout. It repeats a list whose root the node no longer keeps.
func readNewest[T any](ctx context.Context, c *Client, read func(context.Context) (T, Proven, error)) (result T, err error) {
	trust, err := c.Trust(ctx)
	if err != nil {
		return result, err
	}
	highest, err := c.reachBlock(trust.ChainID, 0, true)
	if err != nil {
		return result, err
	}
	var deadline time.Time // zero before the first older state
	for attempt := 1; ; attempt++ {
		got, proven, err := read(ctx)
		if connect.CodeOf(err) == connect.CodeAborted && connect.IsWireError(err) && attempt < maxListAttempts {
			continue
		}
		if err != nil {
			return result, err
		}
		_, err = c.reachBlock(trust.ChainID, proven.Block, true)
		if err != nil || proven.Block >= highest {
			return got, err
		}
		if deadline.IsZero() {
			deadline = time.Now().Add(c.rollbackTimeout)
		}
		if time.Now().After(deadline) {
			return result, &RollbackError{Node: c.Target(), ChainID: trust.ChainID, Block: proven.Block, Highest: highest}
		}
		if err := backoff.Sleep(ctx, rollbackPoll); err != nil {
			return result, err
		}
	}
}

// readRows verifies a complete proof of the rows with a prefix and calls add for each of them.
func readRows(root [32]byte, prefix []byte, rows *pb.CompactRangeProof, add func(key, value []byte) error) error {
	if err := proof.VerifyCompactRange(root, prefix, nil, true, rows); err != nil {
		return err
	}
	for _, row := range rows.GetRows() {
		if err := add(row.GetKey(), row.GetValue()); err != nil {
			return fmt.Errorf("row %x: %w", row.GetKey(), err)
		}
	}
	return nil
}

// provenPage is a page of a list that is proven at one root.
type provenPage struct {
	block      uint64
	lightBlock []byte
	rows       *pb.CompactRangeProof
	next       []byte                    // the cursor of the next page; empty for the last one
	verify     func(root [32]byte) error // verifies other parts of the page; may be nil
}

// readProven reads all pages of the rows with a prefix at one root and calls add for each row. fetch requests a page.
func readProven(
	ctx context.Context, c *Client, prefix []byte, add func(key, value []byte) error,
	fetch func(ctx context.Context, cursor []byte) (*provenPage, error),
) (Proven, error) {
	var proven Proven
	var root [32]byte
	var cursor, after []byte
	for {
		page, err := fetch(ctx, cursor)
		if err != nil {
			return proven, err
		}
		switch {
		case cursor == nil:
			if root, err = c.verifyRoot(ctx, page.lightBlock, page.block); err != nil {
				return proven, err
			}
			proven.Block = page.block
			if proven.Time, err = finality.VoteTime(page.lightBlock); err != nil {
				return proven, fmt.Errorf("time of block %d: %w", page.block, err)
			}
		case page.block != proven.Block:
			return proven, fmt.Errorf("the node at %s returned pages of blocks %d and %d for one list", c.Target(), proven.Block, page.block)
		}
		if page.verify != nil {
			if err := page.verify(root); err != nil {
				return proven, err
			}
		}
		complete := len(page.next) == 0
		if err := proof.VerifyCompactRange(root, prefix, after, complete, page.rows); err != nil {
			return proven, err
		}
		for _, row := range page.rows.GetRows() {
			if err := add(row.GetKey(), row.GetValue()); err != nil {
				return proven, err
			}
			after = row.GetKey()
		}
		if complete {
			return proven, nil
		}
		cursor = page.next
	}
}
