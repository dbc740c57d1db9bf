package main

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"makechain/internal/identity"
	"makechain/internal/jsonform"
	"makechain/internal/node/nodetest"
	"makechain/message"
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

// TestAccountCreateClaim gets storage from a claim that was made elsewhere, as JSON and as protobuf, on a chain that
// gives none away.
//
// Rules: P8.2.
func TestAccountCreateClaim(t *testing.T) {
	t.Parallel()
	config := nodetest.Config(t.TempDir(), slog.New(slog.DiscardHandler))
	config.Faucet = false
	n := nodetest.StartWith(t, config)
	attester := readAttester(t, n.Home())
	for name, encode := range map[string]func(proto.Message) ([]byte, error){"alice": jsonform.Marshal, "bob": proto.Marshal} {
		m := &machine{t: t, dir: t.TempDir()}
		_, err := m.run(t.Context(), n, "account", "create", name, "--insecure-plaintext")
		if !errors.Is(err, identity.ErrNoFaucet) || !strings.Contains(advice(err), "--claim <file>") {
			t.Errorf("no faucet: %v, advice %q", err, advice(err))
		}
		account, err := identity.Open(m.dir).Account(name)
		if err != nil {
			t.Fatal(err)
		}
		settlement := message.Settlement{Units: 3, TxHash: nodetest.Random(t), Timestamp: uint64(time.Now().Unix())}
		// The claim is an hour old, and signed by a key that the chain does not know.
		stranger := message.NewAuthor(nodetest.Random(t), account.Network, account.Owner)
		claim, err := stranger.StorageClaim(uint32(time.Now().Add(-time.Hour).Unix()), settlement, attester)
		if err != nil {
			t.Fatal(err)
		}
		content, err := encode(claim.Proto())
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "claim")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := m.run(t.Context(), n, "account", "create", name, "--claim", file)
		if err != nil || !strings.Contains(out, "storage   3 units claimed, block ") || !strings.Contains(out, "username  "+name) {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// readAttester reads the secret by which a development chain vouches for settlements.
func readAttester(t *testing.T, home string) message.Seed {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(home, "config", "attester_key.hex"))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return message.Seed(seed)
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
