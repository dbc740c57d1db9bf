package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/identity"
	"makechain/internal/ledger"
	"makechain/internal/node/nodetest"
	"makechain/internal/settlement/settlementtest"
	"makechain/internal/testnet"
	"makechain/message"
)

// TestPaidStorage runs a TESTNET with four validators and without a faucet. An account is created with a payment that two of
// three attesters have signed, claims a second one, and creates a project; a payment cannot be claimed twice, and attestations
// for the other network are refused. The attesters are those of settlementtest, without a settlement chain.
//
// Rules: P8.2.
func TestPaidStorage(t *testing.T) { //nolint:paralleltest // four validators need the machine
	if testing.Short() {
		t.Skip("runs a network")
	}
	usePaidStorage(t, pb.Network_NETWORK_TESTNET)
}

// TestPaidStorageMainnet is TestPaidStorage with MAINNET.
func TestPaidStorageMainnet(t *testing.T) { //nolint:paralleltest // four validators need the machine
	if testing.Short() {
		t.Skip("runs a network")
	}
	usePaidStorage(t, pb.Network_NETWORK_MAINNET)
}

// paidNetwork is a network without a faucet, and its attesters.
type paidNetwork struct {
	*network

	attesters []*settlementtest.Attester
	config    string // directory of the user's files
	last      message.Settlement
}

// startPaidNetwork starts a network with three attesters, of which two must sign.
func startPaidNetwork(t *testing.T, kind pb.Network, validators int) *paidNetwork {
	t.Helper()
	const chainID = "paid"
	settlement := &ledger.Settlement{ChainID: 42431, Contract: ident.Address{7}, Threshold: 2}
	domain := settlement.Domain(&ledger.Params{Network: kind, ChainID: chainID})
	p := &paidNetwork{network: &network{t: t}, config: t.TempDir()}
	for range 3 {
		settlement.Attesters = append(settlement.Attesters, p.addAttester(domain))
	}
	made, err := testnet.Init(testnet.Options{
		Dir: filepath.Join(t.TempDir(), "net"), Validators: validators, BlockInterval: blockInterval, ChainID: chainID, Network: kind, Settlement: settlement,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range made.Nodes {
		// Each operator of a MAINNET makes the keys on a machine of their own.
		if err := os.Remove(filepath.Join(one.Home, testnet.TestMark)); err != nil {
			t.Fatal(err)
		}
		p.nodes = append(p.nodes, &runningNode{name: one.Name, home: one.Home})
	}
	p.start(p.nodes...)
	return p
}

// addAttester starts another attester, which the chain need not know.
func (p *paidNetwork) addAttester(domain custody.SettlementDomain) ledger.Attester {
	attester := &settlementtest.Attester{Seed: nodetest.Random(p.t), Domain: domain}
	server := httptest.NewServer(attester)
	p.t.Cleanup(server.Close)
	p.attesters = append(p.attesters, attester)
	return attester.Listed(server.URL)
}

// pay makes a payment that the attesters sign for a domain, and returns its transaction.
func (p *paidNetwork) pay(owner ident.Address, units uint32, attesters ...*settlementtest.Attester) string {
	p.last = message.Settlement{Units: units, TxHash: nodetest.Random(p.t), Actor: ident.Address{1}, Timestamp: uint64(time.Now().Unix())}
	for _, attester := range attesters {
		attester.Pay(owner, p.last)
	}
	return "0x" + p.last.TxHash.String()
}

// run runs the program as a user and returns its output and whether it succeeded.
func (p *paidNetwork) run(args ...string) (string, bool) {
	p.t.Helper()
	address, _ := p.nodes[0].Address()
	if args[1] != "show" { // it waits for a message
		args = append(args, "--timeout", "2m")
	}
	command := program(p.t, append(args, "--node", address, "--config-dir", p.config,
		"--genesis", filepath.Join(p.nodes[0].home, "config", "genesis.json"))...)
	printed, err := command.CombinedOutput()
	return string(printed), err == nil
}

// must runs a command whose output must contain all texts, and which must succeed, or fail with an error among them.
func (p *paidNetwork) must(args []string, texts ...string) {
	p.t.Helper()
	printed, succeeded := p.run(args...)
	fails := false
	for _, text := range texts {
		fails = fails || strings.HasPrefix(text, "makechain: ")
		if !strings.Contains(printed, text) {
			p.t.Errorf("%s printed\n%s, without %q", strings.Join(args, " "), printed, text)
		}
	}
	if succeeded == fails {
		p.t.Errorf("%s: success is %s:\n%s", strings.Join(args, " "), strconv.FormatBool(succeeded), printed)
	}
}

// usePaidStorage is the test for one network.
func usePaidStorage(t *testing.T, kind pb.Network) {
	t.Helper()
	p := startPaidNetwork(t, kind, validators)
	p.must([]string{"account", "create", "alice", "--insecure-plaintext"}, "makechain: storage: this node has no faucet", "--claim-tx <transaction>")
	account, err := identity.Open(p.config).Account("alice")
	if err != nil {
		t.Fatal(err)
	}
	create := func(tx string) []string { return []string{"account", "create", "alice", "--claim-tx", tx} }

	p.must(create("0x"+ident.Hash{1}.String()), "makechain: ", "0 of 2 required attestations", "12 blocks are missing")
	p.must(create(p.pay(account.Owner, 2, p.attesters[0])), "makechain: ", "1 of 2 required attestations")
	p.must(create(p.pay(ident.Address{9}, 2, p.attesters...)), "makechain: ", "paid for account 0x09")
	first := p.pay(account.Owner, 2, p.attesters[1:]...)
	p.must(create(first), "storage   2 units claimed, block ", "username  alice")
	// With other attestations it is another message, also in the same second.
	p.refuse(account.Owner, kind, []*settlementtest.Attester{p.attesters[0], p.attesters[2]}, message.CodeClaimUsed)
	p.must([]string{"storage", "claim", p.pay(account.Owner, 3, p.attesters...)}, "3 units of storage for "+account.Owner.String()+", block ")
	p.must([]string{"storage", "show", "alice"}, "storage   5 units")
	p.claimByNode(p.pay(account.Owner, 4, p.attesters[:2]...), account.Owner)
	p.must([]string{"storage", "show", "alice"}, "storage   9 units")
	p.must([]string{"project", "create", "hello", "--account", "alice"}, "hello")

	// Attestations for the other network have valid signatures, which do not count here.
	other := pb.Network_NETWORK_MAINNET
	if kind == other {
		other = pb.Network_NETWORK_TESTNET
	}
	replayed := make([]*settlementtest.Attester, len(p.attesters))
	for i, attester := range p.attesters {
		domain := attester.Domain
		domain.Network = other
		replayed[i] = &settlementtest.Attester{Seed: attester.Seed, Domain: domain}
	}
	_ = p.pay(account.Owner, 9)
	p.refuse(account.Owner, kind, replayed, message.CodeInsufficientAttestations)
}

// claimByNode has a node collect the attestations of a payment and submit the claim, which must be committed.
func (p *paidNetwork) claimByNode(tx string, owner ident.Address) {
	p.t.Helper()
	address, _ := p.nodes[0].Address()
	body := strings.NewReader(`{"transaction": "` + tx + `", "submit": true}`)
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, "http://"+address+"/v1/storage/claims", body)
	if err != nil {
		p.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var got struct {
		OwnerAddress string `json:"owner_address"`
		Hash         string `json:"hash"`
		Accepted     bool   `json:"accepted"`
	}
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil || !got.Accepted || got.OwnerAddress != owner.String() {
		p.t.Fatalf("%s %+v: %v", response.Status, got, err)
	}
	hash, err := ident.ParseHash(got.Hash)
	if err != nil {
		p.t.Fatal(err)
	}
	if status := p.nodes[0].AwaitStatus(p.t, hash); status.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
		p.t.Errorf("the claim is %v", status)
	}
}

// refuse submits a claim of the last payment directly, as a client would that verifies nothing, and checks the code of its refusal.
func (p *paidNetwork) refuse(owner ident.Address, kind pb.Network, attesters []*settlementtest.Attester, code message.Code) {
	p.t.Helper()
	s := p.last
	claim := s.Claim(custody.SettlementDomain{SettlementChainID: attesters[0].Domain.SettlementChainID})
	for _, attester := range attesters {
		claim.Attestations = append(claim.Attestations, s.Attest(attester.Seed, attester.Domain, owner))
	}
	author := message.NewAuthor(nodetest.Random(p.t), kind, owner)
	m, err := author.Sign(uint32(time.Now().Unix()), message.StorageClaim(claim))
	if err != nil {
		p.t.Fatal(err)
	}
	answer := nodetest.Call(p.t, p.nodes[0].SubmitMessage, &pb.SubmitMessageRequest{Message: m.Proto()})
	if answer.GetAccepted() || answer.GetCode() != string(code) {
		p.t.Errorf("%v, want %s", answer, code)
	}
}
