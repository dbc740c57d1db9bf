// Devchain runs an EVM chain on this machine for trying out a network whose storage is paid for: go-ethereum's simulated chain with the
// contract StorageRent and accounts with test money. It is not a chain to trust: its keys are public, and it keeps nothing when it ends.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"makechain/tools/evm/jsonrpc"
)

// defaultListen are two addresses, because an attester requires two RPC providers.
const defaultListen = "127.0.0.1:8545,127.0.0.1:8546"

// headerTimeout bounds how long a client may take to send the header of a request.
const headerTimeout = 10 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "devchain:", err)
		os.Exit(1)
	}
}

// run serves the chain until the context is done.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("devchain", flag.ContinueOnError)
	listen := flags.String("listen", defaultListen, "addresses to serve JSON-RPC on; each is a provider of the same chain")
	contract := flags.String("contract", "../../contracts/build/StorageRent.json", "compiled contract to deploy")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c, err := open(ctx, *contract)
	if err != nil {
		return err
	}
	defer c.close()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		jsonrpc.Serve(w, r, func(request jsonrpc.Request) jsonrpc.Response { return jsonrpc.Forward(r.Context(), c.rpc, request) })
	})
	served := &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout}
	failed := make(chan error, 1)
	fmt.Fprintf(out, "settlement chain  %s\n", c.chainID)
	for address := range strings.SplitSeq(*listen, ",") {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if err != nil {
			return errors.Join(err, served.Close())
		}
		go func() { failed <- served.Serve(listener) }()
		fmt.Fprintf(out, "JSON-RPC          http://%s\n", listener.Addr())
	}
	fmt.Fprintf(out, "contract          %s, in block %s\nprice             %s wei per unit\n",
		strings.ToLower(c.contract.Hex()), c.deployedIn, c.price)
	for i, one := range c.accounts {
		fmt.Fprintf(out, "test key %d        %x of %s\n", i, one.key.D.FillBytes(make([]byte, 32)), strings.ToLower(one.address.Hex()))
	}
	fmt.Fprintln(out, "stop              Ctrl-C")
	ticker := time.NewTicker(mineInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return served.Close()
		case err := <-failed:
			return errors.Join(err, served.Close())
		case <-ticker.C:
			if err := c.mine(ctx); err != nil && ctx.Err() == nil {
				return errors.Join(err, served.Close())
			}
		}
	}
}
