package vectors

import (
	"crypto/ed25519"
	"encoding/hex"
	"slices"
	"strconv"
	"testing"

	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/internal/validators"
)

// validatorChain is the id of the chain whose validators change.
const validatorChain = "vectors-1"

// validatorSet is a validator set and the number of changes that led to it.
type validatorSet struct {
	Sequence   string           `json:"sequence"`
	Validators []validatorPower `json:"validators"`
}

// validatorPower is a validator with its power, or 0 if it is removed.
type validatorPower struct {
	PublicKey hexBytes `json:"public_key"`
	Power     string   `json:"power"`
}

// validatorVector is a change of the validators and its result.
type validatorVector struct {
	Name    string       `json:"name"`
	ChainID string       `json:"chain_id"` // of the change
	Before  validatorSet `json:"before"`
	Change  validatorSet `json:"change"`
	Secrets []hexBytes   `json:"secrets"` // of the signers
	Digest  hexBytes     `json:"digest"`
	Tx      hexBytes     `json:"transaction"`
	Applies bool         `json:"applies"`
	Value   hexBytes     `json:"row,omitempty"` // the value of row 1D after the change
}

// validatorSecret returns the key of a validator by its number.
func validatorSecret(number int) ed25519.PrivateKey {
	seed := secret("validator " + strconv.Itoa(number))
	return ed25519.NewKeyFromSeed(seed[:])
}

func withPower(number int, power int64) validators.Validator {
	key, _ := ident.PublicKeyFrom(validatorSecret(number).Public().(ed25519.PublicKey))
	return validators.Validator{Key: key, Power: power}
}

// changeCase describes a change from which a vector is generated.
type changeCase struct {
	name     string
	sequence uint64 // of the previous set
	powers   []int64
	chainID  string // empty means validatorChain
	number   uint64 // 0 means the next
	entries  []validators.Validator
	signers  []int
	applies  bool
}

func changeCases() []changeCase {
	four := []int64{10, 10, 10, 10}
	fifth := []validators.Validator{withPower(4, 10)}
	cases := []changeCase{
		{name: "a fifth validator", powers: four, entries: fifth, signers: []int{0, 1, 2}, applies: true},
		{name: "one of five goes", sequence: 1, powers: []int64{10, 10, 10, 10, 10}, entries: []validators.Validator{withPower(0, 0)}, signers: []int{1, 2, 3, 4}, applies: true},
		{name: "two powers change", sequence: 300, powers: []int64{7, 20, 13}, entries: []validators.Validator{withPower(0, 12), withPower(2, 5)}, signers: []int{0, 1}, applies: true},
		{name: "all sign", powers: four, entries: fifth, signers: []int{3, 1, 0, 2}, applies: true},
		{name: "exactly two thirds sign", powers: []int64{10, 10, 10}, entries: fifth, signers: []int{0, 1}},
		{name: "two of four sign", powers: four, entries: fifth, signers: []int{0, 1}},
		{name: "nobody signs", powers: four, entries: fifth},
		{name: "who is to come signs", powers: four, entries: fifth, signers: []int{0, 1, 2, 4}},
		{name: "a number that was", sequence: 1, number: 1, powers: four, entries: fifth, signers: []int{0, 1, 2}},
		{name: "a number to come", number: 2, powers: four, entries: fifth, signers: []int{0, 1, 2}},
		{name: "another chain", chainID: "vectors-2", powers: four, entries: fifth, signers: []int{0, 1, 2}},
		{name: "more than a third moves", powers: four, entries: []validators.Validator{withPower(4, 14)}, signers: []int{0, 1, 2, 3}},
		{name: "more than a third moves, up and down", powers: four, entries: []validators.Validator{withPower(0, 3), withPower(4, 7)}, signers: []int{0, 1, 2, 3}},
		{name: "the power that there is", powers: four, entries: []validators.Validator{withPower(0, 10)}, signers: []int{0, 1, 2}},
		{name: "who is not there goes", powers: four, entries: []validators.Validator{withPower(4, 0)}, signers: []int{0, 1, 2}},
	}
	for _, key := range smallOrderKeys() {
		entries := []validators.Validator{{Key: ident.PublicKey(key), Power: 10}}
		cases = append(cases, changeCase{name: "small order " + hex.EncodeToString(key), powers: four, entries: entries, signers: []int{0, 1, 2}})
	}
	return cases
}

// TestValidatorChanges generates validators.json: changes of the validators with their signed bytes and the resulting row.
//
// Rules: P11.2, P7.
func TestValidatorChanges(t *testing.T) {
	t.Parallel()
	var vectors []validatorVector
	for _, test := range changeCases() {
		vectors = append(vectors, test.vector(t))
	}
	golden(t, "validators.json", vectors)
}

func (c *changeCase) vector(t *testing.T) validatorVector {
	t.Helper()
	before := &validators.Set{Sequence: c.sequence}
	for i, power := range c.powers {
		before.Validators = append(before.Validators, withPower(i, power))
	}
	sortByKey(before.Validators)
	entries := validators.NewPowers(c.entries...)
	change := &validators.Change{ChainID: c.chainID, Sequence: c.number, Content: entries}
	if change.ChainID == "" {
		change.ChainID = validatorChain
	}
	if change.Sequence == 0 {
		change.Sequence = c.sequence + 1
	}
	vector := validatorVector{Name: c.name, ChainID: change.ChainID, Before: vectorSet(c.sequence, before.Validators), Secrets: []hexBytes{}, Applies: c.applies}
	for _, signer := range c.signers {
		key := validatorSecret(signer)
		vector.Secrets = append(vector.Secrets, hexBytes(key.Seed()))
		if err := change.Sign(key); err != nil {
			t.Fatal(err)
		}
	}
	vector.Change = vectorSet(change.Sequence, entries)
	digest := change.Digest()
	vector.Digest, vector.Tx = digest[:], change.Encode()
	vector.Value = c.execute(t, before, vector.Tx)
	return vector
}

// execute applies a change to a state and returns the resulting row, nil if the change is refused.
func (c *changeCase) execute(t *testing.T, before *validators.Set, tx []byte) []byte {
	t.Helper()
	g := &genesis.Genesis{ChainID: validatorChain, Consensus: genesis.DefaultConsensus()}
	for _, v := range before.Validators {
		g.Validators = append(g.Validators, genesis.Validator{PublicKey: v.Key, Power: v.Power})
	}
	state := stateRow{}
	if before.Sequence > 0 {
		state[string(schema.ValidatorsKey())] = must[[]byte](t)(before.EncodeRow())
	}
	applied, err := validators.NewRules(g).Execute(state, 1, tx)
	if (err == nil) != c.applies {
		t.Fatalf("%s: %v", c.name, err)
	}
	if err != nil {
		return nil
	}
	return applied.Row.Value
}

// stateRow is a state of a few rows.
type stateRow map[string][]byte

func (r stateRow) Get(key []byte) ([]byte, error) { return r[string(key)], nil }

func sortByKey(list []validators.Validator) {
	slices.SortFunc(list, func(a, b validators.Validator) int { return slices.Compare(a.Key[:], b.Key[:]) })
}

func vectorSet(sequence uint64, list []validators.Validator) validatorSet {
	set := validatorSet{Sequence: strconv.FormatUint(sequence, 10)}
	for _, v := range list {
		set.Validators = append(set.Validators, validatorPower{v.Key[:], strconv.FormatInt(v.Power, 10)})
	}
	return set
}
