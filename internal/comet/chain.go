package comet

import (
	"fmt"
	"math"

	"github.com/cometbft/cometbft/types"

	"makechain/internal/validators"
)

// Base is the number of the first block from which on all are kept. It is 0, genesis, until blocks are pruned, and
// that of the block to come in an engine that was planted and has decided none.
func (e *Engine) Base() uint64 {
	if planted := e.bootstrapHeight(); planted > 0 {
		return planted + 1
	}
	base := e.blocks.Base()
	if base <= 1 {
		return 0
	}
	return uint64(base)
}

// Height is the number of the newest decided block. Block answers it as soon as it has been executed, unless it is the
// one after which the engine was planted.
func (e *Engine) Height() uint64 { return max(uint64(e.blocks.Height()), e.bootstrapHeight()) }

// plantedAt is the block after which an engine goes on that has no blocks of its own, 0 for any other.
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

// Transactions are the messages of a block in their order, or nil when the block is not there. They must not be changed.
func (e *Engine) Transactions(number uint64) (transactions [][]byte, err error) {
	defer e.answered(&err)
	if number == 0 {
		return [][]byte{}, nil
	}
	if number < e.Base() {
		return nil, nil // though it may be among the recent ones still
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

// Stored is like Transactions, for a block that nobody will ask for again: it takes no room among the recent ones.
func (e *Engine) UncachedTransactions(number uint64) (transactions [][]byte, err error) {
	defer e.answered(&err)
	block := e.loadBlock(number)
	if block == nil {
		return nil, nil
	}
	transactions, _ = validators.Split(block.Txs.ToSliceOfBytes())
	return transactions, nil
}

// InclusionProof proves that the transaction at index stands in a block whose transactions have that root: a
// CometBFT merkle proof, encoded. All is nil when the block is not there.
func (e *Engine) InclusionProof(number uint64, index uint32) (proof, root []byte, err error) {
	defer e.answered(&err)
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

// LightBlock is the header of a block with the signatures on it and the validators who may sign: a CometBFT
// light block, encoded. It certifies the root after the block before (P11.2). It is nil when the block is not
// there. Whose turn it was to propose, which nobody signs, is right for the newest turnsHistory blocks.
func (e *Engine) LightBlock(number uint64) (encoded []byte, err error) {
	defer e.answered(&err)
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

// answered is recovered for what was read of the chain. What was not found in a database that is closed may well be there.
func (e *Engine) answered(err *error) {
	if reason := recover(); reason != nil {
		*err = fmt.Errorf("consensus engine: %v", reason)
	}
	if *err == nil && e.databases.isClosed() {
		*err = ErrStopped
	}
}

// signedHeader is a header with what makes it believed.
type signedHeader struct {
	id         types.BlockID
	header     *types.SignedHeader
	validators *types.ValidatorSet
}

// loadSigned takes the signatures that the next block carries, or those seen here while there is none.
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

// loadValidators are those of a height, without whose turn it is to propose when the store can leave that out: it takes
// time to work out.
func (e *Engine) loadValidators(height int64) (*types.ValidatorSet, error) {
	type quickStore interface {
		LoadValidatorsFast(height int64) (*types.ValidatorSet, error)
	}
	if quick, isQuick := e.states.(quickStore); isQuick {
		return quick.LoadValidatorsFast(height)
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

// loadRoot is the root after a block. It stands in the next header. While there is none, it is in the last
// answer to FinalizeBlock, which is durable before the application commits. It is nil for a block that is
// decided and not yet executed.
func (e *Engine) loadRoot(number uint64) []byte {
	height, _ := blockHeight(number)
	if next := e.blocks.LoadBlockMeta(height + 1); next != nil {
		return next.Header.AppHash
	}
	if last, err := e.states.LoadLastFinalizeBlockResponse(height); err == nil {
		return last.AppHash
	}
	// The last answer may be that of a block decided since.
	if next := e.blocks.LoadBlockMeta(height + 1); next != nil {
		return next.Header.AppHash
	}
	return nil
}

// blockHeight is the number as CometBFT counts. Genesis is no block of its own there.
func blockHeight(number uint64) (height int64, inRange bool) {
	return int64(number), number >= 1 && number < math.MaxInt64
}
