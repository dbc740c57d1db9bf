// Peers compares a node with two others on the same machine, in one go: with the key-value application that comes with
// CometBFT, and with one that checks signatures and writes rows but keeps no rules and no tree, which is about the most
// that such a node can do here.
//
// Each is a process of its own, with one validator and the engine settings of internal/comet. The same clients send the
// same bytes over HTTP to each, in turns, so that whatever changes with time meets all alike.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Defaults of the flags.
const (
	defaultFor     = 20 * time.Second
	defaultRate    = 2_000
	defaultClients = 64
)

// options say what is measured.
type options struct {
	length  time.Duration // that a contender of aimedRate takes for all its work
	rate    int           // messages a second when they come steadily
	clients int
	rows    int // of state before anything is measured
	json    bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// command is the program: the comparison, or one of those that are compared.
func command(ctx context.Context, args []string, out, errOut io.Writer) error {
	if len(args) > 0 && args[0] == serveCommand {
		return serve(ctx, args[1:])
	}
	o, err := parseOptions(args, errOut)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	found, err := compare(ctx, o, errOut)
	switch {
	case err != nil:
		return err
	case o.json:
		return found.writeJSON(out)
	default:
		return found.writeText(out)
	}
}

func parseOptions(args []string, errOut io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.DurationVar(&o.length, "for", defaultFor, "messages to send: those of so long at 10,000 a second")
	flags.IntVar(&o.rate, "rate", defaultRate, "messages a second when they come steadily")
	flags.IntVar(&o.clients, "clients", defaultClients, "clients, each with a batch of 100 under way")
	flags.IntVar(&o.rows, "rows", 0, "rows of state before it begins")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("%q is not a flag", flags.Arg(0))
	case o.length <= 0 || o.rate <= 0 || o.clients <= 0 || o.rows < 0:
		return o, errors.New("--for, --rate and --clients must be positive, and --rows not negative")
	}
	return o, nil
}
