package finality

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/cometbft/cometbft/light"
	"github.com/cometbft/cometbft/types"

	"makechain/proof"
)

const (
	// DefaultTrustingPeriod is the maximum age of a header from which others are verified. Validators must be accountable
	// for their signatures, and must protect their old keys, for that long.
	DefaultTrustingPeriod = 30 * 24 * time.Hour
	// UnlimitedTrustingPeriod verifies from headers of any age, for example from a genesis file. An attacker who obtains
	// most of the keys of those old validators can then forge another chain.
	UnlimitedTrustingPeriod time.Duration = math.MaxInt64
	// maxDrift is the maximum difference between clocks.
	maxDrift = time.Minute
	// maxBackwards is the maximum distance of a header before the lowest trusted one. Backward verification reads every
	// header in between.
	maxBackwards = 10_000
)

// Steps of a LightClient, besides those of Verify.
const (
	StepTrustedBlock = "trusted block" // the block has another hash than the trusted one
	StepProvider     = "provider"      // a light block could not be fetched
	StepFollow       = "follow"        // a header cannot be verified from the trusted ones
	StepWitness      = "witness"       // witnesses have another block, or none has the block
)

// ErrNotFound is returned by a Provider for a block that it does not have.
var ErrNotFound = errors.New("no such light block")

// Provider returns light blocks of a chain by number, encoded as in GetFinalizedRoot. It need not be trusted.
type Provider interface {
	LightBlock(ctx context.Context, number uint64) ([]byte, error)
}

// TrustedBlock is a block that the caller trusts.
type TrustedBlock struct {
	ChainID string
	Number  uint64
	Hash    [32]byte // of the header
}

// Options configure a LightClient. Now is required.
type Options struct {
	// Now returns the current time, against which the age of headers is checked.
	Now func() time.Time
	// TrustingPeriod is the maximum age of a header from which others are verified; 0 means DefaultTrustingPeriod.
	TrustingPeriod time.Duration
	// Witnesses are providers to cross-check blocks with. If there are any, at least one must have the same block.
	Witnesses []Provider
}

// LightClient verifies blocks of a chain from a trusted block on, as validators change. It trusts a new validator set
// when more than one third of a trusted set and two thirds of its own signed its header, and bisects where too many
// validators changed at once. It is not safe for concurrent use.
type LightClient struct {
	options Options
	start   TrustedBlock
	source  Provider
	trusted []*types.LightBlock // by number
	agreed  map[uint64]bool     // blocks that were compared with the witnesses
}

// NewLightClient returns a light client that starts at a trusted block, which it fetches from source.
func NewLightClient(ctx context.Context, start TrustedBlock, source Provider, options Options) (*LightClient, error) {
	if options.TrustingPeriod == 0 {
		options.TrustingPeriod = DefaultTrustingPeriod
	}
	c := &LightClient{options: options, start: start, source: source, agreed: map[uint64]bool{start.Number: true}}
	block, err := c.fetch(ctx, start.Number)
	if err != nil {
		return nil, err
	}
	if string(block.Hash()) != string(start.Hash[:]) {
		return nil, failed(StepTrustedBlock, "block %d has the hash %x, trusted is %x", start.Number, []byte(block.Hash()), start.Hash)
	}
	if err := verifyCommit(block, start.ChainID); err != nil {
		return nil, err
	}
	c.trusted = []*types.LightBlock{block}
	return c, nil
}

// NewLightClientFromTrust returns a light client that starts at the block of a trusted validator set.
func NewLightClientFromTrust(ctx context.Context, trust Trust, source Provider, options Options) (*LightClient, error) {
	if trust.Number == 0 {
		return nil, failed(StepTrustedBlock, "the number of a block that the trusted validators sign is unknown")
	}
	encoded, err := source.LightBlock(ctx, trust.Number)
	if err != nil {
		return nil, &proof.StepError{Step: StepProvider, Err: err}
	}
	if _, err := Verify(encoded, trust.Number-1, trust); err != nil {
		return nil, err
	}
	block, err := decode(encoded)
	if err != nil {
		return nil, err
	}
	return NewLightClient(ctx, TrustedBlock{ChainID: trust.ChainID, Number: trust.Number, Hash: [32]byte(block.Hash())}, source, options)
}

// LightBlock returns a verified light block.
func (c *LightClient) LightBlock(ctx context.Context, number uint64) ([]byte, error) {
	block, err := c.block(ctx, number)
	if err != nil {
		return nil, err
	}
	message, err := block.ToProto()
	if err != nil {
		return nil, &proof.StepError{Step: proof.StepEncoding, Err: err}
	}
	return message.Marshal()
}

// Trust returns the validator set that certifies the root after a block, for Verify.
func (c *LightClient) Trust(ctx context.Context, number uint64) (Trust, error) {
	block, err := c.block(ctx, number+1)
	if err != nil {
		return Trust{}, err
	}
	return Trust{ChainID: block.ChainID, ValidatorsHash: block.ValidatorsHash, Number: uint64(block.Height)}, nil
}

// block returns a verified block after comparing it with the witnesses.
func (c *LightClient) block(ctx context.Context, number uint64) (*types.LightBlock, error) {
	block, err := c.reach(ctx, number)
	if err != nil || c.agreed[number] {
		return block, err
	}
	if err := c.crossCheck(ctx, block); err != nil {
		return nil, err
	}
	c.agreed[number] = true
	return block, nil
}

// reach returns a trusted block, or verifies it from the nearest trusted one.
func (c *LightClient) reach(ctx context.Context, number uint64) (*types.LightBlock, error) {
	at, found := c.search(number)
	switch {
	case found:
		return c.trusted[at], nil
	case at == 0:
		return c.backwards(ctx, c.trusted[0], number)
	default:
		return c.forwards(ctx, c.trusted[at-1], number)
	}
}

func (c *LightClient) search(number uint64) (at int, found bool) {
	return slices.BinarySearchFunc(c.trusted, number, func(block *types.LightBlock, number uint64) int {
		return cmp.Compare(uint64(block.Height), number)
	})
}

// trust adds a block to the trusted blocks.
func (c *LightClient) trust(block *types.LightBlock) {
	if at, found := c.search(uint64(block.Height)); !found {
		c.trusted = slices.Insert(c.trusted, at, block)
	}
}

// forwards verifies a block after a trusted one, directly or by bisection.
func (c *LightClient) forwards(ctx context.Context, trusted *types.LightBlock, number uint64) (*types.LightBlock, error) {
	target, err := c.fetch(ctx, number)
	if err != nil {
		return nil, err
	}
	for pending := []*types.LightBlock{target}; len(pending) > 0; {
		next := pending[len(pending)-1]
		err := light.Verify(trusted.SignedHeader, trusted.ValidatorSet, next.SignedHeader, next.ValidatorSet,
			c.options.TrustingPeriod, c.options.Now(), maxDrift, light.DefaultTrustLevel)
		if tooMany := (light.ErrNewValSetCantBeTrusted{}); errors.As(err, &tooMany) {
			between, err := c.fetch(ctx, uint64(trusted.Height+next.Height)/2)
			if err != nil {
				return nil, err
			}
			pending = append(pending, between)
			continue
		}
		if err != nil {
			return nil, failed(StepFollow, "block %d does not follow from block %d: %w", next.Height, trusted.Height, err)
		}
		c.trust(next)
		trusted, pending = next, pending[:len(pending)-1]
	}
	return target, nil
}

// backwards verifies a block before a trusted one: each header has the hash of the header before it.
func (c *LightClient) backwards(ctx context.Context, trusted *types.LightBlock, number uint64) (*types.LightBlock, error) {
	if uint64(trusted.Height)-number > maxBackwards {
		return nil, failed(StepFollow, "block %d is too far before block %d", number, trusted.Height)
	}
	for uint64(trusted.Height) > number {
		before, err := c.fetch(ctx, uint64(trusted.Height)-1)
		if err != nil {
			return nil, err
		}
		if err := light.VerifyBackwards(before.Header, trusted.Header); err != nil {
			return nil, failed(StepFollow, "block %d is not the one before block %d: %w", before.Height, trusted.Height, err)
		}
		if err := verifyCommit(before, c.start.ChainID); err != nil {
			return nil, err
		}
		c.trust(before)
		trusted = before
	}
	return trusted, nil
}

// fetch fetches a light block of the chain and number and checks that it is consistent. It is not yet trusted.
func (c *LightClient) fetch(ctx context.Context, number uint64) (*types.LightBlock, error) {
	if number == 0 || number >= math.MaxInt64 {
		return nil, failed(StepHeight, "%d is not the number of a block", number)
	}
	encoded, err := c.source.LightBlock(ctx, number)
	if err != nil {
		return nil, failed(StepProvider, "block %d: %w", number, err)
	}
	block, err := decode(encoded)
	if err != nil {
		return nil, err
	}
	if block.ChainID != c.start.ChainID {
		return nil, failed(StepChain, "header is of chain %q, not %q", block.ChainID, c.start.ChainID)
	}
	if err := block.ValidateBasic(c.start.ChainID); err != nil {
		return nil, &proof.StepError{Step: StepHeader, Err: err}
	}
	if uint64(block.Height) != number {
		return nil, failed(StepHeight, "header is of block %d, not %d", block.Height, number)
	}
	return block, nil
}
