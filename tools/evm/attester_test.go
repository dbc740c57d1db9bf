package evm

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"

	"makechain/internal/attester"
	"makechain/internal/ident"
	"makechain/message"
)

// TestFinalizedOnly checks that a payment is signed when its block is finalized and not before, and what the response says until then.
func TestFinalizedOnly(t *testing.T) {
	c := newChain(t)
	signer := key{message.Seed{1}}
	one, two := newProvider(t, c), newProvider(t, c)
	a := open(t, configure(t, settlementOf(c, signer), signer, one, two))
	url := serve(t, a)
	tx := c.pay(c.alice, c.bob.address, 3)
	path := url + "/attestations/" + tx.Hash().Hex()
	if status, body := get(t, path); status != http.StatusServiceUnavailable || !strings.Contains(body, "starting") {
		t.Errorf("before the start: %d %s", status, body)
	}
	if halted := catchUp(t, a); halted != nil {
		t.Fatal(halted)
	}
	if status, body := get(t, path); status != http.StatusNotFound || !strings.Contains(body, `"not_found"`) {
		t.Errorf("in no block: %d %s", status, body)
	}
	c.commit(5)
	if halted := catchUp(t, a); halted != nil {
		t.Fatal(halted)
	}
	await(t, "the reason", func() bool {
		status, body := get(t, path)
		return status == http.StatusNotFound && strings.Contains(body, `"not_finalized"`) && strings.Contains(body, "2 blocks are missing")
	})
	c.finalize()
	if halted := catchUp(t, a); halted != nil {
		t.Fatal(halted)
	}
	status, body := get(t, path)
	var signed attester.Attestation
	if err := json.Unmarshal([]byte(body), &signed); err != nil || status != http.StatusOK {
		t.Fatalf("finalized: %d %s", status, body)
	}
	if signed.Units != 3 || signed.Owner != ident.Address(c.bob.address).String() || signed.Actor != ident.Address(c.alice.address).String() ||
		signed.Tx != tx.Hash().Hex() || signed.LogIndex != 0 || signed.SettlementChainID != simulatedChainID || signed.BlockNumber != 2 {
		t.Errorf("the attestation is %s", body)
	}
	if status, other := get(t, path+"/0"); status != http.StatusOK || other != body {
		t.Errorf("with the log index: %d %s", status, other)
	}
	for _, wrong := range []struct {
		path   string
		status int
	}{{path + "/1", 404}, {path + "/x", 400}, {url + "/attestations/12", 400}, {url + "/attestations?cursor=-1", 400}, {url + "/other", 404}} {
		if status, body := get(t, wrong.path); status != wrong.status || !strings.Contains(body, `"code"`) {
			t.Errorf("%s: %d %s", wrong.path, status, body)
		}
	}
}

// TestTwoPaymentsInOneTransaction checks that each event of a transaction is a payment of its own.
func TestTwoPaymentsInOneTransaction(t *testing.T) {
	c := newChain(t)
	twice := artifact(t, "test/build/Twice.json")
	c.deploy(twice)
	signer := key{message.Seed{1}}
	a := open(t, configure(t, settlementOf(c, signer), signer, newProvider(t, c), newProvider(t, c)))
	url := serve(t, a)
	tx := c.send(c.alice, &twice.address, big.NewInt(4*price), twice.pack(t, "rent", c.rent.address, []common.Address{c.bob.address, c.alice.address}, uint32(2)))
	c.finalize()
	if halted := catchUp(t, a); halted != nil {
		t.Fatal(halted)
	}
	path := url + "/attestations/" + tx.Hash().Hex()
	if status, body := get(t, path); status != http.StatusConflict || !strings.Contains(body, "0, 1") {
		t.Errorf("without a log index: %d %s", status, body)
	}
	for log, owner := range map[string]common.Address{"/0": c.bob.address, "/1": c.alice.address} {
		if status, body := get(t, path+log); status != http.StatusOK || !strings.Contains(body, ident.Address(owner).String()) {
			t.Errorf("log %s: %d %s", log, status, body)
		}
	}
}

// TestReorganization checks that a payment whose log index is changed by a reorganization is signed once, with the final index, and is
// granted once.
func TestReorganization(t *testing.T) {
	c := newChain(t)
	signer := key{message.Seed{1}}
	n := newNetwork(t, c, 1, signer)
	a := open(t, configure(t, n.settlement, signer, newProvider(t, c), newProvider(t, c)))
	url := serve(t, a)
	parent, err := c.Client().HeaderByNumber(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	payment := c.pay(c.alice, c.alice.address, 3)
	before := c.mine(payment)
	if halted := catchUp(t, a); halted != nil {
		t.Fatal(halted)
	}
	if err := c.Fork(parent.Hash()); err != nil {
		t.Fatal(err)
	}
	other := c.rent.pack(t, "rent", c.bob.address, uint32(5))
	first := c.sendWithTip(c.bob, &c.rent.address, big.NewInt(5*price), other, 2_000_000_000)
	if err := c.Client().SendTransaction(t.Context(), payment); err != nil && !strings.Contains(err.Error(), "already known") {
		t.Fatal(err)
	}
	for range 4 { // the longer chain becomes the canonical one
		c.Commit()
		if halted := catchUp(t, a); halted != nil {
			t.Fatal(halted)
		}
	}
	after, err := c.Client().TransactionReceipt(t.Context(), payment.Hash())
	if err != nil {
		t.Fatal(err)
	}
	if before.Logs[0].Index != 0 || after.Logs[0].Index != 1 || before.BlockHash == after.BlockHash {
		t.Fatalf("the log index was %d and is %d: there was no reorganization", before.Logs[0].Index, after.Logs[0].Index)
	}
	if got := attestations(t, url); len(got) != 0 {
		t.Fatalf("%d payments are signed before they are final", len(got))
	}
	c.finalize()
	if halted := catchUp(t, a); halted != nil {
		t.Fatal(halted)
	}
	got := attestations(t, url)
	if len(got) != 2 || got[0].Tx != first.Hash().Hex() || got[1].Tx != payment.Hash().Hex() || got[1].LogIndex != 1 {
		t.Fatalf("signed: %+v", got)
	}
	if status, _ := get(t, url+"/attestations/"+payment.Hash().Hex()+"/0"); status != http.StatusNotFound {
		t.Errorf("the log index before the reorganization: %d", status)
	}
	owner, claim := n.collect(t, payment.Hash(), url)
	if code := n.claim(t, owner, claim); code != "" {
		t.Fatalf("the claim is refused: %s", code)
	}
	claim.SettlementLogIndex = 0
	if code := n.claim(t, owner, claim); code != string(message.CodeInsufficientAttestations) {
		t.Errorf("a claim with the log index before the reorganization: %q", code)
	}
	if got := n.units(t, c.alice.address); got != 3 {
		t.Errorf("the account has %d units, want those of one grant", got)
	}
}

// TestProviderFaults checks that nothing is signed while a provider fails, lags, disagrees or serves another chain, that the reason is
// reported, and that signing continues by itself.
func TestProviderFaults(t *testing.T) {
	other := newChain(t)
	other.commit(5 * epoch)
	constant := func(value any) fault {
		return func([]json.RawMessage, json.RawMessage) any { return value }
	}
	for name, test := range map[string]struct {
		begin func(c *chain, p *provider)
		want  attester.Reason
	}{
		"empty logs":   {func(_ *chain, p *provider) { p.set("eth_getLogs", constant([]any{})) }, attester.ReasonDisagreement},
		"other chain":  {func(_ *chain, p *provider) { p.use(other) }, attester.ReasonDisagreement},
		"more units":   {func(_ *chain, p *provider) { p.set("eth_getLogs", moreUnits) }, attester.ReasonDisagreement},
		"lagging":      {func(c *chain, p *provider) { p.set("eth_getBlockByNumber", lagging(c)) }, attester.ReasonLagging},
		"chain id":     {func(_ *chain, p *provider) { p.set("eth_chainId", constant("0x1")) }, attester.ReasonChainID},
		"rate limit":   {func(_ *chain, p *provider) { p.fail(http.StatusTooManyRequests) }, attester.ReasonRateLimited},
		"down":         {func(_ *chain, p *provider) { p.fail(http.StatusBadGateway) }, attester.ReasonProvider},
		"garbage":      {func(_ *chain, p *provider) { p.set("eth_getLogs", constant("garbage")) }, attester.ReasonProvider},
		"unknown logs": {func(_ *chain, p *provider) { p.set("eth_getLogs", constant(nil)) }, attester.ReasonProvider},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChain(t)
			signer := key{message.Seed{1}}
			good, bad := newProvider(t, c), newProvider(t, c)
			a := open(t, configure(t, settlementOf(c, signer), signer, good, bad))
			url := serve(t, a)
			if halted := catchUp(t, a); halted != nil {
				t.Fatal(halted)
			}
			tx := c.pay(c.alice, c.alice.address, 2)
			test.begin(c, bad)
			c.finalize()
			for range 3 {
				if halted := catchUp(t, a); halted == nil || halted.Reason != test.want {
					t.Fatalf("halted: %v, want %s", halted, test.want)
				}
				if got := attestations(t, url); len(got) != 0 {
					t.Fatalf("%d payments are signed", len(got))
				}
			}
			bad.use(c)
			bad.fail(0)
			for _, method := range []string{"eth_getLogs", "eth_chainId", "eth_getBlockByNumber"} {
				bad.set(method, nil)
			}
			if halted := catchUp(t, a); halted != nil {
				t.Fatal(halted)
			}
			if got := attestations(t, url); len(got) != 1 || got[0].Tx != tx.Hash().Hex() {
				t.Fatalf("signed: %+v", got)
			}
		})
	}
}

// moreUnits changes the units of events.
func moreUnits(_ []json.RawMessage, result json.RawMessage) any {
	var logs []*types.Log
	if json.Unmarshal(result, &logs) != nil {
		return result
	}
	for _, log := range logs {
		log.Data[31]++
	}
	return logs
}

// lagging returns a fault with which no block after the current one is finalized.
func lagging(c *chain) fault {
	var genesis json.RawMessage
	if err := c.rpc.CallContext(c.t.Context(), &genesis, "eth_getBlockByNumber", "0x0", false); err != nil {
		c.t.Fatal(err)
	}
	return func(params []json.RawMessage, result json.RawMessage) any {
		if string(params[0]) == `"finalized"` {
			return genesis
		}
		return result
	}
}

// TestRunReports checks that the reason is in the status, the readiness and the metrics while the attester runs, and goes away.
func TestRunReports(t *testing.T) {
	c := newChain(t)
	signer := key{message.Seed{1}}
	good, bad := newProvider(t, c), newProvider(t, c)
	registry := prometheus.NewRegistry()
	config := configure(t, settlementOf(c, signer), signer, good, bad)
	config.Registerer = registry
	a := open(t, config)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	url := serveWith(t, a, registry)
	isReady := func() bool {
		status, _ := get(t, url+"/readyz")
		return status == http.StatusOK
	}
	metric := func(line string) bool {
		_, body := get(t, url+"/metrics")
		return strings.Contains(body, line)
	}
	await(t, "readiness", isReady)
	bad.set("eth_chainId", func([]json.RawMessage, json.RawMessage) any { return "0x1" })
	await(t, "the reason", func() bool {
		_, body := get(t, url+"/status")
		return !isReady() && strings.Contains(body, `"chain_id: `) && metric(`makechain_attester_halted{reason="chain_id"} 1`)
	})
	bad.set("eth_chainId", nil)
	await(t, "readiness", isReady)
	c.pay(c.alice, c.alice.address, 1)
	c.finalize()
	await(t, "the payment", func() bool {
		return metric("makechain_attester_payments 1") && metric("makechain_attester_lag_blocks 0")
	})
	attestations(t, url)
	if !metric("makechain_attester_signed_total 1") {
		t.Error("the signature is not counted")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestCrashes ends the attester before every step of its scans, as a crash would, and continues with another one in the same directory.
// In the end every payment is there once.
func TestCrashes(t *testing.T) {
	c := newChain(t)
	signer := key{message.Seed{1}}
	providers := []*provider{newProvider(t, c), newProvider(t, c)}
	paid := map[string]bool{}
	for i := range 6 {
		paid[c.pay(c.alice, c.bob.address, uint32(i+1)).Hash().Hex()] = true
		c.commit(3)
	}
	c.finalize()
	unfinal := c.pay(c.alice, c.bob.address, 9)
	c.Commit()
	for crashAt := 1; ; crashAt++ {
		config := configure(t, settlementOf(c, signer), signer, providers...)
		errCrash, steps, crashed := errors.New("crash"), 0, false
		config.BeforeStep = func(string) error {
			if steps++; steps == crashAt {
				crashed = true
				return errCrash
			}
			return nil
		}
		if err := runUntilIdle(t, open(t, config)); err != nil && !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
		config.BeforeStep = nil
		again := open(t, config) // with the same directory
		if halted := catchUp(t, again); halted != nil {
			t.Fatal(halted)
		}
		got := attestations(t, serve(t, again))
		seen := map[string]bool{}
		for _, one := range got {
			if seen[one.Tx] || !paid[one.Tx] || one.Tx == unfinal.Hash().Hex() {
				t.Fatalf("crash before step %d: %s is signed twice, or was not paid", crashAt, one.Tx)
			}
			seen[one.Tx] = true
		}
		if len(seen) != len(paid) {
			t.Fatalf("crash before step %d: %d payments are signed, want %d", crashAt, len(seen), len(paid))
		}
		if !crashed {
			if crashAt < 10 {
				t.Errorf("only %d steps", crashAt)
			}
			return
		}
	}
}
