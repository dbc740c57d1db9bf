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
	// DefaultTrustingPeriod is how old a header may be from which others are followed. It is for validators who answer for
	// what they signed, and keep their old keys safe, for that long.
	DefaultTrustingPeriod = 30 * 24 * time.Hour
	// UnlimitedTrustingPeriod follows from headers of any age. It is for trust that is to last, such as that in a genesis file. Whoever
	// gets hold of most of the keys of those old validators, even when they are long gone, can make up another chain.
	UnlimitedTrustingPeriod time.Duration = math.MaxInt64
	// maxDrift is how far clocks may be apart.
	maxDrift = time.Minute
	// maxBackwards is how far a header may lie before the lowest that is trusted. The way back has no short cut.
	maxBackwards = 10_000
)

// The steps of a LightClient, besides those of Verify.
const (
	StepTrustedBlock = "anchor"  // the trusted block has another hash
	StepProvider     = "source"  // a light block could not be had
	StepFollow       = "follow"  // a header does not follow from the trusted ones
	StepWitness      = "witness" // sources contradict one another, or none agrees
)

// ErrNotFound is what a Provider answers for a block that it does not have.
var ErrNotFound = errors.New("no such light block")

// Provider gives light blocks of a chain by their number, as GetFinalizedRoot carries them. It need not be trusted.
type Provider interface {
	LightBlock(ctx context.Context, number uint64) ([]byte, error)
}

// TrustedBlock is a block that somebody vouches for.
type TrustedBlock struct {
	ChainID string
	Number  uint64
	Hash    [32]byte // of its header
}

// Options say what a LightClient goes by. Now is needed.
type Options struct {
	// Now is the time by which headers are too old or from the future.
	Now func() time.Time
	// TrustingPeriod is how old a header may be from which others are followed; 0 means DefaultTrustingPeriod.
	TrustingPeriod time.Duration
	// Witnesses are asked for the blocks that the source gave. At least one must answer, if there are any.
	Witnesses []Provider
}

// LightClient is a light client: it follows the validators of a chain, as they change, from a block that is trusted to any
// other. A new set is believed when more than a third of a trusted set signed for it, and two thirds of its own, with
// blocks in between where too many changed at once. It is for one goroutine.
type LightClient struct {
	options Options
	anchor  TrustedBlock
	source  Provider
	trusted []*types.LightBlock // by number
	agreed  map[uint64]bool     // blocks that the witnesses were asked about
}

// Follow begins at an anchor.
func NewLightClient(ctx context.Context, anchor TrustedBlock, source Provider, options Options) (*LightClient, error) {
	if options.TrustingPeriod == 0 {
		options.TrustingPeriod = DefaultTrustingPeriod
	}
	f := &LightClient{options: options, anchor: anchor, source: source, agreed: map[uint64]bool{anchor.Number: true}}
	block, err := f.fetch(ctx, anchor.Number)
	if err != nil {
		return nil, err
	}
	if string(block.Hash()) != string(anchor.Hash[:]) {
		return nil, failed(StepTrustedBlock, "block %d has the hash %x, trusted is %x", anchor.Number, []byte(block.Hash()), anchor.Hash)
	}
	if err := verifyCommit(block, anchor.ChainID); err != nil {
		return nil, err
	}
	f.trusted = []*types.LightBlock{block}
	return f, nil
}

// NewLightClientFromTrust begins with validators that are trusted and sign a known block.
func NewLightClientFromTrust(ctx context.Context, trust Trust, source Provider, options Options) (*LightClient, error) {
	if trust.Number == 0 {
		return nil, failed(StepTrustedBlock, "no block is known that the trusted validators sign")
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

// LightBlock gives a light block that is to be trusted.
func (f *LightClient) LightBlock(ctx context.Context, number uint64) ([]byte, error) {
	block, err := f.block(ctx, number)
	if err != nil {
		return nil, err
	}
	message, err := block.ToProto()
	if err != nil {
		return nil, &proof.StepError{Step: proof.StepEncoding, Err: err}
	}
	return message.Marshal()
}

// Trust gives the validators who certify the root after a block, for Verify.
func (f *LightClient) Trust(ctx context.Context, number uint64) (Trust, error) {
	block, err := f.block(ctx, number+1)
	if err != nil {
		return Trust{}, err
	}
	return Trust{ChainID: block.ChainID, ValidatorsHash: block.ValidatorsHash, Number: uint64(block.Height)}, nil
}

// block finds a block that the witnesses agree on.
func (f *LightClient) block(ctx context.Context, number uint64) (*types.LightBlock, error) {
	block, err := f.reach(ctx, number)
	if err != nil || f.agreed[number] {
		return block, err
	}
	if err := f.ask(ctx, block); err != nil {
		return nil, err
	}
	f.agreed[number] = true
	return block, nil
}

// reach finds a block, or the way to it.
func (f *LightClient) reach(ctx context.Context, number uint64) (*types.LightBlock, error) {
	at, found := f.search(number)
	switch {
	case found:
		return f.trusted[at], nil
	case at == 0:
		return f.backwards(ctx, f.trusted[0], number)
	default:
		return f.forwards(ctx, f.trusted[at-1], number)
	}
}

func (f *LightClient) search(number uint64) (at int, found bool) {
	return slices.BinarySearchFunc(f.trusted, number, func(block *types.LightBlock, number uint64) int {
		return cmp.Compare(uint64(block.Height), number)
	})
}

// trust adds a block to those that are trusted.
func (f *LightClient) trust(block *types.LightBlock) {
	if at, found := f.search(uint64(block.Height)); !found {
		f.trusted = slices.Insert(f.trusted, at, block)
	}
}

// forwards goes from a trusted block to a later one, straight or by way of blocks in between.
func (f *LightClient) forwards(ctx context.Context, trusted *types.LightBlock, number uint64) (*types.LightBlock, error) {
	target, err := f.fetch(ctx, number)
	if err != nil {
		return nil, err
	}
	for waiting := []*types.LightBlock{target}; len(waiting) > 0; {
		next := waiting[len(waiting)-1]
		err := light.Verify(trusted.SignedHeader, trusted.ValidatorSet, next.SignedHeader, next.ValidatorSet,
			f.options.TrustingPeriod, f.options.Now(), maxDrift, light.DefaultTrustLevel)
		if tooMany := (light.ErrNewValSetCantBeTrusted{}); errors.As(err, &tooMany) {
			between, err := f.fetch(ctx, uint64(trusted.Height+next.Height)/2)
			if err != nil {
				return nil, err
			}
			waiting = append(waiting, between)
			continue
		}
		if err != nil {
			return nil, failed(StepFollow, "block %d does not follow from block %d: %w", next.Height, trusted.Height, err)
		}
		f.trust(next)
		trusted, waiting = next, waiting[:len(waiting)-1]
	}
	return target, nil
}

// backwards goes from a trusted block to an earlier one, of which each names the one before.
func (f *LightClient) backwards(ctx context.Context, trusted *types.LightBlock, number uint64) (*types.LightBlock, error) {
	if uint64(trusted.Height)-number > maxBackwards {
		return nil, failed(StepFollow, "block %d lies too far before block %d", number, trusted.Height)
	}
	for uint64(trusted.Height) > number {
		before, err := f.fetch(ctx, uint64(trusted.Height)-1)
		if err != nil {
			return nil, err
		}
		if err := light.VerifyBackwards(before.Header, trusted.Header); err != nil {
			return nil, failed(StepFollow, "block %d is not the one before block %d: %w", before.Height, trusted.Height, err)
		}
		if err := verifyCommit(before, f.anchor.ChainID); err != nil {
			return nil, err
		}
		f.trust(before)
		trusted = before
	}
	return trusted, nil
}

// fetch gets a light block that is what it should be, but not yet trusted.
func (f *LightClient) fetch(ctx context.Context, number uint64) (*types.LightBlock, error) {
	if number == 0 || number >= math.MaxInt64 {
		return nil, failed(StepHeight, "%d is not the number of a block", number)
	}
	encoded, err := f.source.LightBlock(ctx, number)
	if err != nil {
		return nil, failed(StepProvider, "block %d: %w", number, err)
	}
	block, err := decode(encoded)
	if err != nil {
		return nil, err
	}
	if block.ChainID != f.anchor.ChainID {
		return nil, failed(StepChain, "header is of chain %q, not %q", block.ChainID, f.anchor.ChainID)
	}
	if err := block.ValidateBasic(f.anchor.ChainID); err != nil {
		return nil, &proof.StepError{Step: StepHeader, Err: err}
	}
	if uint64(block.Height) != number {
		return nil, failed(StepHeight, "header is of block %d, not %d", block.Height, number)
	}
	return block, nil
}
