package finality_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/types"

	"makechain/proof"
	"makechain/proof/finality"
)

// network is a chain whose validators change, and a source of its light blocks.
type network struct {
	blocks   []*types.LightBlock // from 1 on
	requests int
	// answer, if set, replaces a block.
	answer func(number uint64) ([]byte, error)
}

// epoch is a number of consecutive blocks with the same validators.
type epoch struct {
	blocks     int
	validators []int // the numbers of validators of equal power
}

// newNetwork returns a chain of epochs. The name distinguishes chains with the same validators.
func newNetwork(t testing.TB, name string, epochs ...epoch) *network {
	t.Helper()
	n := new(network)
	var sets []*chain
	for _, e := range epochs {
		for range e.blocks {
			sets = append(sets, validatorsOf(e.validators))
		}
	}
	last := blockID(nil)
	for i, c := range sets {
		header := c.header(uint64(i), []byte(fmt.Sprintf("%-32s", name)))
		header.Time = header.Time.Add(time.Duration(i) * time.Minute)
		header.NextValidatorsHash = sets[min(i+1, len(sets)-1)].validators.Hash()
		if i > 0 {
			header.LastBlockID = last
		}
		block := c.sign(t, header, len(c.validators.Validators))
		last = block.Commit.BlockID
		n.blocks = append(n.blocks, block)
	}
	return n
}

func validatorsOf(secrets []int) *chain {
	c := &chain{id: chainID, keys: make(map[string]ed25519.PrivKey)}
	var validators []*types.Validator
	for _, secret := range secrets {
		key := ed25519.GenPrivKeyFromSecret([]byte{byte(secret)})
		validators = append(validators, types.NewValidator(key.PubKey(), 10))
		c.keys[string(key.PubKey().Address())] = key
	}
	c.validators = types.NewValidatorSet(validators)
	return c
}

func (n *network) LightBlock(_ context.Context, number uint64) ([]byte, error) {
	n.requests++
	if n.answer != nil {
		if answer, err := n.answer(number); answer != nil || err != nil {
			return answer, err
		}
	}
	if number == 0 || number > uint64(len(n.blocks)) {
		return nil, finality.ErrNotFound
	}
	message, err := n.blocks[number-1].ToProto()
	if err != nil {
		return nil, err
	}
	return message.Marshal()
}

func (n *network) trustedBlock(number uint64) finality.TrustedBlock {
	return finality.TrustedBlock{ChainID: chainID, Number: number, Hash: [32]byte(n.blocks[number-1].Hash())}
}

// now is an hour after the last block.
func (n *network) now() time.Time { return n.blocks[len(n.blocks)-1].Time.Add(time.Hour) }

func (n *network) options(witnesses ...finality.Provider) finality.Options {
	return finality.Options{Now: n.now, Witnesses: witnesses}
}

// turnover returns epochs in which all validators are replaced, most steps by a quarter and one by all but one.
func turnover() []epoch {
	return []epoch{
		{40, []int{1, 2, 3, 4}}, {40, []int{2, 3, 4, 5}}, {40, []int{3, 4, 5, 6}}, {1, []int{6, 7, 8, 9}}, {79, []int{7, 8, 9, 10}},
	}
}

// TestLightClient verifies blocks forwards and backwards from several trusted blocks while validators change.
//
// Rules: P11.2.
func TestLightClient(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, "chain", turnover()...)
	for _, from := range []uint64{1, 60, 121, 200} {
		client, err := finality.NewLightClient(t.Context(), n.trustedBlock(from), n, n.options(n))
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range []uint64{200, 1, 120, 121, 122, 41, from} {
			encoded, err := client.LightBlock(t.Context(), to)
			if err != nil {
				t.Errorf("from %d to %d: %v", from, to, err)
				continue
			}
			trust, err := client.Trust(t.Context(), to-1)
			if err != nil {
				t.Error(err)
			}
			if root, err := finality.Verify(encoded, to-1, trust); err != nil || !slices.Equal(root[:], n.blocks[to-1].AppHash) {
				t.Errorf("from %d to %d: root %x, %v", from, to, root, err)
			}
		}
	}
	client, err := finality.NewLightClient(t.Context(), n.trustedBlock(1), n, n.options())
	if err != nil {
		t.Fatal(err)
	}
	n.requests = 0
	if _, err := client.LightBlock(t.Context(), 200); err != nil || n.requests > 30 {
		t.Errorf("%d requests for 200 blocks, %v", n.requests, err)
	}
	if _, err := client.LightBlock(t.Context(), 201); !errors.Is(err, finality.ErrNotFound) {
		t.Errorf("a block that does not exist: %v", err)
	}
}

// dishonest is a provider that returns wrong blocks, and the step at which they are refused.
type dishonest struct {
	name  string
	apply func(t *testing.T, n *network)
	step  string
}

// dishonestProviders returns the attacks of a provider on a chain of 200 blocks, verified from block 1 to the last.
func dishonestProviders() []dishonest {
	strangers := func(t *testing.T, n *network) *network {
		t.Helper()
		return newNetwork(t, "forged", epoch{len(n.blocks), []int{21, 22, 23, 24}})
	}
	return []dishonest{
		{"invented validators", func(t *testing.T, n *network) {
			t.Helper()
			forged := strangers(t, n)
			n.answer = func(number uint64) ([]byte, error) {
				if number == 1 {
					return nil, nil
				}
				return forged.LightBlock(t.Context(), number)
			}
		}, finality.StepFollow},
		{"invented validators at the last block only", func(t *testing.T, n *network) {
			t.Helper()
			n.blocks[199] = strangers(t, n).blocks[199]
		}, finality.StepFollow},
		{"validators that left before", func(t *testing.T, n *network) {
			t.Helper()
			old := newNetwork(t, "old", epoch{len(n.blocks), []int{1}})
			n.blocks[199] = old.blocks[199]
		}, finality.StepFollow},
		{"too few signatures", func(t *testing.T, n *network) {
			t.Helper()
			c := validatorsOf([]int{7, 8, 9, 10})
			n.blocks[199] = c.sign(t, n.blocks[199].Header, 2)
		}, finality.StepFollow},
		{"a block of another number", func(_ *testing.T, n *network) { n.blocks[199] = n.blocks[198] }, finality.StepHeight},
		{"a block from the future", func(t *testing.T, n *network) {
			t.Helper()
			header := *n.blocks[199].Header
			header.Time = header.Time.Add(24 * time.Hour)
			n.blocks[199] = validatorsOf([]int{7, 8, 9, 10}).sign(t, &header, 4)
		}, finality.StepFollow},
		{"a withheld block", func(_ *testing.T, n *network) {
			n.answer = func(number uint64) ([]byte, error) {
				if number > 1 && number < 200 {
					return nil, finality.ErrNotFound
				}
				return nil, nil
			}
		}, finality.StepProvider},
		{"garbage", func(_ *testing.T, n *network) {
			n.answer = func(number uint64) ([]byte, error) {
				if number > 1 {
					return []byte("garbage"), nil
				}
				return nil, nil
			}
		}, proof.StepEncoding},
		{"another chain", func(t *testing.T, n *network) {
			t.Helper()
			header := *n.blocks[199].Header
			header.ChainID = "another"
			n.blocks[199] = validatorsOf([]int{7, 8, 9, 10}).sign(t, &header, 4)
		}, finality.StepChain},
	}
}

// TestDishonestProviders checks that wrong blocks are refused, and at which step.
//
// Rules: P11.2.
func TestDishonestProviders(t *testing.T) {
	t.Parallel()
	for _, test := range dishonestProviders() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t, "chain", turnover()...)
			start := n.trustedBlock(1)
			now := n.now()
			test.apply(t, n)
			client, err := finality.NewLightClient(t.Context(), start, n, finality.Options{Now: func() time.Time { return now }})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.LightBlock(t.Context(), 200)
			if failure := (*proof.StepError)(nil); !errors.As(err, &failure) || failure.Step != test.step {
				t.Errorf("error %v, want one of step %s", err, test.step)
			}
		})
	}
}

// TestTrustedBlock checks that a trusted block of another chain, one that is too old and one too far ahead are refused.
func TestTrustedBlock(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, "chain", epoch{20, []int{1, 2, 3}})
	other := newNetwork(t, "other", epoch{20, []int{1, 2, 3}})
	step := func(err error) string {
		failure := (*proof.StepError)(nil)
		if !errors.As(err, &failure) {
			return fmt.Sprint(err)
		}
		return failure.Step
	}
	if _, err := finality.NewLightClient(t.Context(), other.trustedBlock(5), n, n.options()); step(err) != finality.StepTrustedBlock {
		t.Errorf("another hash: %v", err)
	}
	if _, err := finality.NewLightClient(t.Context(), finality.TrustedBlock{ChainID: chainID}, n, n.options()); step(err) != finality.StepHeight {
		t.Errorf("block 0: %v", err)
	}
	old := n.options()
	old.TrustingPeriod = time.Hour
	client, err := finality.NewLightClient(t.Context(), n.trustedBlock(5), n, old)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.LightBlock(t.Context(), 6); step(err) != finality.StepFollow {
		t.Errorf("from a header that is too old: %v", err)
	}
	if _, err := client.LightBlock(t.Context(), 5); err != nil {
		t.Errorf("the start itself: %v", err)
	}
	if _, err := client.LightBlock(t.Context(), 2); err != nil {
		t.Errorf("before the start: %v", err)
	}
	n.blocks[0] = other.blocks[0]
	if _, err := client.LightBlock(t.Context(), 1); step(err) != finality.StepFollow {
		t.Errorf("another block before: %v", err)
	}
}

// TestWitness checks that a fork is detected, and that a dishonest witness is ignored when another one has the block.
//
// Rules: P11.2.
func TestWitness(t *testing.T) {
	t.Parallel()
	epochs := []epoch{{30, []int{1, 2, 3, 4}}}
	n, dishonestWitness := newNetwork(t, "chain", epochs...), newNetwork(t, "forged", epoch{30, []int{21, 22, 23}})
	forked := newNetwork(t, "forked", epochs...)
	forked.blocks[0], dishonestWitness.blocks[0] = n.blocks[0], n.blocks[0] // the first block is the same
	unavailable := &network{}
	follow := func(witnesses ...finality.Provider) error {
		client, err := finality.NewLightClient(t.Context(), n.trustedBlock(1), n, n.options(witnesses...))
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.LightBlock(t.Context(), 30)
		if _, again := client.LightBlock(t.Context(), 30); (again == nil) != (err == nil) {
			t.Errorf("a second time: %v, and before %v", again, err)
		}
		return err
	}
	if err := follow(dishonestWitness, unavailable, n); err != nil {
		t.Errorf("with an honest witness: %v", err)
	}
	fork := (*finality.ForkError)(nil)
	if err := follow(n, forked); !errors.As(err, &fork) || fork.Number != 30 {
		t.Errorf("two chains: %v", err)
	}
	failure := (*proof.StepError)(nil)
	for name, witness := range map[string]finality.Provider{"a dishonest witness": dishonestWitness, "an unavailable witness": unavailable} {
		if err := follow(witness); !errors.As(err, &failure) || failure.Step != finality.StepWitness {
			t.Errorf("%s alone: %v", name, err)
		}
	}
}
