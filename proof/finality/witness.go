package finality

import (
	"context"
	"errors"
	"fmt"

	"github.com/cometbft/cometbft/types"
)

// ForkError says that the validators of a chain signed two blocks of one number: more than a third of them lie.
type ForkError struct {
	Number uint64
	Hashes [2][]byte
}

func (e *ForkError) Error() string {
	return fmt.Sprintf("the validators signed two blocks %d, %x and %x", e.Number, e.Hashes[0], e.Hashes[1])
}

// errLiar says that a witness has a block that the validators did not sign.
var errLiar = errors.New("a witness lies")

// ask compares a block with what the witnesses say, of which one must agree. One that says something else either has a
// second chain by the same validators, which is a fork, or lies and is not asked again.
func (f *LightClient) ask(ctx context.Context, block *types.LightBlock) error {
	agree := len(f.options.Witnesses) == 0
	var honest []Provider
	var reasons error
	for _, witness := range f.options.Witnesses {
		err := f.compare(ctx, witness, block)
		if fork := (*ForkError)(nil); errors.As(err, &fork) {
			return failed(StepWitness, "%w", fork)
		}
		agree = agree || err == nil
		reasons = errors.Join(reasons, err)
		if !errors.Is(err, errLiar) {
			honest = append(honest, witness)
		}
	}
	if !agree {
		return failed(StepWitness, "nobody else has block %d: %w", block.Height, reasons)
	}
	f.options.Witnesses = honest
	return nil
}

// compare asks one witness. No error means that it has the same block.
func (f *LightClient) compare(ctx context.Context, witness Provider, block *types.LightBlock) error {
	alone := f.options
	alone.Witnesses = nil
	second := &LightClient{options: alone, anchor: f.anchor, source: witness}
	theirs, err := second.fetch(ctx, uint64(block.Height))
	if err != nil {
		return err
	}
	if string(theirs.Hash()) == string(block.Hash()) {
		return nil
	}
	second, err = NewLightClient(ctx, f.anchor, witness, alone)
	if err == nil {
		theirs, err = second.block(ctx, uint64(block.Height))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errLiar, err)
	}
	return &ForkError{Number: uint64(block.Height), Hashes: [2][]byte{block.Hash(), theirs.Hash()}}
}
