package nodetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"makechain/internal/node"
)

// Serve runs a node in a process of its own until it is told to stop, and prints where it serves, for Launch to read. It
// does not outlive its parent, which holds the other end of its input.
func Serve(config node.Config) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // it ends with the parent, however that ends
		os.Exit(1)
	}()
	n, err := node.New(ctx, config)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, AddressPrefix+n.GRPCAddr()); err != nil {
		return errors.Join(err, n.Close())
	}
	return n.Run(ctx)
}
