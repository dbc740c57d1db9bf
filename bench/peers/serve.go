package peers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ledger"
)

// freePort selects any free port of this machine.
const freePort = "127.0.0.1:0"

// Commands of this program. serveCommand runs one of the applications with which a node is compared.
const (
	peersCommand = "peers"
	serveCommand = "serve"
)

// collectAt is GOGC, as in a node.
const collectAt = 120

// blockFrame is the size of a block beyond its transactions, whose total size is limited as in a node.
const blockFrame = 160 << 10

// serve runs an application in a home, with rows in its state, until the context ends.
func serve(ctx context.Context, name, home, rows string) error {
	count, err := strconv.Atoi(rows)
	if err != nil {
		return err
	}
	debug.SetGCPercent(collectAt)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	switch name {
	case kvstoreName:
		return servePeer(ctx, home, log, count, openKVStore)
	case ceilingName:
		return servePeer(ctx, home, log, count, openCeiling)
	default:
		return fmt.Errorf("unknown application %q, want %s or %s", name, kvstoreName, ceilingName)
	}
}

// opener opens an application in a directory, with initial rows.
type opener func(dir string, rows int) (peer, error)

// servePeer runs an application with the node's configuration of CometBFT, and serves its endpoint.
func servePeer(ctx context.Context, home string, log *slog.Logger, rows int, open opener) (err error) {
	limits := genesis.DefaultConsensus()
	limits.MaxBlockBytes = ledger.MaxBlockBytes + blockFrame
	if err := comet.Init(home, genesis.Genesis{ChainID: "peers", Network: pb.Network_NETWORK_DEVNET, Consensus: limits}); err != nil {
		return err
	}
	application, err := open(filepath.Join(home, "data"), rows)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, application.Close()) }()
	watched := newWatched(application)
	engine, err := comet.Start(ctx, comet.Config{Home: home, ListenAddress: freePort}, watched, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Stop()) }()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", freePort)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: newEndpoint(application.admit, engine.Submit, watched), ReadHeaderTimeout: readHeaderTimeout}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })() // no calls are left
	if err := announce(listener.Addr().String()); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// announce prints the address for the parent process.
func announce(address string) error {
	_, err := fmt.Fprintln(os.Stdout, addressLine+address)
	return err
}
