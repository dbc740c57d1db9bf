package evm

import (
	"context"
	"errors"
	"fmt"

	"makechain/internal/ident"
)

// A Block is the part of a block's header that is used here.
type Block struct {
	Number    uint64
	Hash      ident.Hash
	Parent    ident.Hash
	Timestamp uint64 // Unix seconds
}

// A Receipt is the result of a transaction in a block.
type Receipt struct {
	BlockNumber uint64
	BlockHash   ident.Hash
	Succeeded   bool
}

type blockDocument struct {
	Number    *quantity `json:"number"`
	Hash      *hash     `json:"hash"`
	Parent    *hash     `json:"parentHash"`
	Timestamp *quantity `json:"timestamp"`
	BaseFee   *amount   `json:"baseFeePerGas"`
}

func (d *blockDocument) block() (Block, error) {
	if d.Number == nil || d.Hash == nil || d.Parent == nil || d.Timestamp == nil {
		return Block{}, fmt.Errorf("%w: a block without number, hash, parentHash or timestamp", ErrMalformed)
	}
	return Block{
		Number: uint64(*d.Number), Hash: ident.Hash(*d.Hash), Parent: ident.Hash(*d.Parent), Timestamp: uint64(*d.Timestamp),
	}, nil
}

// ChainID returns the id of the chain.
func (c *Client) ChainID(ctx context.Context) (uint64, error) {
	var id quantity
	err := c.call(ctx, &id, "eth_chainId")
	return uint64(id), err
}

// Finalized returns the newest finalized block.
func (c *Client) Finalized(ctx context.Context) (Block, error) {
	var document blockDocument
	if err := c.call(ctx, &document, "eth_getBlockByNumber", "finalized", false); err != nil {
		return Block{}, err
	}
	return document.block()
}

// Blocks returns count blocks from a number on, at most MaxBatch. It returns ErrNotFound if the provider does not have all of
// them.
func (c *Client) Blocks(ctx context.Context, from uint64, count int) ([]Block, error) {
	documents, calls := make([]blockDocument, count), make([]call, count)
	for i := range calls {
		calls[i] = call{"eth_getBlockByNumber", []any{quantity(from + uint64(i)), false}, &documents[i]}
	}
	err := c.batch(ctx, calls...)
	if errors.Is(err, ErrResponseTooLarge) && count > 1 {
		first, err := c.Blocks(ctx, from, count/2)
		if err != nil {
			return nil, err
		}
		second, err := c.Blocks(ctx, from+uint64(count/2), count-count/2)
		return append(first, second...), err
	}
	if err != nil {
		return nil, err
	}
	blocks := make([]Block, count)
	for i := range documents {
		if blocks[i], err = documents[i].block(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		if want := from + uint64(i); blocks[i].Number != want {
			return nil, fmt.Errorf("%s: %w: block %d was asked for, block %d returned", c.name, ErrMalformed, want, blocks[i].Number)
		}
	}
	return blocks, nil
}

// Rents returns the Rented events of a contract in blocks, at most MaxBatch, each read by the hash of its block: a provider that does
// not have the block returns an error instead of no events.
func (c *Client) Rents(ctx context.Context, contract ident.Address, blocks []Block) ([][]Rent, error) {
	documents, calls := make([]logList, len(blocks)), make([]call, len(blocks))
	for i, block := range blocks {
		filter := map[string]any{"blockHash": hash(block.Hash), "address": address(contract), "topics": []any{hash(rentedTopic())}}
		calls[i] = call{"eth_getLogs", []any{filter}, &documents[i]}
	}
	err := c.batch(ctx, calls...)
	if errors.Is(err, ErrResponseTooLarge) && len(blocks) > 1 {
		first, err := c.Rents(ctx, contract, blocks[:len(blocks)/2])
		if err != nil {
			return nil, err
		}
		second, err := c.Rents(ctx, contract, blocks[len(blocks)/2:])
		return append(first, second...), err
	}
	if err != nil {
		return nil, err
	}
	rents := make([][]Rent, len(blocks))
	for i, block := range blocks {
		if rents[i], err = documents[i].rents(contract, block); err != nil {
			return nil, fmt.Errorf("%s: %w: block %d: %w", c.name, ErrMalformed, block.Number, err)
		}
	}
	return rents, nil
}

// Receipt returns the receipt of a transaction, or ErrNotFound for one that is in no block that the provider has.
func (c *Client) Receipt(ctx context.Context, tx ident.Hash) (Receipt, error) {
	var document struct {
		BlockNumber *quantity `json:"blockNumber"`
		BlockHash   *hash     `json:"blockHash"`
		Status      quantity  `json:"status"`
	}
	if err := c.call(ctx, &document, "eth_getTransactionReceipt", hash(tx)); err != nil {
		return Receipt{}, err
	}
	if document.BlockNumber == nil || document.BlockHash == nil {
		return Receipt{}, fmt.Errorf("%s: %w: a receipt without a block", c.name, ErrMalformed)
	}
	return Receipt{uint64(*document.BlockNumber), ident.Hash(*document.BlockHash), document.Status == 1}, nil
}
