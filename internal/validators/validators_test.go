package validators_test

import (
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/internal/validators"
)

const chainID = "test-1"

// secret returns the private key of a validator by its number.
func secret(i int) ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	binary.BigEndian.PutUint64(seed, uint64(i)+1)
	return ed25519.NewKeyFromSeed(seed)
}

func public(i int) ident.PublicKey {
	key, _ := ident.PublicKeyFrom(secret(i).Public().(ed25519.PublicKey))
	return key
}

// powers returns the content of a change of the validators.
func powers(c *validators.Change) validators.Powers { return c.Content.(validators.Powers) }

// chain returns a genesis with validators of the given powers.
func chain(powers ...int64) *genesis.Genesis {
	g := &genesis.Genesis{ChainID: chainID, Consensus: genesis.DefaultConsensus()}
	for i, power := range powers {
		g.Validators = append(g.Validators, genesis.Validator{PublicKey: public(i), Power: power})
	}
	return g
}

// set returns an entry that sets the power of one validator.
func set(i int, power int64) validators.Validator {
	return validators.Validator{Key: public(i), Power: power}
}

// change returns a change that the given validators signed.
func change(t testing.TB, sequence uint64, signers []int, entries ...validators.Validator) *validators.Change {
	t.Helper()
	return signed(t, sequence, signers, validators.NewPowers(entries...))
}

// signed returns a change of any kind that the given validators signed.
func signed(t testing.TB, sequence uint64, signers []int, content validators.Content) *validators.Change {
	t.Helper()
	c := &validators.Change{ChainID: chainID, Sequence: sequence, Content: content}
	for _, i := range signers {
		if err := c.Sign(secret(i)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// rows is a state in memory.
type rows map[string][]byte

func (r rows) Get(key []byte) ([]byte, error) { return r[string(key)], nil }

// TestSteps checks a sequence of changes that adds a fifth validator to four and removes one.
func TestSteps(t *testing.T) {
	t.Parallel()
	rules, state := validators.NewRules(chain(10, 10, 10, 10)), rows{}
	for i, c := range []*validators.Change{
		change(t, 1, []int{0, 1, 2}, set(4, 10)),
		change(t, 2, []int{1, 2, 3, 4}, set(0, 0)),
		change(t, 3, []int{1, 2, 3, 4}, set(1, 20)),
	} {
		applied, err := rules.Execute(state, 1, c.Encode())
		if err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
		if applied.Row.Existed != (i > 0) || applied.State.Validators.Sequence != uint64(i+1) || string(applied.Row.Key) != string(schema.ValidatorsKey()) {
			t.Errorf("step %d: %+v", i+1, applied)
		}
		state[string(applied.Row.Key)] = applied.Row.Value
		if _, err := rules.Execute(state, 1, c.Encode()); !errors.As(err, new(*validators.RefusedError)) {
			t.Errorf("step %d applies again: %v", i+1, err)
		}
	}
	current, err := rules.Current(state, 1)
	if err != nil {
		t.Fatal(err)
	}
	if current := current.Validators; current.TotalPower() != 50 || current.Power(public(0)) != 0 || current.Power(public(1)) != 20 || len(current.Validators) != 4 {
		t.Errorf("the set is %+v", current)
	}
}

// TestRefused checks every reason for which a change is refused.
func TestRefused(t *testing.T) {
	t.Parallel()
	all := []int{0, 1, 2, 3}
	edit := func(edit func(*validators.Change)) *validators.Change {
		c := change(t, 1, nil, set(4, 10))
		edit(c)
		for _, i := range all {
			if err := c.Sign(secret(i)); err != nil {
				t.Fatal(err)
			}
		}
		return c
	}
	forged := change(t, 1, all, set(4, 10))
	powers(forged)[0].Power = 11
	for name, test := range map[string]struct {
		change *validators.Change
		want   string
	}{
		"nobody signed":         {change(t, 1, nil, set(4, 10)), "power 0 of 40"},
		"two thirds are short":  {change(t, 1, []int{0, 1}, set(4, 10)), "power 20 of 40"},
		"a stranger signed":     {change(t, 1, []int{0, 1, 2, 9}, set(4, 10)), "not a validator"},
		"changed after signing": {forged, "is not valid"},
		"another chain":         {edit(func(c *validators.Change) { c.ChainID = "test-2" }), "test-2"},
		"no chain":              {edit(func(c *validators.Change) { c.ChainID = "" }), "chain id"},
		"number of genesis":     {edit(func(c *validators.Change) { c.Sequence = 0 }), "sequence is 0"},
		"number to come":        {edit(func(c *validators.Change) { c.Sequence = 2 }), "want 1"},
		"nothing":               {edit(func(c *validators.Change) { c.Content = validators.Powers{} }), "0 validators"},
		"same key twice":        {edit(func(c *validators.Change) { c.Content = append(powers(c), powers(c)[0]) }), "duplicate"},
		"no key":                {edit(func(c *validators.Change) { powers(c)[0].Key = ident.PublicKey{} }), "small order"},
		"key of small order":    {edit(func(c *validators.Change) { powers(c)[0].Key = ident.PublicKey{1} }), "small order"},
		"negative power":        {edit(func(c *validators.Change) { powers(c)[0].Power = -1 }), "power -1"},
		"power of a stranger":   {change(t, 1, all, set(4, 0)), "already"},
		"power as it is":        {change(t, 1, all, set(0, 10)), "already"},
		"too much at once":      {change(t, 1, all, set(4, 14)), "third"},
		"one for another":       {change(t, 1, all, set(0, 0), set(4, 10)), "third"},
		"too much power":        {change(t, 1, all, set(4, genesis.MaxTotalPower)), "a total of at most"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := validators.NewRules(chain(10, 10, 10, 10)).Execute(rows{}, 1, test.change.Encode())
			if !errors.As(err, new(*validators.RefusedError)) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want a refusal with %q", err, test.want)
			}
		})
	}
}

// TestGenesisLimits checks that the size of a set is limited by the size of blocks, and that a set is not empty.
func TestGenesisLimits(t *testing.T) {
	t.Parallel()
	small := chain(1_000_000)
	small.Consensus.MaxBlockBytes = 1_720_320 // the minimum for two validators
	limit := small.ValidatorLimit()
	var many []validators.Validator
	for i := range limit {
		many = append(many, set(i+1, 1))
	}
	if _, err := validators.NewRules(small).Execute(rows{}, 1, change(t, 1, []int{0}, many...).Encode()); err == nil || !strings.Contains(err.Error(), "want 1 to") {
		t.Errorf("%d validators with a limit of %d: %v", limit+1, limit, err)
	}
	if _, err := validators.NewRules(small).Execute(rows{}, 1, change(t, 1, []int{0}, many[1:]...).Encode()); err != nil {
		t.Errorf("%d validators, which is the limit: %v", limit, err)
	}
	if _, err := validators.NewRules(small).Execute(rows{}, 1, change(t, 1, []int{0}, set(0, 0)).Encode()); err == nil || !strings.Contains(err.Error(), "0 validators") {
		t.Errorf("removing the last validator: %v", err)
	}
}

// TestTwoThirds checks that exactly two thirds are not a quorum.
func TestTwoThirds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		powers []int64
		enough bool
	}{
		"exactly":      {[]int64{2, 1}, false},
		"just above":   {[]int64{21, 10}, true},
		"just below":   {[]int64{20, 11}, false},
		"large powers": {[]int64{genesis.MaxTotalPower / 3 * 2, genesis.MaxTotalPower / 3}, false},
	} {
		_, err := validators.NewRules(chain(test.powers...)).Execute(rows{}, 1, change(t, 1, []int{0}, set(0, test.powers[0]-1)).Encode())
		if (err == nil) != test.enough {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSplit checks that Split finds a change only at the end of a block.
func TestSplit(t *testing.T) {
	t.Parallel()
	message, last := []byte{0x0A, 1}, change(t, 1, nil, set(0, 1)).Encode()
	for _, test := range []struct {
		block    [][]byte
		messages int
		change   bool
	}{
		{nil, 0, false},
		{[][]byte{message}, 1, false},
		{[][]byte{last}, 0, true},
		{[][]byte{message, last}, 1, true},
		{[][]byte{last, message}, 2, false},
		{[][]byte{last, last}, 1, true},
		{[][]byte{{}}, 1, false},
	} {
		if messages, found := validators.Split(test.block); len(messages) != test.messages || (found != nil) != test.change {
			t.Errorf("%x: %d messages, change %x", test.block, len(messages), found)
		}
	}
}
