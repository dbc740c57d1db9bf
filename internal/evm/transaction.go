package evm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"

	"makechain/internal/ident"
)

const (
	// feeTip is the tip per unit of gas if the provider does not suggest one: 1 gwei.
	feeTip = 1_000_000_000
	// dynamicFeeType is the type of a transaction with a dynamic fee (EIP-1559).
	dynamicFeeType = 2
	// gasMargin is added to estimated gas, as a fraction: a fifth.
	gasMargin = 5
	// maxGas is the most gas that a provider may make a rent use. A rent needs less than 50,000.
	maxGas = 1_000_000
)

// A Signer signs the hash of a transaction with a secp256k1 key: r, s and a recovery code of 0 or 1.
type Signer interface {
	KeyID() ident.Address
	Sign(digest [32]byte) ([]byte, error)
}

// A Transaction calls a contract and pays a dynamic fee (EIP-1559).
type Transaction struct {
	ChainID uint64
	Nonce   uint64
	Tip     *big.Int // per unit of gas, in wei
	FeeCap  *big.Int // per unit of gas, in wei, with the tip
	Gas     uint64
	To      ident.Address
	Value   *big.Int // in wei
	Data    []byte
}

// MaxFee returns the most that the transaction can cost in addition to its value, in wei.
func (t *Transaction) MaxFee() *big.Int {
	return new(big.Int).Mul(t.FeeCap, new(big.Int).SetUint64(t.Gas))
}

// Sign returns the encoded transaction with its signature, and its hash.
func (t *Transaction) Sign(signer Signer) (raw []byte, hash ident.Hash, err error) {
	fields := [][]byte{
		encodeUint(t.ChainID), encodeUint(t.Nonce), encodeBig(t.Tip), encodeBig(t.FeeCap), encodeUint(t.Gas),
		encodeBytes(t.To[:]), encodeBig(t.Value), encodeBytes(t.Data), encodeList(), // no access list
	}
	signature, err := signer.Sign(keccak256(append([]byte{dynamicFeeType}, encodeList(fields...)...)))
	if err != nil {
		return nil, hash, err
	}
	if len(signature) != 65 || signature[64] > 1 {
		return nil, hash, errors.New("the wallet does not sign with secp256k1")
	}
	fields = append(fields, encodeUint(uint64(signature[64])), encodeBytes(bytes.TrimLeft(signature[:32], "\x00")),
		encodeBytes(bytes.TrimLeft(signature[32:64], "\x00")))
	raw = append([]byte{dynamicFeeType}, encodeList(fields...)...)
	return raw, keccak256(raw), nil
}

// Price returns the price of one unit in wei.
func (c *Client) Price(ctx context.Context, contract ident.Address) (*big.Int, error) {
	result, err := c.view(ctx, contract, "price()")
	if err != nil {
		return nil, err
	}
	if len(result) != wordSize {
		return nil, fmt.Errorf("%s: %w: there is no contract StorageRent at %s", c.name, ErrMalformed, contract)
	}
	price := new(big.Int).SetBytes(result)
	if price.Sign() == 0 || price.BitLen() > maxPriceBits {
		return nil, fmt.Errorf("%s: %w: the price %s is not between 1 and 2^%d-1", c.name, ErrMalformed, price, maxPriceBits)
	}
	return price, nil
}

// PrepareRent returns a transaction of an account that rents units of storage for an owner: price, nonce, fees and gas are
// those that the provider returns. It fails if the transaction would fail now, for example because new rents are paused.
func (c *Client) PrepareRent(ctx context.Context, contract, from, owner ident.Address, units uint32) (*Transaction, error) {
	price, err := c.Price(ctx, contract)
	if err != nil {
		return nil, err
	}
	t := &Transaction{To: contract, Value: price.Mul(price, big.NewInt(int64(units))), Data: RentCall(owner, units)}
	if t.ChainID, err = c.ChainID(ctx); err != nil {
		return nil, err
	}
	var nonce, gas quantity
	var latest blockDocument
	if err := c.call(ctx, &nonce, "eth_getTransactionCount", address(from), "pending"); err != nil {
		return nil, err
	}
	if err := c.call(ctx, &latest, "eth_getBlockByNumber", "latest", false); err != nil {
		return nil, err
	}
	if latest.BaseFee == nil {
		return nil, fmt.Errorf("%s: %w: a block without baseFeePerGas: the chain does not have dynamic fees", c.name, ErrMalformed)
	}
	var tip amount
	if err := c.call(ctx, &tip, "eth_maxPriorityFeePerGas"); err != nil {
		if _, refused := errors.AsType[*RPCError](err); !refused { // not all providers have the method
			return nil, err
		}
		tip.SetInt64(feeTip)
	}
	query := map[string]any{
		"from": address(from), "to": address(contract), "data": data(t.Data), "value": "0x" + t.Value.Text(16),
	}
	if err := c.call(ctx, &gas, "eth_estimateGas", query); err != nil {
		return nil, fmt.Errorf("the transaction would fail: %w", err)
	}
	if gas > maxGas {
		return nil, fmt.Errorf("%s: %w: a rent would use %d gas, at most %d is paid for", c.name, ErrMalformed, gas, maxGas)
	}
	t.Nonce, t.Gas, t.Tip = uint64(nonce), uint64(gas+gas/gasMargin), &tip.Int
	// The base fee grows by an eighth per full block, so this suffices for several.
	t.FeeCap = new(big.Int).Add(new(big.Int).Mul(&latest.BaseFee.Int, big.NewInt(2)), t.Tip)
	return t, nil
}

// Send sends a signed transaction. Sending it again is not an error of the caller: the chain includes it once.
func (c *Client) Send(ctx context.Context, raw []byte) error {
	var hash hash
	return c.call(ctx, &hash, "eth_sendRawTransaction", data(raw))
}

// The encoding of transactions is RLP: byte strings and lists, each with its length.

const (
	rlpString = 0x80
	rlpList   = 0xc0
	// rlpShort is the maximum length that is encoded in the first byte.
	rlpShort = 55
)

func encodeBytes(b []byte) []byte {
	if len(b) == 1 && b[0] < rlpString {
		return b
	}
	return append(encodeLength(rlpString, len(b)), b...)
}

func encodeUint(n uint64) []byte { return encodeBig(new(big.Int).SetUint64(n)) }

func encodeBig(n *big.Int) []byte { return encodeBytes(n.Bytes()) }

func encodeList(items ...[]byte) []byte {
	content := bytes.Join(items, nil)
	return append(encodeLength(rlpList, len(content)), content...)
}

func encodeLength(kind byte, n int) []byte {
	if n <= rlpShort {
		return []byte{kind + byte(n)}
	}
	length := big.NewInt(int64(n)).Bytes()
	return append([]byte{kind + rlpShort + byte(len(length))}, length...)
}
