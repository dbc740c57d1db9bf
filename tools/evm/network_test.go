package evm

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	pb "makechain/gen/makechain"
	"makechain/internal/attester"
	"makechain/internal/comet"
	"makechain/internal/custody"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// A network is a Makechain node of a test network without a faucet, whose storage is paid on a simulated chain.
type network struct {
	*nodetest.Node

	settlement attester.Settlement
	threshold  int
	claims     uint32 // that were submitted
}

func newNetwork(t *testing.T, c *chain, threshold int, signers ...attester.Signer) *network {
	t.Helper()
	n := &network{settlement: settlementOf(c, signers...), threshold: threshold}
	domain := n.settlement.Domain
	s := ledger.Settlement{ChainID: domain.SettlementChainID, Contract: domain.Contract, Threshold: threshold}
	for _, signer := range signers {
		s.Attesters = append(s.Attesters, ledger.Attester{Key: signer.Key()})
	}
	home := t.TempDir()
	if err := comet.Init(home, genesis.Genesis{ChainID: domain.ChainID, Network: domain.Network, Settlement: s}); err != nil {
		t.Fatal(err)
	}
	config := nodetest.Config(home, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	config.Faucet = false
	n.Node = nodetest.StartWith(t, config)
	return n
}

// collect asks attesters for a payment, and returns the claim with the signatures that are valid for what the first honest attestation
// says, as many as the threshold.
func (n *network) collect(t *testing.T, tx common.Hash, urls ...string) (owner ident.Address, claim *pb.StorageClaimBody) {
	t.Helper()
	counts := map[message.Settlement][]*pb.SettlementAttestation{}
	for _, url := range urls {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/attestations/"+tx.Hex(), nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			continue // it is down
		}
		var got attester.Attestation
		err = json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&got)
		_ = response.Body.Close()
		actor, actorErr := ident.ParseAddress(got.Actor)
		account, ownerErr := ident.ParseAddress(got.Owner)
		if err != nil || actorErr != nil || ownerErr != nil {
			continue // garbage
		}
		payment := message.Settlement{Units: got.Units, TxHash: ident.Hash(tx), LogIndex: got.LogIndex, Actor: actor, Timestamp: got.Timestamp}
		signed := signature(t, &got)
		if custody.VerifyAttestation(payment.Digest(n.settlement.Domain, account), ident.PublicKey(signed.Attester), signed.Signature) != nil {
			continue
		}
		if counts[payment] = append(counts[payment], signed); len(counts[payment]) == n.threshold {
			claim = payment.Claim(n.settlement.Domain)
			claim.Attestations = counts[payment]
			return account, claim
		}
	}
	return owner, nil
}

// claim submits a claim and returns the code of the refusal, "" when it was committed.
func (n *network) claim(t *testing.T, owner ident.Address, claim *pb.StorageClaimBody) string {
	t.Helper()
	author := message.NewAuthor(message.Seed(nodetest.Random(t)), n.settlement.Domain.Network, owner) // any key may sign
	n.claims++                                                                                        // two claims are two messages
	envelope, err := author.Sign(uint32(time.Now().Unix())-n.claims, message.StorageClaim(claim))
	if err != nil {
		t.Fatal(err)
	}
	if response := nodetest.Call(t, n.SubmitMessage, &pb.SubmitMessageRequest{Message: envelope.Proto()}); !response.GetAccepted() {
		return response.GetCode()
	}
	n.MustCommit(t, envelope)
	return ""
}

// units returns the storage units of an account.
func (n *network) units(t *testing.T, owner common.Address) uint32 {
	t.Helper()
	return nodetest.Call(t, n.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]}).GetStorageUnits()
}

// TestClaim pays for storage, collects attestations of three attesters of which one is down or malicious, and claims the storage on a
// real node: one grant per payment, none for a payment that is not final.
func TestClaim(t *testing.T) {
	c := newChain(t)
	signers := []attester.Signer{key{message.Seed{1}}, key{message.Seed{2}}, key{message.Seed{3}}}
	n := newNetwork(t, c, 2, signers...)
	var urls []string
	var running []*attester.Attester
	for _, signer := range signers {
		a := open(t, configure(t, n.settlement, signer, newProvider(t, c), newProvider(t, c)))
		running = append(running, a)
		urls = append(urls, serve(t, a))
	}
	attest := func() {
		t.Helper()
		for _, a := range running {
			if halted := catchUp(t, a); halted != nil {
				t.Fatal(halted)
			}
		}
	}
	tx := c.pay(c.alice, c.alice.address, 3)
	c.Commit()
	attest()
	if _, claim := n.collect(t, tx.Hash(), urls...); claim != nil {
		t.Fatal("a payment that is not final has attestations")
	}
	c.finalize()
	attest()
	if _, claim := n.collect(t, tx.Hash(), urls[0]); claim != nil {
		t.Fatal("one attester is enough")
	}
	for name, malicious := range maliciousAttesters(t, tx.Hash(), signers[2].(key), n.settlement.Domain, c) {
		owner, claim := n.collect(t, tx.Hash(), malicious, "http://127.0.0.1:1", urls[0], urls[1])
		if claim == nil || owner != ident.Address(c.alice.address) || claim.GetUnits() != 3 {
			t.Fatalf("%s: collected %v for %s", name, claim, owner)
		}
	}
	owner, claim := n.collect(t, tx.Hash(), urls[2], "http://127.0.0.1:1", urls[1])
	// What the attesters did not sign is refused.
	for name, change := range map[string]func(b *pb.StorageClaimBody) ident.Address{
		"units": func(b *pb.StorageClaimBody) ident.Address { b.Units++; return owner },
		"owner": func(*pb.StorageClaimBody) ident.Address { return ident.Address(c.bob.address) },
		"log":   func(b *pb.StorageClaimBody) ident.Address { b.SettlementLogIndex++; return owner },
		"time":  func(b *pb.StorageClaimBody) ident.Address { b.SettlementTimestamp++; return owner },
	} {
		_, changed := n.collect(t, tx.Hash(), urls...)
		account := change(changed)
		if code := n.claim(t, account, changed); code != string(message.CodeInsufficientAttestations) {
			t.Errorf("another %s is refused with %q", name, code)
		}
	}
	if code := n.claim(t, owner, claim); code != "" {
		t.Fatalf("the claim is refused: %s", code)
	}
	if got := n.units(t, c.alice.address); got != 3 {
		t.Errorf("the account has %d units, want 3", got)
	}
	if code := n.claim(t, owner, claim); code != string(message.CodeClaimUsed) {
		t.Errorf("the second claim of a payment: %q", code)
	}
	if got := n.units(t, c.alice.address); got != 3 {
		t.Errorf("the account has %d units after the second claim, want 3", got)
	}
}

// maliciousAttesters returns the URLs of attesters that sign wrong things with a key of the network, or respond with garbage.
func maliciousAttesters(t *testing.T, tx common.Hash, signer key, domain message.SettlementDomain, c *chain) map[string]string {
	t.Helper()
	lie := func(change func(p *message.Settlement, owner *ident.Address)) http.HandlerFunc {
		payment := message.Settlement{Units: 3, TxHash: ident.Hash(tx), Actor: ident.Address(c.alice.address)}
		owner := ident.Address(c.alice.address)
		change(&payment, &owner)
		signed := payment.Attest(signer.Seed, domain, owner)
		return func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(attester.Attestation{
				Tx: tx.Hex(), LogIndex: payment.LogIndex, Owner: owner.String(), Actor: payment.Actor.String(), Units: payment.Units,
				Timestamp: payment.Timestamp, Attester: ident.PublicKey(signed.Attester).String(), Signature: common.Bytes2Hex(signed.Signature),
			})
		}
	}
	urls := map[string]string{}
	for name, handler := range map[string]http.HandlerFunc{
		"units":   lie(func(p *message.Settlement, _ *ident.Address) { p.Units = 1_000_000 }),
		"owner":   lie(func(_ *message.Settlement, owner *ident.Address) { *owner = ident.Address(c.bob.address) }),
		"time":    lie(func(p *message.Settlement, _ *ident.Address) { p.Timestamp = 1 << 31 }),
		"garbage": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "\x00<html>") },
		"endless": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		},
	} {
		served := httptest.NewServer(handler)
		t.Cleanup(served.Close)
		urls[name] = served.URL
	}
	return urls
}
