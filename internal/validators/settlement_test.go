package validators_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/internal/validators"
)

// settlement returns the content of a change with attesters at the given URLs.
func settlement(threshold int, urls ...string) validators.Settlement {
	s := validators.Settlement{ChainID: 42431, Contract: ident.Address{7}, Threshold: threshold}
	for i, url := range urls {
		s.Attesters = append(s.Attesters, ledger.Attester{Key: public(100 + i), URL: url})
	}
	return s
}

// paid returns a genesis of four validators with a settlement.
func paid() *genesis.Genesis {
	g := chain(10, 10, 10, 10)
	g.Network, g.Settlement = pb.Network_NETWORK_TESTNET, ledger.Settlement(settlement(1, "https://one.example"))
	return g
}

// TestSettlementSteps checks a sequence of changes of the settlement between changes of the validators, which are counted apart.
//
// Rules: P8.2, P11.2.
func TestSettlementSteps(t *testing.T) {
	t.Parallel()
	rules, state := validators.NewRules(paid()), rows{}
	for i, step := range []struct {
		change *validators.Change
		row    []byte
		exists bool
	}{
		{signed(t, 1, []int{0, 1, 2}, settlement(2, "https://one.example", "https://two.example")), schema.SettlementKey(), false},
		{change(t, 1, []int{0, 1, 2}, set(4, 10)), schema.ValidatorsKey(), false},
		{signed(t, 2, []int{1, 2, 3, 4}, settlement(0)), schema.SettlementKey(), true}, // nobody attests
		{signed(t, 3, []int{1, 2, 3, 4}, settlement(1, "")), schema.SettlementKey(), true},
	} {
		decoded, err := validators.Decode(step.change.Encode())
		if err != nil || decoded.Digest() != step.change.Digest() {
			t.Fatalf("step %d: %v", i, err)
		}
		applied, err := rules.Execute(state, 1, step.change.Encode())
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if !bytes.Equal(applied.Row.Key, step.row) || applied.Row.Existed != step.exists {
			t.Errorf("step %d writes %+v", i, applied.Row)
		}
		state[string(applied.Row.Key)] = applied.Row.Value
		if current, err := rules.Current(state, 1); err != nil || !step.change.AppliedIn(current) {
			t.Errorf("step %d: not applied, %v", i, err)
		}
		if _, err := rules.Execute(state, 1, step.change.Encode()); !errors.As(err, new(*validators.RefusedError)) {
			t.Errorf("step %d applies again: %v", i, err)
		}
	}
	current, err := rules.Current(state, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := ledger.Settlement(settlement(1, ""))
	if current.Settlement.Sequence != 3 || !current.Settlement.Equal(&want) || current.Validators.Sequence != 1 {
		t.Errorf("the state is %+v", current)
	}
}

// TestSettlementRefused checks the reasons for which a change of the settlement is refused.
//
// Rules: P8.2, P11.2.
func TestSettlementRefused(t *testing.T) {
	t.Parallel()
	all := []int{0, 1, 2, 3}
	edited := func(edit func(*validators.Settlement)) *validators.Change {
		s := settlement(1, "https://one.example", "https://two.example")
		edit(&s)
		return signed(t, 1, all, s)
	}
	forged := edited(func(*validators.Settlement) {})
	forged.Content = settlement(1, "https://other.example")
	other := validators.Change{ChainID: chainID, Sequence: 1, Content: settlement(1, "")}
	other.Signatures = change(t, 1, all, set(4, 10)).Signatures
	for name, test := range map[string]struct {
		change *validators.Change
		want   string
	}{
		"two thirds are short":       {signed(t, 1, []int{0, 1}, settlement(1, "")), "settlement change: signed by voting power 20 of 40"},
		"a number to come":           {signed(t, 2, all, settlement(1, "")), "want 1"},
		"the current one":            {signed(t, 1, all, settlement(1, "https://one.example")), "the current one"},
		"changed after signing":      {forged, "is not valid"},
		"signatures of another kind": {&other, "is not valid"},
		"no contract":                {edited(func(s *validators.Settlement) { s.Contract = ident.Address{} }), "settlement.contract"},
		"no chain":                   {edited(func(s *validators.Settlement) { s.ChainID = 0 }), "settlement.chain_id"},
		"no threshold":               {edited(func(s *validators.Settlement) { s.Threshold = 0 }), "want 1 to 2"},
		"threshold too high":         {edited(func(s *validators.Settlement) { s.Threshold = 3 }), "want 1 to 2"},
		"the same key twice":         {edited(func(s *validators.Settlement) { s.Attesters[1] = s.Attesters[0] }), "duplicate"},
		"key of small order":         {edited(func(s *validators.Settlement) { s.Attesters[1].Key = ident.PublicKey{1} }), "small order"},
		"not a URL":                  {edited(func(s *validators.Settlement) { s.Attesters[1].URL = "two.example" }), "not an absolute"},
		"a long URL":                 {edited(func(s *validators.Settlement) { s.Attesters[1].URL = "https://" + strings.Repeat("a", 249) }), "has 257 bytes"},
		"too many attesters":         {signed(t, 1, all, settlement(1, make([]string, ledger.MaxAttesters+1)...)), "at most 64"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := validators.NewRules(paid()).Execute(rows{}, 1, test.change.Encode())
			if !errors.As(err, new(*validators.RefusedError)) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want a refusal with %q", err, test.want)
			}
		})
	}
}

// TestJSON checks that a change of each kind is read from its JSON form as it was, and that other forms are refused.
func TestJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []*validators.Change{
		change(t, 3, []int{0, 2}, set(4, 10), set(1, 0)),
		signed(t, 1, []int{1}, settlement(2, "https://one.example", "")),
		signed(t, 1, nil, settlement(0)),
		signed(t, 2, []int{1}, validators.Activation{Version: 4, Height: 120}),
	} {
		encoded, err := validators.FormatJSON(c)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := validators.ParseJSON(encoded)
		if err != nil || !bytes.Equal(parsed.Encode(), c.Encode()) {
			t.Errorf("%s: %v", encoded, err)
		}
		for name, damaged := range map[string]string{
			"no content":   `{"chain_id":"test-1","sequence":"1","signatures":[]}`,
			"both":         `{"chain_id":"test-1","sequence":"1","validators":[],"settlement":{},"signatures":[]}`,
			"rules too":    `{"chain_id":"test-1","sequence":"1","validators":[],"rules":{"version":"4","height":"9"},"signatures":[]}`,
			"a wrong name": strings.Replace(string(encoded), "chain_id", "chain", 1),
			"more":         string(encoded) + "{}",
		} {
			if _, err := validators.ParseJSON([]byte(damaged)); err == nil {
				t.Errorf("%s is parsed: %s", name, damaged)
			}
		}
	}
}

// TestSettlementRules3 checks that the settlement of a chain of rules version 3 cannot be changed: nodes of the release with that
// version refuse such blocks.
//
// Rules: P11.2, P11.3.
func TestSettlementRules3(t *testing.T) {
	t.Parallel()
	g := chain(10, 10, 10, 10)
	g.Rules, g.Settlement = 3, ledger.HostSettlement(g.Network, 0)
	applies := signed(t, 1, []int{0, 1, 2}, settlement(1, ""))
	_, err := validators.NewRules(g).Execute(rows{}, 1, applies.Encode())
	if !errors.As(err, new(*validators.RefusedError)) || !strings.Contains(err.Error(), "rules version 3") {
		t.Errorf("version 3: %v", err)
	}
	g.Rules = 4
	if _, err := validators.NewRules(g).Execute(rows{}, 1, applies.Encode()); err != nil {
		t.Errorf("version 4: %v", err)
	}
}
