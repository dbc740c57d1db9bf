package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/sha3"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/identity"
	"makechain/internal/ledger"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/settlement/settlementtest"
	validatorset "makechain/internal/validators"
	"makechain/message"
)

// fakeProvider is a JSON-RPC provider of a settlement chain whose blocks have one payment each. The real contract is tested with a
// simulated chain in tools/evm.
type fakeProvider struct {
	mu       sync.Mutex // guards all
	chainID  string
	code     string
	paused   bool
	balance  string
	baseFee  string
	refusal  string            // of the next transactions; "" for none
	reverts  bool              // whether the contract refuses the next transactions
	loses    bool              // whether the next transactions are accepted and forgotten
	hang     chan struct{}     // receives after a transaction has arrived, which is then not answered; nil for none
	sent     []string          // the transactions that arrived
	mined    map[string]string // receipts
	attester *settlementtest.Attester
	owner    ident.Address
	units    uint32
}

func newFakeProvider() *fakeProvider {
	return &fakeProvider{chainID: "0x7a69", code: "0x60", balance: "0xde0b6b3a7640000", baseFee: "0x3b9aca00", mined: map[string]string{}}
}

// change changes the provider between two commands.
func (f *fakeProvider) change(to func(f *fakeProvider)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	to(f)
}

// transactions returns the different transactions that arrived.
func (f *fakeProvider) transactions() map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := map[string]bool{}
	for _, raw := range f.sent {
		all[raw] = true
	}
	return all
}

func (f *fakeProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Method string            `json:"method"`
		Params []json.RawMessage `json:"params"`
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	result := map[string]string{
		"eth_chainId": quoted(f.chainID), "eth_getCode": quoted(f.code), "eth_getBalance": quoted(f.balance),
		"eth_getTransactionCount":  quoted(fmt.Sprintf("0x%x", len(f.mined))),
		"eth_maxPriorityFeePerGas": `"0x3b9aca00"`, "eth_estimateGas": `"0xc350"`,
		"eth_getBlockByNumber": fmt.Sprintf(`{"number":"0x%x","hash":"0x%064x","parentHash":"0x%064x","timestamp":"0x1","baseFeePerGas":%q}`,
			len(f.mined), len(f.mined), 0, f.baseFee),
	}[request.Method]
	switch request.Method {
	case "eth_call": // price() is 0xa035b1fe
		result = quoted(fmt.Sprintf("0x%064x", 10_000_000_000_000_000))
		if !strings.Contains(string(request.Params[0]), "a035b1fe") {
			result = quoted(fmt.Sprintf("0x%064x", map[bool]int{true: 1}[f.paused]))
		}
	case "eth_getTransactionReceipt":
		result = f.mined[strings.Trim(string(request.Params[0]), `"`)]
	case "eth_sendRawTransaction":
		var hang chan struct{}
		if result, hang = f.send(strings.Trim(string(request.Params[0]), `"`)); hang != nil {
			f.mu.Unlock()
			hang <- struct{}{}
			<-r.Context().Done() // the program was killed
			f.mu.Lock()
			return
		}
	}
	if strings.HasPrefix(result, "error") {
		_, _ = fmt.Fprintf(w, `{"id":1,"error":{"code":-32000,"message":"%s"}}`, result[5:])
		return
	}
	if result == "" {
		result = "null"
	}
	_, _ = fmt.Fprintf(w, `{"id":1,"result":%s}`, result)
}

// send includes a transaction in a block, and makes the attester sign it. The mutex is held.
func (f *fakeProvider) send(text string) (result string, hang chan struct{}) {
	f.sent = append(f.sent, text)
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil || f.refusal != "" {
		return "error" + f.refusal, f.hang
	}
	var hash ident.Hash
	digest := sha3.NewLegacyKeccak256()
	_, _ = digest.Write(raw)
	digest.Sum(hash[:0])
	key := "0x" + hash.String()
	if f.loses || f.mined[key] != "" {
		return quoted(key), f.hang
	}
	number := len(f.mined) + 1
	f.mined[key] = fmt.Sprintf(`{"blockNumber":"0x%x","blockHash":"0x%064x","status":"0x%d"}`, number, number, map[bool]int{false: 1}[f.reverts])
	f.attester.Pay(f.owner, message.Settlement{Units: f.units, TxHash: hash, Actor: ident.Address{1}, Timestamp: uint64(time.Now().Unix())})
	return quoted(key), f.hang
}

func quoted(text string) string { return `"` + text + `"` }

// buying is a node of a chain whose storage is paid for, a provider and a user.
type buying struct {
	t        *testing.T
	provider *fakeProvider
	flags    []string
	config   string
	owner    ident.Address

	node       *nodetest.Node
	settlement ledger.Settlement
}

func startBuying(t *testing.T) *buying {
	t.Helper()
	const chainID = "paid"
	network := pb.Network_NETWORK_TESTNET
	s := ledger.Settlement{ChainID: 31337, Contract: ident.Address{7}, Threshold: 1}
	provider := newFakeProvider()
	provider.attester = &settlementtest.Attester{Seed: nodetest.Random(t), Domain: s.Domain(&ledger.Params{Network: network, ChainID: chainID})}
	attester, rpc := httptest.NewServer(provider.attester), httptest.NewServer(provider)
	t.Cleanup(func() { attester.Close(); rpc.Close() })
	s.Attesters = append(s.Attesters, provider.attester.Listed(attester.URL))
	home := t.TempDir()
	if err := comet.Init(home, genesis.Genesis{ChainID: chainID, Network: network, Settlement: s}); err != nil {
		t.Fatal(err)
	}
	config := nodetest.Config(home, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	config.Faucet = false
	n := nodetest.StartWith(t, config)
	b := &buying{t: t, provider: provider, config: t.TempDir(), node: n, settlement: s}
	b.flags = []string{"--config-dir", b.config, "--node", n.GRPCAddr(), "--genesis", filepath.Join(home, "config", "genesis.json")}
	b.fails(append([]string{"account", "create", "alice", "--insecure-plaintext"}, b.flags...),
		"no faucet", "try: makechain storage buy --owner alice", "account create alice --claim-tx <transaction>")
	account, err := identity.Open(b.config).Account("alice")
	if err != nil {
		t.Fatal(err)
	}
	b.owner = account.Owner
	provider.owner = account.Owner
	b.flags = append(b.flags, "--rpc", rpc.URL)
	return b
}

func (b *buying) buy(args ...string) []string {
	return append(append([]string{"storage", "buy", "--timeout", "2m"}, args...), b.flags...)
}

// passes runs a command that must succeed and print all texts.
func (b *buying) passes(args []string, texts ...string) string {
	b.t.Helper()
	printed, err := program(b.t, args...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, printed)
	}
	b.contains(args, string(printed), texts)
	return string(printed)
}

// fails runs a command that must fail and print all texts.
func (b *buying) fails(args []string, texts ...string) string {
	b.t.Helper()
	printed, err := program(b.t, args...).CombinedOutput()
	if err == nil {
		b.t.Fatalf("%s has succeeded:\n%s", strings.Join(args, " "), printed)
	}
	b.contains(args, string(printed), texts)
	return string(printed)
}

func (b *buying) contains(args []string, printed string, texts []string) {
	b.t.Helper()
	for _, text := range texts {
		if !strings.Contains(printed, text) {
			b.t.Errorf("%s printed\n%s, without %q", strings.Join(args, " "), printed, text)
		}
	}
}

// killed runs a command and kills it while the provider has its transaction.
func (b *buying) killed(args []string) {
	b.t.Helper()
	arrived := make(chan struct{})
	b.provider.change(func(f *fakeProvider) { f.hang = arrived })
	command := program(b.t, args...)
	if err := command.Start(); err != nil {
		b.t.Fatal(err)
	}
	select {
	case <-arrived:
	case <-time.After(2 * time.Minute):
		b.t.Error("no transaction arrived")
	}
	_ = command.Process.Kill()
	_ = command.Wait()
	b.provider.change(func(f *fakeProvider) { f.hang = nil })
}

// sent checks how many different transactions the provider has received.
func (b *buying) sent(want int) {
	b.t.Helper()
	if got := len(b.provider.transactions()); got != want {
		b.t.Fatalf("%d different transactions were sent, want %d", got, want)
	}
}

// TestStorageBuy pays for storage: what the command prints and refuses before it pays, and that a command which is killed while it pays
// does not pay a second time.
//
// Rules: P8.2.
func TestStorageBuy(t *testing.T) {
	t.Parallel()
	b := startBuying(t)
	address := ident.Address{7}
	b.passes(b.buy("--units", "3", "--owner", "alice"), "chain id  31337", "to        "+address.String(), "value     30000000000000000 wei (0.03 ether)",
		"data      0x", "ethereum:"+address.String()+"@31337/rent?address="+b.owner.String()+"&uint32=3&value=30000000000000000")
	b.passes(b.buy("--units", "3", "--json"), `"value":"30000000000000000"`, `"owner_address":"`+b.owner.String()+`"`)
	b.passes(b.buy("--wallet", "alice", "--max-price", "0.01"), "fee       at most 0.00018 ether", "nothing was sent")

	for text, to := range map[string]func(f *fakeProvider){
		"serves chain 1, and storage is paid for on chain 31337": func(f *fakeProvider) { f.chainID = "0x1" },
		"there is no contract at the address":                    func(f *fakeProvider) { f.code = "0x" },
		"paused new rents":                                       func(f *fakeProvider) { f.paused = true },
		"has 0.000000000000000001 ether on the settlement chain": func(f *fakeProvider) { f.balance = "0x1" },
		"more than --max-fee 0.02":                               func(f *fakeProvider) { f.baseFee = "0xe8d4a51000" },
		"is not an integer of 256 bits":                          func(f *fakeProvider) { f.balance = "0x" + strings.Repeat("f", 65) },
	} {
		was := newFakeProvider()
		b.provider.change(to)
		b.fails(b.buy("--wallet", "alice", "--send"), "makechain: ", text)
		b.provider.change(func(f *fakeProvider) {
			f.chainID, f.code, f.paused, f.balance, f.baseFee = was.chainID, was.code, was.paused, was.balance, was.baseFee
		})
	}
	b.fails(b.buy("--wallet", "alice", "--send", "--max-price", "0.009"), "a unit costs 0.01 ether, more than --max-price 0.009")
	b.fails(b.buy("--send"), "--send needs --wallet")
	b.fails(b.buy("--units", "0"), "not between 1 and 100000")
	b.fails(b.buy("--claim"), "need --send")
	b.passes([]string{"wallet", "new", "other", "--type", "p256", "--insecure-plaintext", "--config-dir", b.config})
	b.fails(b.buy("--wallet", "other", "--send"), "holds a p256 key")
	b.sent(0)

	b.provider.change(func(f *fakeProvider) { f.loses, f.units = true, 3 })
	pay := b.buy("--units", "3", "--wallet", "alice", "--send", "--claim")
	b.killed(pay) // before the provider has it
	b.provider.change(func(f *fakeProvider) { f.loses = false })
	b.killed(pay) // after it is in a block
	b.sent(1)
	b.fails(b.buy("--units", "4", "--wallet", "alice", "--send"), "has not completed another payment: transaction 0x", "--units 3", "--again")
	b.passes(pay, "paid by an earlier command, not again: 3 units", "in block 1, final", "3 units of storage for "+b.owner.String()+", block ")
	b.sent(1)
	b.passes(append([]string{"storage", "show", "alice"}, b.flags[:6]...), "storage   3 units")
	b.buyAgain()
	b.changeSettlement()
}

// buyAgain checks payments that the provider or the contract refuses, and one that is claimed by another command.
func (b *buying) buyAgain() {
	b.t.Helper()
	b.provider.change(func(f *fakeProvider) { f.refusal, f.units = "busy\\u001b[2J", 2 })
	pay := b.buy("--units", "2", "--wallet", "alice", "--send")
	if printed := b.fails(pay, "the provider does not accept it", "makechain storage claim 0x"); strings.Contains(printed, "\x1b") {
		b.t.Errorf("the text of the provider is printed as it is: %q", printed)
	}
	b.fails(pay, "the provider does not accept it")
	b.sent(2)
	b.provider.change(func(f *fakeProvider) { f.refusal, f.reverts = "", true })
	b.fails(pay, "the contract has refused the payment")
	b.sent(2)
	b.provider.change(func(f *fakeProvider) { f.reverts = false })
	b.passes(pay, "paid: 2 units", "not final yet", "makechain storage claim 0x")
	b.sent(3)
	b.killed(b.buy("--units", "2", "--wallet", "alice", "--send", "--max-fee", "1")) // another nonce, so another payment
	b.sent(4)
	b.provider.mu.Lock()
	var last string
	for hash, receipt := range b.provider.mined {
		if strings.Contains(receipt, `"blockNumber":"0x4"`) {
			last = hash
		}
	}
	b.provider.mu.Unlock()
	b.passes(append([]string{"storage", "claim", last}, b.flags[:6]...), "2 units of storage")
	b.passes(pay, "paid: 2 units") // the claim has completed the earlier one
	b.sent(5)
}

// changeSettlement makes the validator choose another contract, which the command must pay.
func (b *buying) changeSettlement() {
	b.t.Helper()
	settlement := b.settlement
	settlement.Contract = ident.Address{8}
	change := &validatorset.Change{ChainID: b.node.ChainID(), Sequence: 1, Content: validatorset.Settlement(settlement)}
	if _, err := comet.SignChange(b.node.Home(), change); err != nil {
		b.t.Fatal(err)
	}
	if err := node.QueueChange(b.node.Home(), change); err != nil {
		b.t.Fatal(err)
	}
	nodetest.Await(b.t, "the change of the settlement", func() bool {
		printed, err := program(b.t, b.buy("--json")...).Output()
		return err == nil && strings.Contains(string(printed), `"to":"`+settlement.Contract.String()+`"`)
	})
}
