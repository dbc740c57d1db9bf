package validators_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"makechain/internal/genesis"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/internal/validators"
)

// rules3 returns a genesis of four validators with rules version 3.
func rules3() *genesis.Genesis {
	g := chain(10, 10, 10, 10)
	g.Rules, g.Settlement = 3, ledger.HostSettlement(g.Network, 0)
	return g
}

// TestActivationSteps checks an activation that is replaced until its height is reached, the version in force before and after it, and
// that a change of the settlement applies from then on.
//
// Rules: P11.2, P11.3.
func TestActivationSteps(t *testing.T) {
	t.Parallel()
	rules, state := validators.NewRules(rules3()), rows{}
	three := []int{0, 1, 2}
	for i, step := range []struct {
		height uint64 // of the block
		change *validators.Change
		want   string // of the refusal
	}{
		{5, signed(t, 1, three, settlement(1, "")), "rules version 3"},
		{5, signed(t, 1, three, validators.Activation{Version: 4, Height: 15}), ""},
		{6, signed(t, 1, three, validators.Activation{Version: 4, Height: 20}), "sequence is 1, want 2"},
		{6, signed(t, 2, three, validators.Activation{Version: 4, Height: 15}), "want at least 16"},
		{6, signed(t, 2, three, validators.Activation{Version: 5, Height: 20}), "want 4, the next"},
		{14, signed(t, 2, three, validators.Activation{Version: 4, Height: 30}), ""},
		{14, signed(t, 3, three, validators.Activation{Version: 4, Height: 30}), "activated at height 30 already"},
		{29, signed(t, 1, three, settlement(1, "")), "rules version 3"},
		{29, signed(t, 3, three, validators.Activation{Version: 5, Height: 99}), "want 4, the next"},
		{30, signed(t, 3, three, validators.Activation{Version: 4, Height: 99}), "want 5, the next"},
		{30, signed(t, 1, three, settlement(1, "")), ""},
		{31, signed(t, 3, three, validators.Activation{Version: 5, Height: math.MaxInt64}), ""},
	} {
		applied, err := rules.Execute(state, step.height, step.change.Encode())
		if step.want != "" {
			if !errors.As(err, new(*validators.RefusedError)) || !strings.Contains(err.Error(), step.want) {
				t.Errorf("step %d: %v, want a refusal with %q", i, err, step.want)
			}
			continue
		}
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		state[string(applied.Row.Key)] = applied.Row.Value
		if current, err := rules.Current(state, step.height+1); err != nil || !step.change.AppliedIn(current) {
			t.Errorf("step %d: not applied, %v", i, err)
		}
	}
	current, err := rules.Current(state, 32)
	if err != nil {
		t.Fatal(err)
	}
	want := ledger.RulesState{Sequence: 3, Version: 5, Height: math.MaxInt64, Previous: 4}
	if *current.Rules != want || current.RulesVersion() != 4 || current.Settlement.Sequence != 1 {
		t.Errorf("the state is %+v", current.Rules)
	}
}

// TestActivationRefused checks the reasons for which an activation is refused.
//
// Rules: P11.2.
func TestActivationRefused(t *testing.T) {
	t.Parallel()
	all := []int{0, 1, 2, 3}
	good := validators.Activation{Version: 4, Height: 11}
	other := validators.Change{ChainID: chainID, Sequence: 1, Content: good, Signatures: change(t, 1, all, set(4, 10)).Signatures}
	forged := signed(t, 1, all, good)
	forged.Content = validators.Activation{Version: 4, Height: 12}
	for name, test := range map[string]struct {
		change *validators.Change
		want   string
	}{
		"two thirds are short":       {signed(t, 1, []int{0, 1}, good), "rules change: signed by voting power 20 of 40"},
		"a stranger signs":           {signed(t, 1, []int{0, 1, 2, 7}, good), "not a validator"},
		"a number to come":           {signed(t, 2, all, good), "want 1"},
		"changed after signing":      {forged, "is not valid"},
		"signatures of another kind": {&other, "is not valid"},
		"too early":                  {signed(t, 1, all, validators.Activation{Version: 4, Height: 10}), "want at least 11"},
		"too late":                   {signed(t, 1, all, validators.Activation{Version: 4, Height: 1 << 63}), "want 1 to 9223372036854775807"},
		"no height":                  {signed(t, 1, all, validators.Activation{Version: 4}), "height 0"},
		"the current version":        {signed(t, 1, all, validators.Activation{Version: 3, Height: 11}), "want 4"},
		"no version":                 {signed(t, 1, all, validators.Activation{Height: 11}), "version is 0"},
		"a version too many":         {signed(t, 1, all, validators.Activation{Version: 5, Height: 11}), "want 4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := validators.NewRules(rules3()).Execute(rows{}, 1, test.change.Encode())
			if !errors.As(err, new(*validators.RefusedError)) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want a refusal with %q", err, test.want)
			}
		})
	}
	if _, err := validators.NewRules(rules3()).Execute(rows{}, 1, signed(t, 1, all, good).Encode()); err != nil {
		t.Error(err)
	}
	if _, err := validators.NewRules(rules3()).Current(rows{string(schema.RulesKey()): {8, 1}}, 1); err == nil {
		t.Error("a row without a version is read")
	}
}
