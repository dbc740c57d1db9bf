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

// Kinds of rows, the first byte of their keys. Each message writes one of each.
const (
	rowPlace   = 'p' // hash -> height and index
	rowContent = 'c' // height and index -> what is signed
	rowEntry   = 'e' // signer and hash -> some of it
	rowLatest  = 'l' // signer -> hash of the latest
)

// entryBytes is the size of the value of an entry.
const entryBytes = 64

// ceiling checks signatures as the node does and writes four rows for each message, durably at every block. It has no
// rules, no tree, no indexes and no proofs. Its home is used once: it begins with the first block.
type ceiling struct {
	abci.BaseApplication

	db       *pebble.DB
	verifier *message.Verifier
	batch    *pebble.Batch // of the block under way
	height   int64         // of the last committed block
	root     [sha256.Size]byte
	pending  [sha256.Size]byte // the root after the block under way
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

// admit checks hashes and signatures, the latter in batches. There are no peers who could send anything else.
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

// Info is part of the application interface.
func (c *ceiling) Info(context.Context, *abci.RequestInfo) (*abci.ResponseInfo, error) {
	return &abci.ResponseInfo{LastBlockHeight: c.height, LastBlockAppHash: c.root[:]}, nil
}

// InitChain is part of the application interface.
func (c *ceiling) InitChain(context.Context, *abci.RequestInitChain) (*abci.ResponseInitChain, error) {
	return &abci.ResponseInitChain{AppHash: c.root[:]}, nil
}

// FinalizeBlock collects the rows of a block. The root is a hash of all messages so far, which proves nothing.
func (c *ceiling) FinalizeBlock(_ context.Context, r *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	c.batch, c.height = c.db.NewBatch(), r.Height
	root := sha256.New()
	_, _ = root.Write(c.root[:]) // a hash takes everything
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
	place := binary.BigEndian.AppendUint64(nil, uint64(c.height))
	place = binary.BigEndian.AppendUint32(place, uint32(index))
	key := func(kind byte, parts ...[]byte) []byte {
		k := append(make([]byte, 0, 1+2*len(m.Hash)), kind)
		for _, part := range parts {
			k = append(k, part...)
		}
		return k
	}
	return errors.Join(
		c.batch.Set(key(rowPlace, m.Hash[:]), place, nil),
		c.batch.Set(key(rowContent, place), m.data, nil),
		c.batch.Set(key(rowEntry, m.Signer[:], m.Hash[:]), m.data[:min(entryBytes, len(m.data))], nil),
		c.batch.Set(key(rowLatest, m.Signer[:]), m.Hash[:], nil),
	)
}

// Commit makes the block durable.
func (c *ceiling) Commit(context.Context, *abci.RequestCommit) (*abci.ResponseCommit, error) {
	if err := c.batch.Commit(pebble.Sync); err != nil {
		return nil, err
	}
	c.root = c.pending
	return &abci.ResponseCommit{}, c.batch.Close()
}
