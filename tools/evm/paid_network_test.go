package evm

import (
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/attester"
	"makechain/internal/ident"
	"makechain/internal/lint"
	"makechain/message"
)

// TestPaidNetwork runs the commands of docs/paid-network.md: four validators without a faucet, three attesters with a threshold of two, a
// local EVM chain, and an account that pays, claims, pushes and clones. Each payment is granted once, also while one attester is down or
// signs something else.
func TestPaidNetwork(t *testing.T) {
	content, err := os.ReadFile(walkthrough)
	if err != nil {
		t.Fatal(err)
	}
	p := newPage(t)
	before, after, found := strings.Cut(string(content), "\n## With an attester down\n")
	if !found {
		t.Fatal("the page has no section about an attester that is down")
	}
	p.runAll(before)
	if got := p.grants(); !slices.Equal(got, []uint32{3}) {
		t.Fatalf("the account has grants of %v units, want one of 3", got)
	}
	transaction := p.replace[regexp.MustCompile(`--claim-tx (0x[0-9a-f]{64})`).FindStringSubmatch(before)[1]]
	if printed, err := p.shell("makechain storage claim " + transaction + " --genesis genesis.json --json"); err == nil || !strings.Contains(printed, "claim_used") {
		t.Errorf("the second claim of the payment: %v: %s", err, printed)
	}
	p.running["attester3"].Kill()
	p.runAll(after)
	if got := p.grants(); len(got) != 2 || got[0]+got[1] != 5 {
		t.Fatalf("the account has grants of %v units, want one of 3 and one of 2", got)
	}
	p.useMalicious()
	if got := p.grants(); len(got) != 3 || got[0]+got[1]+got[2] != 6 {
		t.Fatalf("the account has grants of %v units, want 3, 2 and 1", got)
	}
}

// runAll runs the commands of a page.
func (p *page) runAll(content string) {
	p.t.Helper()
	for _, block := range lint.Blocks(content) {
		if block.Language == "console" {
			p.run(block)
		}
	}
}

// useMalicious replaces the third attester by one that signs more units than were paid. One honest attester and it are not enough; two
// honest ones are.
func (p *page) useMalicious() {
	p.t.Helper()
	p.serveMalicious(p.replace["127.0.0.1:8073"])
	p.running["attester2"].Kill()
	printed, err := p.shell(p.translate(
		"makechain storage buy --units 1 --owner alice --wallet payer --send --wait --rpc http://127.0.0.1:8545 --genesis genesis.json"))
	found := regexp.MustCompile(`transaction (0x[0-9a-f]{64}) in block`).FindStringSubmatch(printed)
	if err != nil || found == nil {
		p.t.Fatalf("%v: %s", err, printed)
	}
	claim := p.translate("makechain storage claim " + found[1] + " --genesis genesis.json")
	await(p.t, "the first attester to sign", func() bool {
		printed, err := p.shell(claim)
		if err == nil {
			p.t.Fatalf("one attester is enough, with one that signs something else: %s", printed)
		}
		return strings.Contains(printed, "1 of 2 required attestations")
	})
	words := strings.Fields(p.translate("makechain attester --home attester2 --genesis genesis.json --listen 127.0.0.1:8072 " +
		"--rpc http://127.0.0.1:8545 --rpc http://127.0.0.1:8546 --poll 1s"))
	p.start("attester2", "Ctrl-C", words...)
	await(p.t, "the second attester to sign", func() bool {
		_, err := p.shell(claim)
		return err == nil
	})
}

// serveMalicious serves attestations of the third attester for more units than were paid, with valid signatures.
func (p *page) serveMalicious(address string) {
	p.t.Helper()
	encoded, err := os.ReadFile(filepath.Join(p.dir, "attester3", "attester_key.hex"))
	if err != nil {
		p.t.Fatal(err)
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(encoded)))
	if err != nil {
		p.t.Fatal(err)
	}
	honest := "http://" + p.replace["127.0.0.1:8071"]
	listener, err := net.Listen("tcp", address)
	if err != nil {
		p.t.Fatal(err)
	}
	served := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, body := get(p.t, honest+r.URL.Path)
		var a attester.Attestation
		if err := json.Unmarshal([]byte(body), &a); err != nil || status != http.StatusOK {
			http.Error(w, body, status)
			return
		}
		a.Units = 1_000_000
		_ = json.NewEncoder(w).Encode(forge(p.t, a, message.Seed(seed)))
	})}
	go func() { _ = served.Serve(listener) }()
	p.t.Cleanup(func() { _ = served.Close() })
}

// forge signs an attestation with another key.
func forge(t *testing.T, a attester.Attestation, seed message.Seed) attester.Attestation {
	t.Helper()
	contract, contractErr := ident.ParseAddress(a.Contract)
	owner, ownerErr := ident.ParseAddress(a.Owner)
	actor, actorErr := ident.ParseAddress(a.Actor)
	tx, txErr := hex.DecodeString(strings.TrimPrefix(a.Tx, "0x"))
	for _, err := range []error{contractErr, ownerErr, actorErr, txErr} {
		if err != nil {
			t.Error(err)
		}
	}
	domain := message.SettlementDomain{
		Network: pb.Network_NETWORK_TESTNET, ChainID: a.ChainID, SettlementChainID: a.SettlementChainID, Contract: contract,
	}
	payment := message.Settlement{Units: a.Units, TxHash: ident.Hash(tx), LogIndex: a.LogIndex, Actor: actor, Timestamp: a.Timestamp}
	signed := payment.Attest(seed, domain, owner)
	a.Attester, a.Signature = ident.PublicKey(signed.Attester).String(), hex.EncodeToString(signed.Signature)
	return a
}
