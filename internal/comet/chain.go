package comet

import (
	"fmt"
	"math"

	"github.com/cometbft/cometbft/types"

	"makechain/internal/validators"
)

// Base returns the number of the first stored block: 0, genesis, until blocks are pruned, and the number of the next block
// in an engine that was bootstrapped and has decided no block yet.
func (e *Engine) Base() uint64 {
	if bootstrapped := e.bootstrapHeight(); bootstrapped > 0 {
		return bootstrapped + 1
	}
	base := e.blocks.Base()
	if base <= 1 {
		return 0
	}
	return uint64(base)
}

// Height returns the number of the newest decided block. Block returns it once it was executed, unless it is the block of
// the checkpoint from which the engine was bootstrapped.
func (e *Engine) Height() uint64 { return max(uint64(e.blocks.Height()), e.bootstrapHeight()) }

// bootstrapHeight returns the height of the checkpoint of a bootstrapped engine that has decided no block yet, 0 for others.
func (e *Engine) bootstrapHeight() uint64 {
	if e.blocks.Height() > 0 {
		return 0
	}
	state, err := e.states.Load()
	if err != nil {
		return 0
	}
	return uint64(state.LastBlockHeight)
}

// Transactions returns the messages of a block in order, nil when the block does not exist. They must not be modified.
func (e *Engine) Transactions(number uint64) (transactions [][]byte, err error) {
	defer e.checkRead(&err)
	if number == 0 {
		return [][]byte{}, nil
	}
	if number < e.Base() {
		return nil, nil // it may still be in the cache
	}
	if transactions, found := e.cache.get(number); found {
		return transactions, nil
	}
	block := e.loadBlock(number)
	if block == nil {
		return nil, nil
	}
	transactions, _ = validators.Split(block.Txs.ToSliceOfBytes())
	e.cache.add(number, transactions)
	return transactions, nil
}

// UncachedBlocks reads blocks without adding them to the engine's cache, for blocks that are read once.
type UncachedBlocks struct {
	*Engine
}

// Transactions returns the messages of a block in order, nil when the block does not exist.
func (b UncachedBlocks) Transactions(number uint64) (transactions [][]byte, err error) {
	defer b.checkRead(&err)
	block := b.loadBlock(number)
	if block == nil {
		return nil, nil
	}
	transactions, _ = validators.Split(block.Txs.ToSliceOfBytes())
	return transactions, nil
}

// InclusionProof returns an encoded CometBFT Merkle proof of the transaction at an index of a block, and the root of the
// block's transactions. Both are nil when the block does not exist.
func (e *Engine) InclusionProof(number uint64, index uint32) (proof, root []byte, err error) {
	defer e.checkRead(&err)
	block := e.loadBlock(number)
	if block == nil && number != 0 {
		return nil, nil, nil
	}
	if block == nil || uint64(index) >= uint64(len(block.Txs)) {
		return nil, nil, fmt.Errorf("block %d has no transaction %d", number, index)
	}
	included := block.Txs.Proof(int(index))
	proof, err = included.Proof.ToProto().Marshal()
	return proof, included.RootHash, err
}

// LightBlock returns an encoded CometBFT light block: the header, the commit and the validators of a block. It certifies the
// root after the block before (P11.2). It is nil when the block does not exist. The proposer priorities, which are not
// signed, are correct for the newest priorityHistory blocks.
func (e *Engine) LightBlock(number uint64) (encoded []byte, err error) {
	defer e.checkRead(&err)
	signed, err := e.loadSigned(number)
	if signed == nil || err != nil {
		return nil, err
	}
	if number+priorityHistory > e.Height() {
		if signed.validators, err = e.priorities.at(signed.header.Height); err != nil {
			return nil, fmt.Errorf("validators of block %d: %w", number, err)
		}
	}
	light := types.LightBlock{SignedHeader: signed.header, ValidatorSet: signed.validators}
	message, err := light.ToProto()
	if err != nil {
		return nil, fmt.Errorf("light block %d: %w", number, err)
	}
	return message.Marshal()
}

// checkRead is deferred by reads. It converts a panic into an error, and returns ErrStopped for a read of a closed database,
// which finds nothing.
func (e *Engine) checkRead(err *error) {
	if reason := recover(); reason != nil {
		*err = fmt.Errorf("consensus engine: %v", reason)
	}
	if *err == nil && e.databases.isClosed() {
		*err = ErrStopped
	}
}

// signedHeader is a header with its commit and the validators that signed it.
type signedHeader struct {
	id         types.BlockID
	header     *types.SignedHeader
	validators *types.ValidatorSet
}

// loadSigned reads a header with the commit in the next block, or with the commit that this node saw if there is no next
// block. It is nil when the block does not exist.
func (e *Engine) loadSigned(number uint64) (*signedHeader, error) {
	height, inRange := blockHeight(number)
	if !inRange {
		return nil, nil
	}
	meta := e.blocks.LoadBlockMeta(height)
	if meta == nil {
		return nil, nil
	}
	commit := e.blocks.LoadBlockCommit(height)
	if commit == nil {
		commit = e.blocks.LoadSeenCommit(height)
	}
	if commit == nil {
		return nil, nil
	}
	validators, err := e.loadValidators(height)
	if err != nil {
		return nil, fmt.Errorf("validators of block %d: %w", number, err)
	}
	header := &types.SignedHeader{Header: &meta.Header, Commit: commit}
	return &signedHeader{id: meta.BlockID, header: header, validators: validators}, nil
}

// loadValidators reads the validators of a height, without proposer priorities if the store can omit them: computing them
// takes time.
func (e *Engine) loadValidators(height int64) (*types.ValidatorSet, error) {
	type fastStore interface {
		LoadValidatorsFast(height int64) (*types.ValidatorSet, error)
	}
	if fast, isFast := e.states.(fastStore); isFast {
		return fast.LoadValidatorsFast(height)
	}
	return e.states.LoadValidators(height)
}

func (e *Engine) loadBlock(number uint64) *types.Block {
	height, inRange := blockHeight(number)
	if !inRange {
		return nil
	}
	return e.blocks.LoadBlock(height)
}

// loadRoot returns the root after a block, nil when the block was not executed yet. The root is in the next header, and
// before that in the last FinalizeBlock response, which is durable before the application commits.
func (e *Engine) loadRoot(number uint64) []byte {
	height, _ := blockHeight(number)
	if next := e.blocks.LoadBlockMeta(height + 1); next != nil {
		return next.Header.AppHash
	}
	if last, err := e.states.LoadLastFinalizeBlockResponse(height); err == nil {
		return last.AppHash
	}
	// The last response may be that of a block decided since.
	if next := e.blocks.LoadBlockMeta(height + 1); next != nil {
		return next.Header.AppHash
	}
	return nil
}

// blockHeight converts a block number into a CometBFT height. CometBFT has no block for genesis.
func blockHeight(number uint64) (height int64, inRange bool) {
	return int64(number), number >= 1 && number < math.MaxInt64
}
