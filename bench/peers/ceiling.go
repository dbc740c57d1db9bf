package peers

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	abci "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/store"
	"makechain/message"
)

// Prefixes of rows. Each message writes one row of each.
const (
	rowPosition = 'p' // hash -> height and index
	rowContent  = 'c' // height and index -> signed data
	rowEntry    = 'e' // signer and hash -> part of the data
	rowLatest   = 'l' // signer -> hash of the latest
)

// entryBytes is the size of the value of an entry.
const entryBytes = 64

// ceiling verifies signatures as the node does and writes four rows per message, with an fsync per block. It has no rules,
// tree, indexes or proofs. Its home is used once: it starts with the first block.
type ceiling struct {
	abci.BaseApplication

	db       *pebble.DB
	verifier *message.Verifier
	batch    *pebble.Batch // of the current block
	height   int64         // of the last committed block
	root     [sha256.Size]byte
	pending  [sha256.Size]byte // root after the current block
}

func openCeiling(dir string, rows int) (peer, error) {
	db, err := pebble.Open(filepath.Join(dir, "ceiling"), store.Options{}.PebbleOptions())
	if err != nil {
		return nil, err
	}
	err = fill(rows, func(key, value []byte) error {
		return db.Set(append([]byte{rowEntry}, key...), value, pebble.NoSync)
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &ceiling{db: db, verifier: message.NewVerifier(4096)}, nil
}

// Close closes the database.
func (c *ceiling) Close() error { return c.db.Close() }

// admit verifies hashes, and signatures in batches. There are no peers, so transactions need no verification.
func (c *ceiling) admit(messages [][]byte) ([][]byte, error) {
	envelopes := make([]*message.Envelope, len(messages))
	for i, m := range messages {
		signed, err := parseSigned(m)
		if err == nil {
			err = signed.checkHash()
		}
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		envelopes[i] = &signed.Envelope
	}
	for i, refusal := range c.verifier.Batch(envelopes) {
		if refusal != nil {
			return nil, fmt.Errorf("message %d: %w", i, refusal)
		}
	}
	return messages, nil
}

// Info implements the application interface.
func (c *ceiling) Info(context.Context, *abci.RequestInfo) (*abci.ResponseInfo, error) {
	return &abci.ResponseInfo{LastBlockHeight: c.height, LastBlockAppHash: c.root[:]}, nil
}

// InitChain implements the application interface.
func (c *ceiling) InitChain(context.Context, *abci.RequestInitChain) (*abci.ResponseInitChain, error) {
	return &abci.ResponseInitChain{AppHash: c.root[:]}, nil
}

// FinalizeBlock collects the rows of a block. The app hash is a hash of all messages so far.
func (c *ceiling) FinalizeBlock(_ context.Context, r *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	c.batch, c.height = c.db.NewBatch(), r.Height
	root := sha256.New()
	_, _ = root.Write(c.root[:]) // never fails
	results := make([]*abci.ExecTxResult, len(r.Txs))
	for i, tx := range r.Txs {
		signed, err := parseSigned(tx)
		if err != nil {
			return nil, err
		}
		if err := c.write(signed, i); err != nil {
			return nil, err
		}
		_, _ = root.Write(signed.Hash[:])
		results[i] = &abci.ExecTxResult{}
	}
	c.pending = c.root
	if len(r.Txs) > 0 {
		c.pending = [sha256.Size]byte(root.Sum(nil))
	}
	return &abci.ResponseFinalizeBlock{TxResults: results, AppHash: c.pending[:]}, nil
}

func (c *ceiling) write(m *signed, index int) error {
	position := binary.BigEndian.AppendUint64(nil, uint64(c.height))
	position = binary.BigEndian.AppendUint32(position, uint32(index))
	key := func(kind byte, parts ...[]byte) []byte {
		k := append(make([]byte, 0, 1+2*len(m.Hash)), kind)
		for _, part := range parts {
			k = append(k, part...)
		}
		return k
	}
	return errors.Join(
		c.batch.Set(key(rowPosition, m.Hash[:]), position, nil),
		c.batch.Set(key(rowContent, position), m.data, nil),
		c.batch.Set(key(rowEntry, m.Signer[:], m.Hash[:]), m.data[:min(entryBytes, len(m.data))], nil),
		c.batch.Set(key(rowLatest, m.Signer[:]), m.Hash[:], nil),
	)
}

// Commit writes the block with an fsync.
func (c *ceiling) Commit(context.Context, *abci.RequestCommit) (*abci.ResponseCommit, error) {
	if err := c.batch.Commit(pebble.Sync); err != nil {
		return nil, err
	}
	c.root = c.pending
	return &abci.ResponseCommit{}, c.batch.Close()
}
