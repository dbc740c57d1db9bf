package nodetest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"makechain/internal/node"
)

// Interval is the block interval of a node in a test.
const Interval = 10 * time.Millisecond

// freePort is a loopback address with a free port.
const freePort = "127.0.0.1:0"

// Node is a node that runs in the process of the test.
type Node struct {
	*node.Node
	*Client

	home   string
	cancel context.CancelFunc
	done   chan error
}

// Config returns the configuration of a node in a home, on free ports and with a short block interval.
func Config(home string, log *slog.Logger) node.Config {
	config := node.Config{Home: home, P2PAddr: freePort, BlockInterval: Interval, Faucet: true, Version: "test", Log: log}
	config.GRPC.Addr, config.RESTAddr = freePort, freePort
	return config
}

// Start starts a node in a home. It is stopped when the test ends.
func Start(tb testing.TB, home string) *Node {
	tb.Helper()
	log := slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	return StartWith(tb, Config(home, log))
}

// StartWith starts a node with a configuration.
func StartWith(tb testing.TB, config node.Config) *Node {
	tb.Helper()
	built, err := node.New(tb.Context(), config)
	if err != nil {
		tb.Fatal(err)
	}
	// The context of a test ends before its cleanup, which stops the node.
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	n := &Node{Node: built, home: config.Home, Client: Dial(built.GRPCAddr()), cancel: cancel, done: make(chan error, 1)}
	go func() { n.done <- built.Run(ctx) }()
	tb.Cleanup(func() { n.Stop(tb) })
	return n
}

// Home returns the directory of the node.
func (n *Node) Home() string { return n.home }

// Stop stops the node and waits for it. Later calls do nothing.
func (n *Node) Stop(tb testing.TB) {
	tb.Helper()
	if n.cancel == nil {
		return
	}
	n.Client.Close()
	n.cancel()
	n.cancel = nil
	if err := <-n.done; err != nil {
		tb.Errorf("the node stopped with: %v", err)
	}
}
