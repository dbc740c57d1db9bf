package account

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

	"google.golang.org/protobuf/proto"

	"makechain/internal/cli/clitest"
	"makechain/internal/cli/usage"
	"makechain/internal/identity"
	"makechain/internal/jsonform"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// run runs account create with a configuration directory against a node, and returns its output.
func run(ctx context.Context, t *testing.T, n *nodetest.Node, dir, name string, flags ...string) (string, error) {
	t.Helper()
	stdout, stderr, err := clitest.Run(ctx, New(), append([]string{"create", name, "--config-dir", dir, "--node", n.GRPCAddr()}, flags...)...)
	return stdout + stderr, err
}

// TestCreateInterrupted checks that the error of an interrupted creation has the next step, and that the creation can be continued.
func TestCreateInterrupted(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// The first step is printed after the files are written.
	interrupt := &interruptWriter{cancel: cancel, at: "wallet "}
	command, _, _ := clitest.Command(New(), "create", "alice", "--insecure-plaintext", "--config-dir", dir, "--node", n.GRPCAddr())
	command.SetOut(interrupt)
	err := command.ExecuteContext(ctx)
	if !errors.Is(err, context.Canceled) || usage.Describe(err) != "interrupted" || !strings.Contains(usage.Advice(err), "continues where it stopped") {
		t.Errorf("interrupted: %v, advice %q", err, usage.Advice(err))
	}
	if out, err := run(t.Context(), t, n, dir, "alice"); err != nil || !strings.Contains(out, "username  alice, block") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCreateClaim checks that storage comes from a claim in a file, as JSON and as protobuf, on a chain without a faucet.
//
// Rules: P8.2.
func TestCreateClaim(t *testing.T) {
	t.Parallel()
	config := nodetest.Config(t.TempDir(), slog.New(slog.DiscardHandler))
	config.Faucet = false
	n := nodetest.StartWith(t, config)
	attester := readAttester(t, n.Home())
	for name, encode := range map[string]func(proto.Message) ([]byte, error){"alice": jsonform.Marshal, "bob": proto.Marshal} {
		dir := t.TempDir()
		_, err := run(t.Context(), t, n, dir, name, "--insecure-plaintext")
		if !errors.Is(err, identity.ErrNoFaucet) || !strings.Contains(usage.Advice(err), "--claim <file>") {
			t.Errorf("no faucet: %v, advice %q", err, usage.Advice(err))
		}
		account, err := identity.Open(dir).Account(name)
		if err != nil {
			t.Fatal(err)
		}
		settlement := message.Settlement{Units: 3, TxHash: nodetest.Random(t), Timestamp: uint64(time.Now().Unix())}
		// The claim is an hour old, and signed by a key that is not registered.
		stranger := message.NewAuthor(nodetest.Random(t), account.Network, account.Owner)
		domain, err := n.SettlementDomain()
		if err != nil {
			t.Fatal(err)
		}
		claim, err := stranger.StorageClaim(uint32(time.Now().Add(-time.Hour).Unix()), domain, settlement, attester)
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
		out, err := run(t.Context(), t, n, dir, name, "--claim", file)
		if err != nil || !strings.Contains(out, "storage   3 units claimed, block ") || !strings.Contains(out, "username  "+name) {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// readAttester reads the attester key of a development chain.
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

// interruptWriter cancels a context when a line with a prefix is printed.
type interruptWriter struct {
	cancel context.CancelFunc
	at     string
}

// Write implements io.Writer.
func (w *interruptWriter) Write(data []byte) (int, error) {
	if strings.HasPrefix(string(data), w.at) {
		w.cancel()
	}
	return len(data), nil
}
