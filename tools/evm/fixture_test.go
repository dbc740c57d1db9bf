package evm

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	pb "makechain/gen/makechain"
	"makechain/internal/attester"
	"makechain/internal/ident"
	"makechain/internal/server"
	"makechain/message"
)

// simulatedChainID is the chain id of the simulated chain.
const simulatedChainID = 1337

// A key signs in memory.
type key struct{ message.Seed }

func (k key) Key() ident.PublicKey { return message.NewAuthor(k.Seed, 0, ident.Address{}).Key() }

func (k key) Sign(_ context.Context, digest ident.Hash) ([]byte, error) {
	return ed25519.Sign(ed25519.NewKeyFromSeed(k.Seed[:]), digest[:]), nil
}

// settlementOf returns the settlement of a Makechain network whose storage is paid on a simulated chain.
func settlementOf(c *chain, signers ...attester.Signer) attester.Settlement {
	s := attester.Settlement{Domain: message.SettlementDomain{
		Network: pb.Network_NETWORK_TESTNET, ChainID: "makechain-test", SettlementChainID: simulatedChainID, Contract: ident.Address(c.rent.address),
	}}
	for _, signer := range signers {
		s.Attesters = append(s.Attesters, signer.Key())
	}
	return s
}

// configure returns the configuration of an attester with the providers.
func configure(t *testing.T, settlement attester.Settlement, signer attester.Signer, providers ...*provider) attester.Config {
	t.Helper()
	config := attester.Config{
		Dir: t.TempDir(), Settlement: func(context.Context) (attester.Settlement, error) { return settlement, nil },
		Signer: signer, Poll: 10 * time.Millisecond, Now: time.Now, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, p := range providers {
		config.Providers = append(config.Providers, dial(t, p))
	}
	return config
}

func open(t *testing.T, config attester.Config) *attester.Attester {
	t.Helper()
	a, err := attester.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// catchUp makes steps until there is nothing to read, and returns why it stopped, if for a reason.
func catchUp(t *testing.T, a *attester.Attester) *attester.HaltError {
	t.Helper()
	for {
		isBehind, err := a.Step(t.Context())
		if err != nil {
			halted, ok := errors.AsType[*attester.HaltError](err)
			if !ok {
				t.Fatal(err)
			}
			return halted
		}
		if !isBehind {
			return nil
		}
	}
}

// serve serves an attester over HTTP and returns its URL.
func serve(t *testing.T, a *attester.Attester) string {
	t.Helper()
	return serveWith(t, a, prometheus.NewRegistry())
}

func serveWith(t *testing.T, a *attester.Attester, registry *prometheus.Registry) string {
	t.Helper()
	served, err := server.New(server.Config{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)}, a.Mounts(registry, false)...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- served.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return "http://" + served.Addr().String()
}

// get requests a path of an attester.
func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(read)
}

// attestations returns all attestations that an attester serves.
func attestations(t *testing.T, url string) []*attester.Attestation {
	t.Helper()
	var all []*attester.Attestation
	for cursor := "0"; ; {
		status, body := get(t, url+"/attestations?cursor="+cursor)
		var page struct {
			Attestations []*attester.Attestation
			Cursor       json.Number
			More         bool
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK {
			t.Fatalf("attestations: %d %s", status, body)
		}
		all = append(all, page.Attestations...)
		if !page.More {
			return all
		}
		cursor = page.Cursor.String()
	}
}

// runUntilIdle makes steps until there is nothing to read, or an error.
func runUntilIdle(t *testing.T, a *attester.Attester) error {
	t.Helper()
	for {
		if isBehind, err := a.Step(t.Context()); err != nil || !isBehind {
			return err
		}
	}
}

// await waits until a condition is met.
func await(t *testing.T, what string, isMet func() bool) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for !isMet() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// signature returns the signature of an attestation.
func signature(t *testing.T, a *attester.Attestation) *pb.SettlementAttestation {
	t.Helper()
	signer, keyErr := hex.DecodeString(a.Attester)
	bytes, err := hex.DecodeString(a.Signature)
	if err := errors.Join(keyErr, err); err != nil {
		t.Fatal(err)
	}
	return &pb.SettlementAttestation{Attester: signer, Signature: bytes}
}
