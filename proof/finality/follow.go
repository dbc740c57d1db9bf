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
	// DefaultPeriod is how old a header may be from which others are followed. It is for validators who answer for
	// what they signed, and keep their old keys safe, for that long.
	DefaultPeriod = 30 * 24 * time.Hour
	// NoPeriod follows from headers of any age. It is for trust that is to last, such as that in a genesis file. Whoever
	// gets hold of most of the keys of those old validators, even when they are long gone, can make up another chain.
	NoPeriod time.Duration = math.MaxInt64
	// maxDrift is how far clocks may be apart.
	maxDrift = time.Minute
	// maxBackwards is how far a header may lie before the lowest that is trusted. The way back has no short cut.
	maxBackwards = 10_000
)

// The steps of a Follower, besides those of Verify.
const (
	StepAnchor  = "anchor"  // the trusted block has another hash
	StepSource  = "source"  // a light block could not be had
	StepFollow  = "follow"  // a header does not follow from the trusted ones
	StepWitness = "witness" // sources contradict one another, or none agrees
)

// ErrNotThere is what a Source answers for a block that it does not have.
var ErrNotThere = errors.New("no such light block")

// Source gives light blocks of a chain by their number, as GetFinalizedRoot carries them. It need not be trusted.
type Source interface {
	LightBlock(ctx context.Context, number uint64) ([]byte, error)
}

// Anchor is a block that somebody vouches for.
type Anchor struct {
	ChainID string
	Number  uint64
	Hash    [32]byte // of its header
}

// FollowOptions say what a Follower goes by. Now is needed.
type FollowOptions struct {
	// Now is the time by which headers are too old or from the future.
	Now func() time.Time
	// Period is how old a header may be from which others are followed; 0 means DefaultPeriod.
	Period time.Duration
	// Witnesses are asked for the blocks that the source gave. At least one must answer, if there are any.
	Witnesses []Source
}

// Follower is a light client: it follows the validators of a chain, as they change, from a block that is trusted to any
// other. A new set is believed when more than a third of a trusted set signed for it, and two thirds of its own, with
// blocks in between where too many changed at once. It is for one goroutine.
type Follower struct {
	options FollowOptions
	anchor  Anchor
	source  Source
	trusted []*types.LightBlock // by number
	agreed  map[uint64]bool     // blocks that the witnesses were asked about
}

// Follow begins at an anchor.
func Follow(ctx context.Context, anchor Anchor, source Source, options FollowOptions) (*Follower, error) {
	if options.Period == 0 {
		options.Period = DefaultPeriod
	}
	f := &Follower{options: options, anchor: anchor, source: source, agreed: map[uint64]bool{anchor.Number: true}}
	block, err := f.fetch(ctx, anchor.Number)
	if err != nil {
		return nil, err
	}
	if string(block.Hash()) != string(anchor.Hash[:]) {
		return nil, failed(StepAnchor, "block %d has the hash %x, trusted is %x", anchor.Number, []byte(block.Hash()), anchor.Hash)
	}
	if err := verifyCommit(block, anchor.ChainID); err != nil {
		return nil, err
	}
	f.trusted = []*types.LightBlock{block}
	return f, nil
}

// FollowTrust begins with validators that are trusted and sign a known block.
func FollowTrust(ctx context.Context, trust Trust, source Source, options FollowOptions) (*Follower, error) {
	if trust.Number == 0 {
		return nil, failed(StepAnchor, "no block is known that the trusted validators sign")
	}
	encoded, err := source.LightBlock(ctx, trust.Number)
	if err != nil {
		return nil, &proof.StepError{Step: StepSource, Err: err}
	}
	if _, err := Verify(encoded, trust.Number-1, trust); err != nil {
		return nil, err
	}
	block, err := decode(encoded)
	if err != nil {
		return nil, err
	}
	return Follow(ctx, Anchor{ChainID: trust.ChainID, Number: trust.Number, Hash: [32]byte(block.Hash())}, source, options)
}

// LightBlock gives a light block that is to be trusted.
func (f *Follower) LightBlock(ctx context.Context, number uint64) ([]byte, error) {
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
func (f *Follower) Trust(ctx context.Context, number uint64) (Trust, error) {
	block, err := f.block(ctx, number+1)
	if err != nil {
		return Trust{}, err
	}
	return Trust{ChainID: block.ChainID, ValidatorsHash: block.ValidatorsHash, Number: uint64(block.Height)}, nil
}

// block finds a block that the witnesses agree on.
func (f *Follower) block(ctx context.Context, number uint64) (*types.LightBlock, error) {
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
func (f *Follower) reach(ctx context.Context, number uint64) (*types.LightBlock, error) {
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

func (f *Follower) search(number uint64) (at int, found bool) {
	return slices.BinarySearchFunc(f.trusted, number, func(block *types.LightBlock, number uint64) int {
		return cmp.Compare(uint64(block.Height), number)
	})
}

// trust adds a block to those that are trusted.
func (f *Follower) trust(block *types.LightBlock) {
	if at, found := f.search(uint64(block.Height)); !found {
		f.trusted = slices.Insert(f.trusted, at, block)
	}
}

// forwards goes from a trusted block to a later one, straight or by way of blocks in between.
func (f *Follower) forwards(ctx context.Context, trusted *types.LightBlock, number uint64) (*types.LightBlock, error) {
	target, err := f.fetch(ctx, number)
	if err != nil {
		return nil, err
	}
	for waiting := []*types.LightBlock{target}; len(waiting) > 0; {
		next := waiting[len(waiting)-1]
		err := light.Verify(trusted.SignedHeader, trusted.ValidatorSet, next.SignedHeader, next.ValidatorSet,
			f.options.Period, f.options.Now(), maxDrift, light.DefaultTrustLevel)
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
func (f *Follower) backwards(ctx context.Context, trusted *types.LightBlock, number uint64) (*types.LightBlock, error) {
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
func (f *Follower) fetch(ctx context.Context, number uint64) (*types.LightBlock, error) {
	if number == 0 || number >= math.MaxInt64 {
		return nil, failed(StepHeight, "%d is not the number of a block", number)
	}
	encoded, err := f.source.LightBlock(ctx, number)
	if err != nil {
		return nil, failed(StepSource, "block %d: %w", number, err)
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
