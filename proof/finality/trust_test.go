package finality_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/types"

	"makechain/proof"
	"makechain/proof/finality"
)

// genesisOf returns the genesis file of a chain.
func genesisOf(t *testing.T, c *chain) []byte {
	t.Helper()
	genesis := &types.GenesisDoc{ChainID: c.id, AppState: json.RawMessage(`{}`)}
	for _, validator := range c.validators.Validators {
		genesis.Validators = append(genesis.Validators, types.GenesisValidator{PubKey: validator.PubKey, Power: validator.VotingPower})
	}
	if err := genesis.ValidateAndComplete(); err != nil {
		t.Fatal(err)
	}
	document, err := cmtjson.Marshal(genesis)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// TestTrustGenesis verifies a block with the genesis file alone.
//
// Rules: P11.2.
func TestTrustGenesis(t *testing.T) {
	t.Parallel()
	c, root := newChain("validators", 10, 20, 30), rootOf("state")
	trust, err := finality.TrustGenesis(genesisOf(t, c))
	if err != nil {
		t.Fatal(err)
	}
	if trust.ChainID != chainID || !bytes.Equal(trust.ValidatorsHash, c.validators.Hash()) {
		t.Errorf("trusts %q and %x", trust.ChainID, trust.ValidatorsHash)
	}
	block := encode(t, c.sign(t, c.header(number, root[:]), 3))
	if got, err := finality.Verify(block, number, trust); err != nil || got != root {
		t.Errorf("root %x: %v", got, err)
	}
}

// TestTrustGenesisErrors checks that files without a valid validator set are refused without a panic.
func TestTrustGenesisErrors(t *testing.T) {
	t.Parallel()
	good := string(genesisOf(t, newChain("validators", 10, 20)))
	for name, test := range map[string]struct{ document, want string }{
		"not JSON":              {"{", "genesis: "},
		"nothing":               {"{}", "genesis: "},
		"no validators":         {`{"chain_id":"c","app_state":{}}`, "0 validators"},
		"no power":              {strings.Replace(good, `"power":"10"`, `"power":"0"`, 1), "genesis: "},
		"negative power":        {strings.Replace(good, `"power":"10"`, `"power":"-1"`, 1), "voting power -1"},
		"too much power":        {strings.Replace(good, `"power":"10"`, `"power":"9223372036854775807"`, 1), "out of bounds"},
		"a duplicate validator": {duplicateValidator(t, good), "duplicated"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := finality.TrustGenesis([]byte(test.document)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func duplicateValidator(t *testing.T, document string) string {
	t.Helper()
	genesis := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(document), &genesis); err != nil {
		t.Fatal(err)
	}
	var validators []json.RawMessage
	if err := json.Unmarshal(genesis["validators"], &validators); err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(append(validators, validators[0]))
	if err != nil {
		t.Fatal(err)
	}
	genesis["validators"] = twice
	changed, err := json.Marshal(genesis)
	if err != nil {
		t.Fatal(err)
	}
	return string(changed)
}

// TestTrustLightBlock checks that a block is trusted for its validators only if they signed it.
//
// Rules: P11.2.
func TestTrustLightBlock(t *testing.T) {
	t.Parallel()
	c, root := newChain("validators", 10, 10, 10, 10), rootOf("state")
	trust, err := finality.TrustLightBlock(encode(t, c.sign(t, c.header(number, root[:]), 3)))
	if err != nil {
		t.Fatal(err)
	}
	if want := c.trust(); trust.ChainID != want.ChainID || !bytes.Equal(trust.ValidatorsHash, want.ValidatorsHash) {
		t.Errorf("trusts %+v, want %+v", trust, want)
	}
	changed := c.sign(t, c.header(number, root[:]), 4)
	changed.AppHash = bytes.Repeat([]byte{1}, len(root))
	for name, test := range map[string]struct {
		block []byte
		step  string
	}{
		"no block":           {[]byte{1}, proof.StepEncoding},
		"too few signatures": {encode(t, c.sign(t, c.header(number, root[:]), 2)), finality.StepPower},
		"changed afterwards": {encode(t, changed), finality.StepHeader},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := (*proof.StepError)(nil)
			if _, err := finality.TrustLightBlock(test.block); !errors.As(err, &failed) || failed.Step != test.step {
				t.Errorf("%v, want step %q", err, test.step)
			}
		})
	}
}
