package attester_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"makechain/internal/attester"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/internal/server"
)

// serve serves an attester and returns its URL.
func serve(t *testing.T, a *attester.Attester) string {
	t.Helper()
	config := server.Config{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)}
	served, err := server.New(config, a.Mounts(prometheus.NewRegistry(), false)...)
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

// get requests a path and decodes the response into value, unless it is nil.
func get(t *testing.T, url string, value any) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	if value != nil {
		if err := json.NewDecoder(response.Body).Decode(value); err != nil {
			t.Fatal(err)
		}
	}
	return response.StatusCode
}

func path(n byte) string { return fmt.Sprintf("/attestations/%s/2", ident.Hash{n}) }

// TestRescan checks that a rescan after a day stores a payment that a scan missed, and suspends one that is no longer on the chain until
// it is found again.
func TestRescan(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.open(t)
	url := serve(t, a)
	for n := byte(1); n <= 30; n++ {
		f.provider.pay(n)
	}
	missed := f.provider.rents[12]
	f.provider.rents[12] = nil
	mustCatchUp(t, a)
	f.provider.rents[12] = missed
	mustCatchUp(t, a)
	if status := get(t, url+path(12), nil); status != http.StatusNotFound {
		t.Fatalf("the missed payment: %d", status)
	}
	f.now = f.now.Add(attester.RescanInterval)
	vanished := f.provider.rents[5]
	f.provider.rents[5] = nil
	mustCatchUp(t, a)
	if status := get(t, url+path(12), nil); status != http.StatusOK {
		t.Errorf("the missed payment after a rescan: %d", status)
	}
	if status := get(t, url+path(5), nil); status != http.StatusServiceUnavailable {
		t.Errorf("the payment that is no longer on the chain: %d", status)
	}
	var page attester.Page
	if get(t, url+"/attestations", &page); len(page.Attestations) != 29 {
		t.Errorf("%d attestations are listed, want 29", len(page.Attestations))
	}
	f.provider.rents[5] = vanished
	f.now = f.now.Add(attester.RescanInterval)
	mustCatchUp(t, a)
	if status := get(t, url+path(5), nil); status != http.StatusOK {
		t.Errorf("the payment that is on the chain again: %d", status)
	}
}

// TestFinality checks that nothing is signed when a finalized block is replaced.
func TestFinality(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.open(t)
	url := serve(t, a)
	f.provider.pay(1)
	mustCatchUp(t, a)
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	f.provider.fork = 1
	f.provider.latest++
	go func() { done <- a.Run(ctx) }()
	nodetest.Await(t, "the reason", func() bool {
		halted := a.Halted()
		return halted != nil && halted.Reason == attester.ReasonFinality
	})
	if status := get(t, url+path(1), nil); status != http.StatusServiceUnavailable {
		t.Errorf("a payment of a chain that was replaced: %d", status)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestSettlementChanges checks that signatures are valid for the settlement in force, that a removed attester does not sign, and that each
// contract has payments of its own.
func TestSettlementChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.open(t)
	url := serve(t, a)
	f.provider.pay(1)
	mustCatchUp(t, a)
	var first, second, again attester.Attestation
	if status := get(t, url+path(1), &first); status != http.StatusOK {
		t.Fatal(status)
	}
	f.in.Domain.ChainID = "other"
	mustCatchUp(t, a)
	if status := get(t, url+path(1), &second); status != http.StatusOK || second.Signature == first.Signature || second.ChainID != "other" {
		t.Errorf("on another chain: %d %+v", status, second)
	}
	f.in.Domain.ChainID = "test"
	mustCatchUp(t, a)
	if status := get(t, url+path(1), &again); status != http.StatusOK || again != first {
		t.Errorf("on the first chain again: %d %+v", status, again)
	}
	keys := f.in.Attesters
	f.in.Attesters = nil
	if reason := catchUp(t, a); reason != attester.ReasonNotAttester {
		t.Errorf("without the key: %q", reason)
	}
	if status := get(t, url+path(1), nil); status != http.StatusServiceUnavailable {
		t.Errorf("signed without being an attester: %d", status)
	}
	f.in.Attesters = keys
	f.in.Domain.Contract = ident.Address{}
	if reason := catchUp(t, a); reason != attester.ReasonSettlement {
		t.Errorf("without a contract: %q", reason)
	}
	f.in.Domain.Contract = ident.Address{2}
	f.provider.rents = nil
	mustCatchUp(t, a)
	if status := get(t, url+path(1), nil); status != http.StatusNotFound {
		t.Errorf("a payment to another contract: %d", status)
	}
}

// TestStream checks that a stream has each payment once, continues after the last event, and ends when the attester stops.
func TestStream(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for n := byte(1); n <= 120; n++ {
		f.provider.pay(n)
	}
	a := f.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	url := serve(t, a)
	nodetest.Await(t, "the payments", func() bool { return a.Status().Payments == 120 })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Last-Event-ID", "10")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	lines := bufio.NewScanner(response.Body)
	for next := 11; next <= 120 && lines.Scan(); {
		if id, isID := strings.CutPrefix(lines.Text(), "id: "); isID {
			if id != strconv.Itoa(next) {
				t.Fatalf("event %s, want %d", id, next)
			}
			next++
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "id: ") {
			t.Errorf("another event: %s", lines.Text())
		}
	}
}

// TestCommandSigner checks that a program signs, and that its failures and wrong signatures are reported.
func TestCommandSigner(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.provider.pay(1)
	dir := t.TempDir()
	for name, script := range map[string]string{
		"fails": "exit 1", "prints nothing": "true", "prints garbage": "echo zz", "signs something else": "printf '%0128d' 0", "prints without end": "yes",
	} {
		program := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		f.config.Dir = t.TempDir()
		f.config.Signer = attester.CommandSigner{Command: program, PublicKey: f.in.Attesters[0]}
		a := f.open(t)
		mustCatchUp(t, a)
		var problem struct{ Detail string }
		if status := get(t, serve(t, a)+path(1), &problem); status != http.StatusServiceUnavailable || !strings.HasPrefix(problem.Detail, "signer: ") {
			t.Errorf("%s: %d %+v", name, status, problem)
		}
	}
	// A program that signs with the key of the fixture.
	var want attester.Attestation
	f.config.Dir, f.config.Signer = t.TempDir(), newFixture(t).config.Signer
	a := f.open(t)
	mustCatchUp(t, a)
	get(t, serve(t, a)+path(1), &want)
	program := filepath.Join(dir, "signs")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nread line\necho "+want.Signature+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.config.Dir, f.config.Signer = t.TempDir(), attester.CommandSigner{Command: program, PublicKey: f.in.Attesters[0]}
	a = f.open(t)
	mustCatchUp(t, a)
	var got attester.Attestation
	if status := get(t, serve(t, a)+path(1), &got); status != http.StatusOK || got != want {
		t.Errorf("a program that signs: %d %+v", status, got)
	}
}
