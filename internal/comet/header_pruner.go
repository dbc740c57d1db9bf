package comet

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"strconv"

	dbm "github.com/cometbft/cometbft-db"
	"github.com/cometbft/cometbft/evidence"
	cmtstate "github.com/cometbft/cometbft/proto/tendermint/state"
	"github.com/cometbft/cometbft/store"
	"github.com/cometbft/cometbft/types"
)

// maxPrunedHeaders is the maximum number of headers that are deleted with a block. It is higher than the number of blocks
// that the application prunes, so that headers do not accumulate.
const maxPrunedHeaders = 64

// headerPruner deletes the headers, signatures and validators of pruned blocks. CometBFT keeps them while they can be
// evidence against a validator, and never deletes them afterwards.
type headerPruner struct {
	blocks         *store.BlockStore
	blocksDatabase dbm.DB
	statesDatabase dbm.DB
	evidence       types.EvidenceParams
	log            *slog.Logger
}

func (e *Engine) newHeaderPruner(params types.EvidenceParams, log *slog.Logger) *headerPruner {
	return &headerPruner{
		blocks: e.blocks, blocksDatabase: e.databases.named(blockDatabase), statesDatabase: e.databases.named(stateDatabase),
		evidence: params, log: log,
	}
}

// prune deletes a few headers. It is called between the commit of a block and the pruning of blocks. An error is only logged:
// the chain continues without this.
func (h *headerPruner) prune() {
	if err := h.tryPrune(); err != nil {
		h.log.Warn("cannot delete the headers of pruned blocks", "error", err)
	}
}

func (h *headerPruner) tryPrune() (err error) {
	defer recovered(&err)
	first, err := h.lowest()
	latest := h.blocks.LoadBlockMeta(h.blocks.Height())
	if err != nil || latest == nil {
		return err
	}
	next, base := first, h.blocks.Base()
	for ; next < base && next < first+maxPrunedHeaders; next++ {
		meta := h.blocks.LoadBlockMeta(next)
		if meta == nil {
			continue
		}
		if !evidence.IsEvidenceExpired(latest.Header.Height, latest.Header.Time, next, meta.Header.Time, h.evidence) {
			break
		}
		if err := h.delete(next); err != nil {
			return err
		}
	}
	if next == first {
		return nil
	}
	return h.blocksDatabase.Set(lowestHeaderKey(), binary.BigEndian.AppendUint64(nil, uint64(next)))
}

// lowestHeaderKey is the key, among those of CometBFT, of the number of the lowest header that is not deleted.
func lowestHeaderKey() []byte { return []byte("makechain:lowest-header") }

// lowest returns the first block whose header may exist, which is the first block when none was deleted.
func (h *headerPruner) lowest() (int64, error) {
	value, err := h.blocksDatabase.Get(lowestHeaderKey())
	switch {
	case err != nil:
		return 0, err
	case len(value) == 8:
		return int64(binary.BigEndian.Uint64(value)), nil
	case value != nil:
		return 0, fmt.Errorf("the number of the lowest header is %x", value)
	}
	base := h.blocks.Base()
	return base, h.blocksDatabase.Set(lowestHeaderKey(), binary.BigEndian.AppendUint64(nil, uint64(base)))
}

// delete deletes the entries of a pruned block by CometBFT's keys. The header is deleted last: tryPrune finds the other
// entries by it.
func (h *headerPruner) delete(height int64) error {
	if err := h.deleteValidators(height); err != nil {
		return err
	}
	for _, kind := range []string{"C:", "EC:", "H:"} {
		if err := h.blocksDatabase.Delete([]byte(kind + strconv.FormatInt(height, 10))); err != nil {
			return err
		}
	}
	return nil
}

// deleteValidators deletes the validators of a height, unless they are stored there in full: later heights refer to those.
func (h *headerPruner) deleteValidators(height int64) error {
	key := []byte("validatorsKey:" + strconv.FormatInt(height, 10))
	value, err := h.statesDatabase.Get(key)
	if err != nil || value == nil {
		return err
	}
	var validators cmtstate.ValidatorsInfo
	if err := validators.Unmarshal(value); err != nil {
		return fmt.Errorf("validators of block %d: %w", height, err)
	}
	if validators.ValidatorSet != nil {
		return nil
	}
	return h.statesDatabase.Delete(key)
}
