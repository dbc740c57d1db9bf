// Package explorer has the command that serves the web page from the user's own program, for any node.
//
// A page that is served by the node whose answers it verifies proves nothing. This one comes from the program of the user, and
// nothing that the node returns is code: REST and its documents are computed here from calls of the node.
package explorer

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os/exec"
	"runtime"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/gateway"
	"makechain/internal/server"
	"makechain/web"
)

// DefaultAddr is the default address of the explorer. The port is fixed, because browsers keep what a page stores by its port.
const DefaultAddr = "localhost:8090"

// explorer has the flags of the command.
type explorer struct {
	trust trust
	logs  settings.LogFlags

	address string
	open    bool
}

// New returns the command explorer.
func New() *cobra.Command {
	e := new(explorer)
	command := &cobra.Command{
		Use:   "explorer",
		Short: "Serve the web page for a node from this program",
		Long: `The page verifies in the browser what the node returns, up to the signatures of the validators. A
page that comes from the node itself could pretend to do so; this one comes from your own program. It trusts the
validators of --genesis, or of the block of --trust, or of the first connection to the node, as other
commands do. It listens on this machine only, and refuses requests of other web sites.`,
		Example: "  makechain explorer --node https://node.example --genesis genesis.json\n" +
			"  makechain explorer --node https://node.example --trust 12001:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --open",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return e.run(command) },
	}
	flags := command.Flags()
	e.trust.register(flags)
	e.logs.Register(flags)
	flags.StringVar(&e.address, "listen", DefaultAddr, "address to serve on: localhost and a port, 0 for any")
	flags.BoolVar(&e.open, "open", false, "open the page in the browser")
	return command
}

// run serves the page until it is interrupted.
func (e *explorer) run(command *cobra.Command) error {
	if err := checkLoopback(e.address); err != nil {
		return usage.Errorf(command, "--listen: %w", err)
	}
	if err := e.trust.connect(command); err != nil {
		return err
	}
	defer e.trust.close()
	log, err := e.logs.Logger(command.ErrOrStderr())
	if err != nil {
		return err
	}
	upstream, err := gateway.Dial(e.trust.flags.Node, log)
	if err != nil {
		return usage.Errorf(command, "--node: %w", err)
	}
	known, err := e.trust.first(command.Context())
	if client.IsUnreachable(err) && command.Context().Err() == nil {
		known = "not known yet: the node cannot be reached"
	} else if err != nil {
		return err
	}
	guard := new(guard)
	registry := prometheus.NewRegistry()
	g, err := gateway.New(gateway.Config{
		Server:   server.Config{Addr: e.address, Log: log, Registerer: registry, Admit: guard.admit},
		Upstream: upstream, Gatherer: registry, Version: settings.Version(),
		Describe: func(r *http.Request) (web.Description, error) {
			trusted, err := e.trust.get(r.Context())
			return web.Description{
				ServedBy: web.ServedByExplorer, Node: e.trust.flags.Node, ContentHost: upstream.ContentHost(), Trust: trusted,
			}, err
		},
	})
	if err != nil {
		return settings.AdviseOnPorts(err, "another port: --listen localhost:8091")
	}
	if err := guard.serve(g.URL()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(command.OutOrStdout(), "node     %s\ntrust    %s\npage     %s\nstop     Ctrl-C\n", e.trust.flags.Node, known, g.LocalURL())
	if err != nil {
		return err
	}
	if e.open {
		openBrowser(command.Context(), g.LocalURL())
	}
	return g.Run(command.Context())
}

// checkLoopback returns an error if an address is not on this machine.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip, err := netip.ParseAddr(host); strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%q is not localhost: the explorer serves this machine only", host)
}

// openBrowser opens a URL in the browser of the user, if there is one. The URL is printed in any case.
func openBrowser(ctx context.Context, url string) {
	program, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	command := exec.CommandContext(ctx, program, args...) //nolint:gosec // the URL is that of this program
	if command.Start() == nil {
		go func() { _ = command.Wait() }()
	}
}
