// Package evm tests the contract StorageRent and the attester with a real EVM: go-ethereum's simulated chain. It is a module of its
// own, because go-ethereum would add hundreds of modules to the product.
package evm

import (
	"crypto/ecdsa"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/ethclient/simulated"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rpc"
)

// epoch is how many blocks the simulated chain finalizes at once.
const epoch = 32

// price is the initial price of a unit in wei.
const price = 1_000_000

// A chain is a simulated chain with the contract and funded accounts.
type chain struct {
	*simulated.Backend

	t        *testing.T
	rpc      *rpc.Client
	operator *wallet
	alice    *wallet
	bob      *wallet
	rent     *deployed // the contract StorageRent
}

// A wallet is an account with its key.
type wallet struct {
	key     *ecdsa.PrivateKey
	address common.Address
}

// A deployed contract.
type deployed struct {
	abi      abi.ABI
	bytecode []byte
	address  common.Address
}

func newWallet(t *testing.T) *wallet {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return &wallet{key: key, address: crypto.PubkeyToAddress(key.PublicKey)}
}

// artifact reads a compiled contract.
func artifact(t *testing.T, path string) *deployed {
	t.Helper()
	encoded, err := os.ReadFile(filepath.Join("../../contracts", path))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		ABI      abi.ABI `json:"abi"`
		Bytecode string  `json:"bytecode"`
	}
	if err := json.Unmarshal(encoded, &document); err != nil {
		t.Fatal(err)
	}
	return &deployed{abi: document.ABI, bytecode: common.FromHex(document.Bytecode)}
}

func newChain(t *testing.T) *chain {
	t.Helper()
	c := &chain{t: t, operator: newWallet(t), alice: newWallet(t), bob: newWallet(t)}
	rich := types.Account{Balance: new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil)}
	dir, err := os.MkdirTemp("", "evm") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "ipc")
	alloc := types.GenesisAlloc{c.operator.address: rich, c.alice.address: rich, c.bob.address: rich}
	c.Backend = simulated.NewBackend(alloc, func(config *node.Config, _ *ethconfig.Config) { config.IPCPath = socket })
	if c.rpc, err = rpc.DialContext(t.Context(), socket); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.rpc.Close()
		_ = c.Close()
		_ = os.RemoveAll(dir)
	})
	c.rent = artifact(t, "build/StorageRent.json")
	c.deploy(c.rent, c.operator.address, big.NewInt(price))
	return c
}

// send signs a transaction and sends it. It is in no block until Commit.
func (c *chain) send(from *wallet, to *common.Address, value *big.Int, data []byte) *types.Transaction {
	c.t.Helper()
	return c.sendWithTip(from, to, value, data, 1_000_000_000)
}

// sendWithTip is send with a tip per unit of gas: the highest comes first in a block.
func (c *chain) sendWithTip(from *wallet, to *common.Address, value *big.Int, data []byte, tip int64) *types.Transaction {
	c.t.Helper()
	ctx := c.t.Context()
	nonce, err := c.Client().PendingNonceAt(ctx, from.address)
	if err != nil {
		c.t.Fatal(err)
	}
	chainID, err := c.Client().ChainID(ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	tx, err := types.SignNewTx(from.key, types.LatestSignerForChainID(chainID), &types.DynamicFeeTx{
		ChainID: chainID, Nonce: nonce, GasTipCap: big.NewInt(tip), GasFeeCap: big.NewInt(100_000_000_000), Gas: 3_000_000,
		To: to, Value: value, Data: data,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.Client().SendTransaction(ctx, tx); err != nil {
		c.t.Fatal(err)
	}
	return tx
}

// deploy deploys a contract in a block of its own.
func (c *chain) deploy(contract *deployed, args ...any) {
	c.t.Helper()
	packed, err := contract.abi.Pack("", args...)
	if err != nil {
		c.t.Fatal(err)
	}
	receipt := c.mine(c.send(c.operator, nil, new(big.Int), append(append([]byte{}, contract.bytecode...), packed...)))
	if receipt.Status != types.ReceiptStatusSuccessful {
		c.t.Fatal("a contract was not deployed")
	}
	contract.address = receipt.ContractAddress
}

// mine commits a block and returns the receipt of a transaction.
func (c *chain) mine(tx *types.Transaction) *types.Receipt {
	c.t.Helper()
	c.Commit()
	receipt, err := c.Client().TransactionReceipt(c.t.Context(), tx.Hash())
	if err != nil {
		c.t.Fatal(err)
	}
	return receipt
}

// pack encodes a call.
func (d *deployed) pack(t *testing.T, method string, args ...any) []byte {
	t.Helper()
	data, err := d.abi.Pack(method, args...)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// pay sends a rent, which is in no block until Commit.
func (c *chain) pay(from *wallet, owner common.Address, units uint32) *types.Transaction {
	c.t.Helper()
	return c.send(from, &c.rent.address, new(big.Int).SetUint64(price*uint64(units)), c.rent.pack(c.t, "rent", owner, units))
}

// commit commits a number of blocks.
func (c *chain) commit(blocks int) {
	for range blocks {
		c.Commit()
	}
}

// finalize commits blocks until the current one is finalized.
func (c *chain) finalize() {
	c.t.Helper()
	c.commit(2*epoch + 1)
}
