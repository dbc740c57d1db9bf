package nodetest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"makechain/internal/node"
)

// Interval is the pause between blocks of a node in a test.
const Interval = 10 * time.Millisecond

// freePort is an address of this machine that nobody listens on.
const freePort = "127.0.0.1:0"

// Node is a node that runs in the process of the test.
type Node struct {
	*node.Node
	*Client

	home   string
	cancel context.CancelFunc
	done   chan error
}

// Config is that of a node in a home, on ports that are free, with blocks that follow one another fast.
func Config(home string, log *slog.Logger) node.Config {
	config := node.Config{Home: home, P2PAddr: freePort, BlockInterval: Interval, Faucet: true, Version: "test", Log: log}
	config.GRPC.Addr, config.RESTAddr = freePort, freePort
	return config
}

// Start runs a node in a home until the test ends, unless it is stopped before.
func Start(tb testing.TB, home string) *Node {
	tb.Helper()
	log := slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	return StartWith(tb, Config(home, log))
}

// StartWith runs a node with a configuration of its own.
func StartWith(tb testing.TB, config node.Config) *Node {
	tb.Helper()
	built, err := node.New(tb.Context(), config)
	if err != nil {
		tb.Fatal(err)
	}
	// A test's own context ends before its cleanup, in which nodes are stopped with their reasons.
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	n := &Node{Node: built, home: config.Home, Client: Dial(built.GRPCAddr()), cancel: cancel, done: make(chan error, 1)}
	go func() { n.done <- built.Run(ctx) }()
	tb.Cleanup(func() { n.Stop(tb) })
	return n
}

// Home is the directory of the node.
func (n *Node) Home() string { return n.home }

// Stop ends the node and waits for it. A node that has ended already is left alone.
func (n *Node) Stop(tb testing.TB) {
	tb.Helper()
	if n.cancel == nil {
		return
	}
	n.Client.Close()
	n.cancel()
	n.cancel = nil
	if err := <-n.done; err != nil {
		tb.Errorf("the node ended with: %v", err)
	}
}
