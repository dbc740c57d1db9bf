package validators_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"makechain/internal/validators"
	"makechain/message"
)

// FuzzDecode checks that a change has one encoding, which is not that of a message, and that no input causes a panic.
func FuzzDecode(f *testing.F) {
	good := change(f, 1, []int{0, 1, 2}, set(4, 10)).Encode()
	activation := signed(f, 1, []int{0, 1, 2}, validators.Activation{Version: 5, Height: 11}).Encode()
	replacement := signed(f, 1, []int{0, 1, 2}, settlement(2, "https://one.example", "", "https://three.example/a")).Encode()
	for _, seed := range [][]byte{nil, {0}, {0, 1}, {0, 1, 255}, good, good[:len(good)-1], append(bytes.Clone(good), 0), change(f, 9, nil, set(1, 0), set(2, 3)).Encode(), replacement, replacement[:len(replacement)-1], activation, activation[:len(activation)-1]} {
		f.Add(seed)
	}
	rules := validators.NewRules(chain(10, 10, 10, 10))
	f.Fuzz(func(t *testing.T, tx []byte) {
		decoded, err := validators.Decode(tx)
		if err == nil {
			if again := decoded.Encode(); !bytes.Equal(again, tx) {
				t.Fatalf("encodes to %x", again)
			}
			if _, refusal := message.Decode(tx); refusal == nil {
				t.Fatal("is a message too")
			}
		}
		applied, err := rules.Execute(rows{}, 1, tx)
		if err != nil && !errors.As(err, new(*validators.RefusedError)) {
			t.Fatalf("neither applied nor refused: %v", err)
		}
		if err == nil && len(applied.State.Validators.Validators) == 0 {
			t.Fatal("no validator is left")
		}
	})
}

// FuzzDecodeRow checks that a decoded set encodes and decodes to the same set.
func FuzzDecodeRow(f *testing.F) {
	applied, err := validators.NewRules(chain(10, 10, 10, 10)).Execute(rows{}, 1, change(f, 1, []int{0, 1, 2}, set(4, 10)).Encode())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(applied.Row.Value)
	f.Add([]byte{8, 1})
	f.Fuzz(func(t *testing.T, value []byte) {
		set, err := validators.DecodeRow(value)
		if err != nil {
			return
		}
		again, err := set.EncodeRow()
		if err != nil {
			t.Fatal(err)
		}
		second, err := validators.DecodeRow(again)
		if err != nil || second.Sequence != set.Sequence || len(second.Validators) != len(set.Validators) {
			t.Fatalf("%+v decodes to %+v, %v", set, second, err)
		}
	})
}

// TestRandomSteps checks that random changes that apply keep the set within its limits and move at most a third of the
// voting power, so that the remaining validators have more than a third of the previous set.
func TestRandomSteps(t *testing.T) {
	t.Parallel()
	const seed = 6
	random, state := rand.New(rand.NewPCG(seed, seed)), rows{}
	rules := validators.NewRules(chain(10, 10, 10, 10))
	done := 0
	for range 300 {
		current, err := rules.Current(state, 1)
		if err != nil {
			t.Fatal(err)
		}
		before := current.Validators
		entries := []validators.Validator{set(random.IntN(8), int64(random.IntN(15)))}
		applied, err := rules.Execute(state, 1, change(t, before.Sequence+1, members(before), entries...).Encode())
		if err != nil {
			continue
		}
		done++
		state[string(applied.Row.Key)] = applied.Row.Value
		var kept int64
		for _, v := range before.Validators {
			kept += min(v.Power, applied.State.Validators.Power(v.Key))
		}
		if total := before.TotalPower(); 3*kept < 2*total || applied.State.Validators.TotalPower() < 1 {
			t.Fatalf("power %[2]d of %+[1]v remains in %+[3]v", before, kept, applied.State.Validators)
		}
	}
	if done < 50 {
		t.Errorf("only %d changes applied", done)
	}
}

// members returns the numbers of the validators of a set.
func members(of *validators.Set) []int {
	var numbers []int
	for i := range 8 {
		if of.Power(public(i)) > 0 {
			numbers = append(numbers, i)
		}
	}
	return numbers
}
