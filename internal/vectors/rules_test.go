package vectors

import (
	"math"
	"strconv"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/genesis"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/internal/validators"
)

// rulesChangeVector is a change of the rules and its result. Four validators with power 10 decide.
type rulesChangeVector struct {
	Name     string           `json:"name"`
	ChainID  string           `json:"chain_id"` // of the change
	Height   string           `json:"height"`   // of the block
	Before   rulesFields      `json:"before"`
	Change   activationFields `json:"change"`
	Power    []validatorPower `json:"validators"`
	Secrets  []hexBytes       `json:"secrets"` // of the signers
	Digest   hexBytes         `json:"digest"`
	Tx       hexBytes         `json:"transaction"`
	Applies  bool             `json:"applies"`
	RowValue hexBytes         `json:"row,omitempty"` // the value of row 21 after the change
}

// rulesFields is the latest activation. Without one the sequence and the height are 0.
type rulesFields struct {
	activationFields
	Previous string `json:"previous_version"`
}

type activationFields struct {
	Sequence string `json:"sequence"`
	Version  string `json:"version"`
	Height   string `json:"height"`
}

// rulesCase describes a change from which a vector is generated.
type rulesCase struct {
	name    string
	height  uint64
	before  ledger.RulesState // without a sequence, version 3 is that of the genesis
	number  uint64            // 0 means the next
	chainID string            // empty means validatorChain
	after   validators.Activation
	signers []int
	applies bool
}

func rulesCases() []rulesCase {
	first := ledger.RulesState{Version: 3, Previous: 3}
	pending := ledger.RulesState{Sequence: 300, Version: 4, Height: 40, Previous: 3}
	three := []int{0, 1, 2}
	return []rulesCase{
		{name: "the next version", height: 30, before: first, after: validators.Activation{Version: 4, Height: 40}, signers: three, applies: true},
		{name: "the last height", height: 1, before: first, after: validators.Activation{Version: 4, Height: math.MaxInt64}, signers: three, applies: true},
		{name: "all sign", height: 1, before: first, after: validators.Activation{Version: 4, Height: 11}, signers: []int{3, 1, 0, 2}, applies: true},
		{name: "replaces a pending one", height: 39, before: pending, after: validators.Activation{Version: 4, Height: 49}, signers: three, applies: true},
		{name: "the version after one in force", height: 40, before: pending, after: validators.Activation{Version: 5, Height: 50}, signers: three, applies: true},
		{name: "the pending one", height: 30, before: pending, after: validators.Activation{Version: 4, Height: 40}, signers: three},
		{name: "the version in force", height: 40, before: pending, after: validators.Activation{Version: 4, Height: 50}, signers: three},
		{name: "the version after the pending one", height: 39, before: pending, after: validators.Activation{Version: 5, Height: 50}, signers: three},
		{name: "too near", height: 31, before: first, after: validators.Activation{Version: 4, Height: 40}, signers: three},
		{name: "beyond the last height", height: 1, before: first, after: validators.Activation{Version: 4, Height: 1 << 63}, signers: three},
		{name: "two versions ahead", height: 1, before: first, after: validators.Activation{Version: 5, Height: 40}, signers: three},
		{name: "two of four sign", height: 1, before: first, after: validators.Activation{Version: 4, Height: 40}, signers: []int{0, 1}},
		{name: "a stranger signs too", height: 1, before: first, after: validators.Activation{Version: 4, Height: 40}, signers: []int{0, 1, 2, 4}},
		{name: "a number that was", height: 1, before: pending, number: 300, after: validators.Activation{Version: 4, Height: 50}, signers: three},
		{name: "another chain", height: 1, before: first, chainID: "vectors-2", after: validators.Activation{Version: 4, Height: 40}, signers: three},
	}
}

// TestRulesChanges generates rules.json: changes of the rules with their signed bytes and the resulting row.
//
// Rules: P11.2, P7.
func TestRulesChanges(t *testing.T) {
	t.Parallel()
	var vectors []rulesChangeVector
	for _, test := range rulesCases() {
		vectors = append(vectors, test.vector(t))
	}
	golden(t, "rules.json", vectors)
}

func (c *rulesCase) vector(t *testing.T) rulesChangeVector {
	t.Helper()
	change := &validators.Change{ChainID: c.chainID, Sequence: c.number, Content: c.after}
	if change.ChainID == "" {
		change.ChainID = validatorChain
	}
	if change.Sequence == 0 {
		change.Sequence = c.before.Sequence + 1
	}
	number := func(n uint64) string { return strconv.FormatUint(n, 10) }
	vector := rulesChangeVector{
		Name: c.name, ChainID: change.ChainID, Height: number(c.height),
		Before:  rulesFields{activationFields{number(c.before.Sequence), number(c.before.Version), number(c.before.Height)}, number(c.before.Previous)},
		Change:  activationFields{number(change.Sequence), number(c.after.Version), number(c.after.Height)},
		Secrets: []hexBytes{}, Applies: c.applies,
	}
	g := &genesis.Genesis{
		ChainID: validatorChain, Network: pb.Network_NETWORK_TESTNET, Rules: 3, Consensus: genesis.DefaultConsensus(),
		Settlement: ledger.HostSettlement(pb.Network_NETWORK_TESTNET, 0),
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
	if c.before.Sequence > 0 {
		state[string(schema.RulesKey())] = must[[]byte](t)(c.before.EncodeRow())
	}
	applied, err := validators.NewRules(g).Execute(state, c.height, vector.Tx)
	if (err == nil) != c.applies {
		t.Fatalf("%s: %v", c.name, err)
	}
	if err == nil {
		vector.RowValue = applied.Row.Value
	}
	return vector
}
