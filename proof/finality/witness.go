package finality

import (
	"context"
	"errors"
	"fmt"

	"github.com/cometbft/cometbft/types"
)

// ForkError is returned when the validators of a chain signed two blocks with one number: more than a third of the
// voting power is dishonest.
type ForkError struct {
	Number uint64
	Hashes [2][]byte
}

func (e *ForkError) Error() string {
	return fmt.Sprintf("the validators signed two blocks %d, %x and %x", e.Number, e.Hashes[0], e.Hashes[1])
}

// errInvalidWitness is returned for a witness with a block that the validators did not sign.
var errInvalidWitness = errors.New("the block of a witness cannot be verified")

// crossCheck compares a block with the witnesses, of which at least one must have the same block. A witness with another
// block either shows a fork, a second chain of the same validators, or is dishonest and is removed.
func (c *LightClient) crossCheck(ctx context.Context, block *types.LightBlock) error {
	agree := len(c.options.Witnesses) == 0
	var honest []Provider
	var reasons error
	for _, witness := range c.options.Witnesses {
		err := c.compare(ctx, witness, block)
		if fork := (*ForkError)(nil); errors.As(err, &fork) {
			return failed(StepWitness, "%w", fork)
		}
		agree = agree || err == nil
		reasons = errors.Join(reasons, err)
		if !errors.Is(err, errInvalidWitness) {
			honest = append(honest, witness)
		}
	}
	if !agree {
		return failed(StepWitness, "no witness has block %d: %w", block.Height, reasons)
	}
	c.options.Witnesses = honest
	return nil
}

// compare fetches the block from one witness. It returns nil if it is the same.
func (c *LightClient) compare(ctx context.Context, witness Provider, block *types.LightBlock) error {
	alone := c.options
	alone.Witnesses = nil
	second := &LightClient{options: alone, start: c.start, source: witness}
	theirs, err := second.fetch(ctx, uint64(block.Height))
	if err != nil {
		return err
	}
	if string(theirs.Hash()) == string(block.Hash()) {
		return nil
	}
	second, err = NewLightClient(ctx, c.start, witness, alone)
	if err == nil {
		theirs, err = second.block(ctx, uint64(block.Height))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalidWitness, err)
	}
	return &ForkError{Number: uint64(block.Height), Hashes: [2][]byte{block.Hash(), theirs.Hash()}}
}
