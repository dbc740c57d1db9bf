package identity

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/keystore"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// user is a wallet and a configuration directory.
type user struct {
	store   *Store
	wallet  keystore.Key
	name    string
	reports []string
}

func newUser(t *testing.T, name string, kind keystore.Kind) *user {
	t.Helper()
	p := &user{store: Open(t.TempDir()), wallet: generate(t, kind), name: name}
	signer, err := p.wallet.Wallet()
	if err != nil {
		t.Fatal(err)
	}
	addAccount(t, p.store, name, signer.KeyID())
	return p
}

// creation returns a creation from the files, as a new process does.
func (p *user) creation(t *testing.T, c *client.Client) *Creation {
	t.Helper()
	account, err := p.store.Account(p.name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := account.Key.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Creation{
		Store: p.store, Account: account, Client: c, Signer: signer, Units: 2,
		Unlock: func() (keystore.Key, error) { return p.wallet, nil },
		Now:    time.Now,
		Report: func(step Step, text string) { p.reports = append(p.reports, fmt.Sprintf("%s %s", step, text)) },
	}
}

// check checks the account on the chain.
func (p *user) check(t *testing.T, c *client.Client) {
	t.Helper()
	account, err := p.store.Account(p.name)
	if err != nil {
		t.Fatal(err)
	}
	state, err := client.Call(t.Context(), c.GetAccount, &pb.GetAccountRequest{OwnerAddress: account.Owner[:]})
	if err != nil {
		t.Fatal(err)
	}
	if state.GetUsername() != p.name || state.GetStorageUnits() != 2 || state.GetCustodyNonce() != 1 || len(state.GetKeys()) != 1 {
		t.Errorf("%s: %v", p.name, state)
	}
	if account.sent != nil {
		t.Errorf("%s: the file has the pending message %v", p.name, account.sent)
	}
}

func dial(t *testing.T, n *nodetest.Node) *client.Client {
	t.Helper()
	c, err := client.New(n.GRPCAddr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestCreation registers accounts of both kinds of wallets, and checks that a second run sends nothing.
//
// Rules: P1.5, P4.4.
func TestCreation(t *testing.T) {
	t.Parallel()
	c := dial(t, nodetest.Start(t, t.TempDir()))
	for kind, name := range map[keystore.Kind]string{keystore.Secp256k1: "alice", keystore.P256: "bob"} {
		p := newUser(t, name, kind)
		if err := p.creation(t, c).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.check(t, c)
		if first := strings.Join(p.reports, "; "); len(p.reports) != 3 || strings.Count(first, ", block ") != 3 {
			t.Errorf("reported %q", first)
		}
		again := p.creation(t, c)
		again.Unlock = func() (keystore.Key, error) { return keystore.Key{}, errors.New("the wallet was unlocked") }
		if err := again.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.check(t, c)
		key := p.creation(t, c).Account.PublicKey().String()[:8]
		want := fmt.Sprintf("key %s, registered; storage 2 units, held; username %s, held", key, name)
		if got := strings.Join(p.reports[3:], "; "); got != want {
			t.Errorf("reported %q, want %q", got, want)
		}
	}
}

// TestCreationInterrupted interrupts a creation at each of its calls, before and after the node has processed it, and
// checks that the next run completes it without sending anything twice.
func TestCreationInterrupted(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("interrupts at every step")
	}
	n := nodetest.Start(t, t.TempDir())
	c := dial(t, n)
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	t.Cleanup(transport.CloseIdleConnections)
	for _, arrives := range []bool{false, true} {
		for call, interrupted := int64(1), true; interrupted; call++ {
			p := newUser(t, fmt.Sprintf("p%d-%v", call, arrives), keystore.Secp256k1)
			ctx, cancel := context.WithCancel(t.Context())
			cut := &cutTransport{next: transport, at: call, arrives: arrives, cancel: cancel}
			err := p.creation(t, cut.client(t, n.GRPCAddr())).Run(ctx)
			cancel()
			interrupted = cut.calls.Load() >= call
			if (err != nil) != interrupted {
				t.Errorf("cut at call %d of %d: %v", call, cut.calls.Load(), err)
			}
			if err := p.creation(t, c).Run(t.Context()); err != nil {
				t.Errorf("after a cut at call %d: %v", call, err)
			}
			p.check(t, c)
			if !interrupted && call < 10 {
				t.Errorf("a creation makes only %d calls", cut.calls.Load())
			}
		}
	}
}

// cutTransport fails one call and cancels its context.
type cutTransport struct {
	next    http.RoundTripper
	at      int64
	arrives bool // the node processes the call
	cancel  context.CancelFunc
	calls   atomic.Int64
}

// RoundTrip is part of http.RoundTripper.
func (c *cutTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if c.calls.Add(1) < c.at {
		return c.next.RoundTrip(request)
	}
	defer c.cancel()
	if c.arrives {
		if answer, err := c.next.RoundTrip(request); err == nil {
			_ = answer.Body.Close()
		}
	}
	return nil, errors.New("cut")
}

func (c *cutTransport) client(t *testing.T, addr string) *client.Client {
	t.Helper()
	made, err := client.New(addr)
	if err != nil {
		t.Fatal(err)
	}
	through := &http.Client{Transport: c}
	made.MakechainServiceClient = makechainpbconnect.NewMakechainServiceClient(through, "http://"+addr, connect.WithGRPC())
	made.Faucet = devpbconnect.NewFaucetServiceClient(through, "http://"+addr, connect.WithGRPC())
	return made
}

// TestCreationNameTaken checks that a creation whose username is taken continues with another one.
func TestCreationNameTaken(t *testing.T) {
	t.Parallel()
	c := dial(t, nodetest.Start(t, t.TempDir()))
	if err := newUser(t, "alice", keystore.Secp256k1).creation(t, c).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := newUser(t, "alice", keystore.Secp256k1)
	err := second.creation(t, c).Run(t.Context())
	refused := (*client.RefusedError)(nil)
	if !errors.As(err, &refused) || refused.Code != message.CodeUsernameTaken || !strings.HasPrefix(err.Error(), "username: ") {
		t.Fatalf("username in use: %v", err)
	}
	again := second.creation(t, c)
	again.Username = "alice2"
	if err := again.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := second.creation(t, c)
	other.Username = "alice3"
	if err := other.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `already has the username "alice2"`) {
		t.Errorf("another name for an account that has one: %v", err)
	}
}

// TestCreationUnreachable checks that the file is unchanged when the node cannot be reached.
func TestCreationUnreachable(t *testing.T) {
	t.Parallel()
	c, err := client.New("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	p := newUser(t, "alice", keystore.Secp256k1)
	if err := p.creation(t, c).Run(t.Context()); !client.IsUnreachable(err) {
		t.Errorf("no node: %v", err)
	}
	if p.creation(t, c).Account.sent != nil || len(p.reports) != 0 {
		t.Errorf("reported %v", p.reports)
	}
}

// TestCreationClaim checks that a storage claim is applied once, and that without a claim and a faucet the key is
// registered and ErrNoFaucet is returned.
//
// Rules: P8.2.
func TestCreationClaim(t *testing.T) {
	t.Parallel()
	config := nodetest.Config(t.TempDir(), slog.New(slog.DiscardHandler))
	config.Faucet = false
	n := nodetest.StartWith(t, config)
	c := dial(t, n)
	p := newUser(t, "alice", keystore.Secp256k1)
	if err := p.creation(t, c).Run(t.Context()); !errors.Is(err, ErrNoFaucet) || len(p.reports) != 1 {
		t.Errorf("no faucet: %v after %v", err, p.reports)
	}
	text, err := os.ReadFile(filepath.Join(n.Home(), "config", "attester_key.hex"))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	settlement := message.Settlement{Units: 2, TxHash: nodetest.Random(t), Timestamp: uint64(time.Now().Unix())}
	domain, err := n.SettlementDomain()
	if err != nil {
		t.Fatal(err)
	}
	claim := settlement.Claim(domain)
	claim.Attestations = []*pb.SettlementAttestation{
		settlement.Attest(message.Seed(seed), domain, p.creation(t, c).Account.Owner),
	}
	for _, ahead := range []time.Duration{0, time.Second} {
		creation := p.creation(t, c)
		creation.Claim = claim
		// Another timestamp makes it another message.
		creation.Now = func() time.Time { return time.Now().Add(ahead) }
		if err := creation.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.check(t, c)
	}
	if last := p.reports[len(p.reports)-2]; last != "storage 2 units, claimed before" {
		t.Errorf("the second claim was reported as %q", last)
	}
	other := newUser(t, "bob", keystore.Secp256k1).creation(t, c)
	other.Claim = claim
	refused := (*client.RefusedError)(nil)
	if err := other.Run(t.Context()); !errors.As(err, &refused) || refused.Code != message.CodeInsufficientAttestations {
		t.Errorf("the claim of another account: %v", err)
	}
}
