package vectors

import (
	"strconv"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/internal/validators"
)

// settlementChangeVector is a change of the settlement and its result. Four validators with power 10 decide.
type settlementChangeVector struct {
	Name     string           `json:"name"`
	ChainID  string           `json:"chain_id"` // of the change
	Before   settlementFields `json:"before"`
	Change   settlementFields `json:"change"`
	Power    []validatorPower `json:"validators"`
	Secrets  []hexBytes       `json:"secrets"` // of the signers
	Digest   hexBytes         `json:"digest"`
	Tx       hexBytes         `json:"transaction"`
	Applies  bool             `json:"applies"`
	RowValue hexBytes         `json:"row,omitempty"` // the value of row 20 after the change
}

// settlementFields is a settlement and the number of changes that led to it.
type settlementFields struct {
	Sequence  string                     `json:"sequence"`
	ChainID   string                     `json:"chain_id"`
	Contract  hexBytes                   `json:"contract"`
	Threshold int                        `json:"threshold"`
	Attesters []genesis.AttesterDocument `json:"attesters"`
}

func fieldsOf(sequence uint64, s *ledger.Settlement) settlementFields {
	return settlementFields{
		Sequence: strconv.FormatUint(sequence, 10), ChainID: strconv.FormatUint(s.ChainID, 10), Contract: s.Contract[:],
		Threshold: s.Threshold, Attesters: genesis.NewSettlementDocument(s).Attesters,
	}
}

// settlementOf returns a settlement with attesters at URLs.
func settlementOf(threshold int, urls ...string) ledger.Settlement {
	s := ledger.Settlement{ChainID: 42_431, Contract: ident.Address{0: 0xC0, 19: 1}, Threshold: threshold}
	for i, url := range urls {
		s.Attesters = append(s.Attesters, ledger.Attester{Key: withPower(10+i, 0).Key, URL: url})
	}
	return s
}

// settlementCase describes a change from which a vector is generated.
type settlementCase struct {
	name     string
	sequence uint64 // of the previous settlement
	number   uint64 // 0 means the next
	chainID  string // empty means validatorChain
	after    ledger.Settlement
	signers  []int
	applies  bool
}

func settlementCases() []settlementCase {
	two := settlementOf(2, "https://one.example", "https://two.example/attester")
	edited := func(edit func(*ledger.Settlement)) ledger.Settlement {
		s := settlementOf(2, "https://one.example", "https://two.example/attester")
		edit(&s)
		return s
	}
	three := []int{0, 1, 2}
	return []settlementCase{
		{name: "a second attester", after: two, signers: three, applies: true},
		{name: "all sign, after 300 changes", sequence: 300, after: two, signers: []int{3, 1, 0, 2}, applies: true},
		{name: "no attester", after: settlementOf(0), signers: three, applies: true},
		{name: "an attester without a URL", after: settlementOf(1, "https://one.example", "", "http://[::1]:8070"), signers: three, applies: true},
		{name: "another contract", after: edited(func(s *ledger.Settlement) { s.Contract[3] = 7 }), signers: three, applies: true},
		{name: "the current one", after: settlementOf(1, "https://one.example"), signers: three},
		{name: "two of four sign", after: two, signers: []int{0, 1}},
		{name: "a stranger signs too", after: two, signers: []int{0, 1, 2, 4}},
		{name: "a number that was", sequence: 1, number: 1, after: two, signers: three},
		{name: "another chain", chainID: "vectors-2", after: two, signers: three},
		{name: "no contract", after: edited(func(s *ledger.Settlement) { s.Contract = ident.Address{} }), signers: three},
		{name: "no chain id", after: edited(func(s *ledger.Settlement) { s.ChainID = 0 }), signers: three},
		{name: "a threshold of 0", after: edited(func(s *ledger.Settlement) { s.Threshold = 0 }), signers: three},
		{name: "a threshold that cannot be reached", after: edited(func(s *ledger.Settlement) { s.Threshold = 3 }), signers: three},
		{name: "an attester twice", after: edited(func(s *ledger.Settlement) { s.Attesters[1].Key = s.Attesters[0].Key }), signers: three},
		{name: "a key of small order", after: edited(func(s *ledger.Settlement) { s.Attesters[1].Key = ident.PublicKey{1} }), signers: three},
	}
}

// TestSettlementChanges generates settlement.json: changes of the settlement with their signed bytes and the resulting row.
//
// Rules: P8.2, P11.2, P7.
func TestSettlementChanges(t *testing.T) {
	t.Parallel()
	var vectors []settlementChangeVector
	for _, test := range settlementCases() {
		vectors = append(vectors, test.vector(t))
	}
	golden(t, "settlement.json", vectors)
}

func (c *settlementCase) vector(t *testing.T) settlementChangeVector {
	t.Helper()
	change := &validators.Change{ChainID: c.chainID, Sequence: c.number, Content: validators.Settlement(c.after)}
	if change.ChainID == "" {
		change.ChainID = validatorChain
	}
	if change.Sequence == 0 {
		change.Sequence = c.sequence + 1
	}
	before := settlementOf(1, "https://one.example")
	g := &genesis.Genesis{ChainID: validatorChain, Network: pb.Network_NETWORK_TESTNET, Consensus: genesis.DefaultConsensus(), Settlement: before}
	vector := settlementChangeVector{
		Name: c.name, ChainID: change.ChainID, Before: fieldsOf(c.sequence, &before), Change: fieldsOf(change.Sequence, &c.after),
		Secrets: []hexBytes{}, Applies: c.applies,
	}
	for i := range 4 {
		v := withPower(i, 10)
		g.Validators = append(g.Validators, genesis.Validator{PublicKey: v.Key, Power: v.Power})
		vector.Power = append(vector.Power, validatorPower{v.Key[:], strconv.FormatInt(v.Power, 10)})
	}
	for _, signer := range c.signers {
		key := validatorSecret(signer)
		vector.Secrets = append(vector.Secrets, hexBytes(key.Seed()))
		if err := change.Sign(key); err != nil {
			t.Fatal(err)
		}
	}
	digest := change.Digest()
	vector.Digest, vector.Tx = digest[:], change.Encode()
	state := stateRow{}
	if c.sequence > 0 {
		current := ledger.SettlementState{Settlement: before, Sequence: c.sequence}
		state[string(schema.SettlementKey())] = must[[]byte](t)(current.EncodeRow())
	}
	applied, err := validators.NewRules(g).Execute(state, 1, vector.Tx)
	if (err == nil) != c.applies {
		t.Fatalf("%s: %v", c.name, err)
	}
	if err == nil {
		vector.RowValue = applied.Row.Value
	}
	return vector
}
