package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"makechain/internal/node/nodetest"
)

// machine is a configuration directory, used by whole commands.
type machine struct {
	t   *testing.T
	dir string
}

// run runs a command against a node and gives what it printed.
func (m *machine) run(ctx context.Context, n *nodetest.Node, args ...string) (string, error) {
	m.t.Helper()
	var out strings.Builder
	command := newRootCommand()
	command.SetArgs(append(args, "--config-dir", m.dir, "--node", n.GRPCAddr()))
	command.SetOut(&out)
	command.SetErr(&out)
	err := command.ExecuteContext(ctx)
	return out.String(), err
}

// TestAccountOfAnotherChain refuses to sign for a chain that the node does not serve, until the account is put there
// too. Development chains are begun anew all the time.
func TestAccountOfAnotherChain(t *testing.T) {
	t.Parallel()
	first, second := nodetest.Start(t, t.TempDir()), nodetest.Start(t, t.TempDir())
	m := &machine{t: t, dir: t.TempDir()}
	if out, err := m.run(t.Context(), first, "account", "create", "alice", "--insecure-plaintext"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, command := range [][]string{{"account", "set", "--bio", "x"}, {"key", "add", "--save-as", "ci"}} {
		_, err := m.run(t.Context(), second, command...)
		if err == nil || !strings.Contains(err.Error(), "account alice is on chain "+first.ChainID()) ||
			!strings.Contains(advice(err), "makechain account create alice") {
			t.Errorf("%v: %v, advice %q", command, err, advice(err))
		}
	}
	out, err := m.run(t.Context(), second, "account", "create", "alice")
	if err != nil || !strings.Contains(out, "instead of "+first.ChainID()) || !strings.Contains(out, "alice is on chain "+second.ChainID()) {
		t.Errorf("%v\n%s", err, out)
	}
	for n, want := range map[*nodetest.Node]bool{first: false, second: true} {
		if _, err := m.run(t.Context(), n, "account", "set", "--bio", "x"); (err == nil) != want {
			t.Errorf("on chain %s: %v", n.ChainID(), err)
		}
	}
	if out, err := m.run(t.Context(), first, "account", "create", "alice"); err != nil || !strings.Contains(out, "username  alice, held") {
		t.Errorf("back on the first chain: %v\n%s", err, out)
	}
}

// TestAccountCreateInterrupted ends a creation as Ctrl-C does, and says how it goes on.
func TestAccountCreateInterrupted(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	m := &machine{t: t, dir: t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// The first step that is shown comes after the files are written.
	interrupt := &interruptWriter{cancel: cancel, at: "wallet "}
	command := newRootCommand()
	command.SetArgs([]string{"account", "create", "alice", "--insecure-plaintext", "--config-dir", m.dir, "--node", n.GRPCAddr()})
	command.SetOut(interrupt)
	err := command.ExecuteContext(ctx)
	if !errors.Is(err, context.Canceled) || describe(err) != "interrupted" || !strings.Contains(advice(err), "goes on where it stopped") {
		t.Errorf("interrupted: %v, advice %q", err, advice(err))
	}
	if out, err := m.run(t.Context(), n, "account", "create", "alice"); err != nil || !strings.Contains(out, "username  alice, block") {
		t.Errorf("%v\n%s", err, out)
	}
}

// interruptWriter cancels when something is printed.
type interruptWriter struct {
	cancel context.CancelFunc
	at     string
}

// Write is part of io.Writer.
func (w *interruptWriter) Write(data []byte) (int, error) {
	if strings.HasPrefix(string(data), w.at) {
		w.cancel()
	}
	return len(data), nil
}

func TestParseExpiry(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]uint64{
		"":           0,
		"1h":         uint64(at.Unix()) + 3600,
		"2026-05-02": uint64(at.Unix()) + 12*3600,
	} {
		if got, err := parseExpiry(&cobra.Command{}, text, at); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"soon", "-1h", "0s", "2026-05-01", "2026-13-01"} {
		if got, err := parseExpiry(&cobra.Command{}, text, at); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
}
