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

// Serve runs a node in a child process until SIGTERM, and prints its address, which Launch reads. It exits when its parent
// exits, which closes its standard input.
func Serve(config node.Config) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // it returns when the parent exits
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
