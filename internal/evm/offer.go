package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"makechain/internal/ident"
)

const (
	// MaxUnits is the maximum number of units of one rent, a constant of the contract.
	MaxUnits = 100_000
	// maxPriceBits is the size of a price in the contract.
	maxPriceBits = 128
)

// ErrNoContract is returned for an address without a contract.
var ErrNoContract = errors.New("there is no contract at the address")

// An Offer is what a rent costs now.
type Offer struct {
	ChainID uint64
	Price   *big.Int // of one unit, in wei
	Paused  bool     // new rents are refused
}

// Value returns the payment for a number of units, in wei.
func (o *Offer) Value(units uint32) *big.Int {
	return new(big.Int).Mul(o.Price, big.NewInt(int64(units)))
}

// Offer reads the price of a unit and whether rents are paused. It returns ErrNoContract if the address has no code.
func (c *Client) Offer(ctx context.Context, contract ident.Address) (*Offer, error) {
	id, err := c.ChainID(ctx)
	if err != nil {
		return nil, err
	}
	var code data
	if err := c.call(ctx, &code, "eth_getCode", address(contract), "latest"); err != nil {
		return nil, err
	}
	if len(code) == 0 {
		return nil, fmt.Errorf("%s: %w %s of chain %d", c.name, ErrNoContract, contract, id)
	}
	price, err := c.Price(ctx, contract)
	if err != nil {
		return nil, err
	}
	paused, err := c.view(ctx, contract, "paused()")
	if err != nil {
		return nil, err
	}
	if len(paused) != wordSize {
		return nil, fmt.Errorf("%s: %w: paused() of %s returned %d bytes", c.name, ErrMalformed, contract, len(paused))
	}
	return &Offer{ChainID: id, Price: price, Paused: !isZero(paused)}, nil
}

// view calls a function of a contract without parameters.
func (c *Client) view(ctx context.Context, contract ident.Address, signature string) (result data, err error) {
	query := map[string]any{"to": address(contract), "data": data(selector(signature))}
	err = c.call(ctx, &result, "eth_call", query, "latest")
	return result, err
}

// Balance returns the balance of an account in the newest block, in wei.
func (c *Client) Balance(ctx context.Context, account ident.Address) (*big.Int, error) {
	var balance amount
	if err := c.call(ctx, &balance, "eth_getBalance", address(account), "latest"); err != nil {
		return nil, err
	}
	return &balance.Int, nil
}

// Nonce returns the number of transactions of an account in the chain up to the newest block. A transaction with a lower nonce that is
// not in a block can never be included.
func (c *Client) Nonce(ctx context.Context, account ident.Address) (uint64, error) {
	var nonce quantity
	err := c.call(ctx, &nonce, "eth_getTransactionCount", address(account), "latest")
	return uint64(nonce), err
}
