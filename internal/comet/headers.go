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

// headersStep is how many headers are deleted with a block at most: more than the application lets go of blocks, so
// that they do not pile up.
const headersStep = 64

// headers deletes what CometBFT leaves of pruned blocks. It keeps their headers, signatures and validators while they
// can be evidence against a validator, and never comes back to them: without this they would be there for ever.
type headers struct {
	blocks         *store.BlockStore
	blocksDatabase dbm.DB
	statesDatabase dbm.DB
	evidence       types.EvidenceParams
	log            *slog.Logger
}

func (e *Engine) newHeaders(params types.EvidenceParams, log *slog.Logger) *headers {
	return &headers{
		blocks: e.blocks, blocksDatabase: e.databases.named(blockDatabase), statesDatabase: e.databases.named(stateDatabase),
		evidence: params, log: log,
	}
}

// sweep deletes a few headers. It is called between a block's commit and its pruning, and does nothing that the chain
// could not go on without: what it fails to delete stays.
func (h *headers) sweep() {
	if err := h.try(); err != nil {
		h.log.Warn("headers of pruned blocks could not be deleted", "error", err)
	}
}

func (h *headers) try() (err error) {
	defer recovered(&err)
	first, err := h.lowest()
	latest := h.blocks.LoadBlockMeta(h.blocks.Height())
	if err != nil || latest == nil {
		return err
	}
	next, base := first, h.blocks.Base()
	for ; next < base && next < first+headersStep; next++ {
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

// lowestHeaderKey is where it is written down which headers are gone, among CometBFT's own keys.
func lowestHeaderKey() []byte { return []byte("makechain:lowest-header") }

// lowest is the first block whose header may be there. When nothing was pruned yet, it is the first block.
func (h *headers) lowest() (int64, error) {
	value, err := h.blocksDatabase.Get(lowestHeaderKey())
	switch {
	case err != nil:
		return 0, err
	case len(value) == 8:
		return int64(binary.BigEndian.Uint64(value)), nil
	case value != nil:
		return 0, fmt.Errorf("the lowest header is %x", value)
	}
	base := h.blocks.Base()
	return base, h.blocksDatabase.Set(lowestHeaderKey(), binary.BigEndian.AppendUint64(nil, uint64(base)))
}

// delete deletes what is left of a block, by the keys that CometBFT writes it under. The header goes last, because it
// is by the header that the rest is found.
func (h *headers) delete(height int64) error {
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

// deleteValidators lets validators stay where they are written out, because later blocks refer to them there.
func (h *headers) deleteValidators(height int64) error {
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
