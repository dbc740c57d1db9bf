package main

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/ethclient/simulated"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rpc"
)

const (
	// mineInterval is how often pending transactions are put into a block.
	mineInterval = 100 * time.Millisecond
	// epoch is how many blocks the simulated chain finalizes at once: those up to a multiple of it.
	epoch = 32
	// unitPrice is the price of a unit of storage in wei.
	unitPrice = 1_000_000
	// deployGas is the gas limit of the transaction that deploys the contract.
	deployGas = 3_000_000
	// feeCap and tip are the fees per unit of gas of that transaction, in wei.
	feeCap, tip = 100_000_000_000, 1_000_000_000
)

// testKeys are the keys with test money. They are those of the development chains of other tools, and known to everybody.
//
// read-only: the keys of newly opened chains.
var testKeys = []string{
	"ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
	"59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
	"5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
}

// A chain is a simulated chain with the contract.
type chain struct {
	*simulated.Backend

	rpc        *rpc.Client
	dir        string // of the socket
	chainID    *big.Int
	price      *big.Int
	accounts   []account // the first is the operator of the contract
	contract   common.Address
	deployedIn *big.Int // block
}

// An account has test money.
type account struct {
	key     *ecdsa.PrivateKey
	address common.Address
}

// open starts a chain and deploys the contract whose compiled form is in a file. The block with the contract is finalized.
func open(ctx context.Context, path string) (c *chain, err error) {
	c = &chain{price: big.NewInt(unitPrice)}
	alloc := types.GenesisAlloc{}
	for _, secret := range testKeys {
		key, err := crypto.HexToECDSA(secret)
		if err != nil {
			return nil, err
		}
		one := account{key: key, address: crypto.PubkeyToAddress(key.PublicKey)}
		c.accounts = append(c.accounts, one)
		alloc[one.address] = types.Account{Balance: new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil)}
	}
	if c.dir, err = os.MkdirTemp("", "devchain"); err != nil { // the path of a socket must be short
		return nil, err
	}
	socket := filepath.Join(c.dir, "ipc")
	c.Backend = simulated.NewBackend(alloc, func(config *node.Config, _ *ethconfig.Config) { config.IPCPath = socket })
	if c.rpc, err = rpc.DialContext(ctx, socket); err == nil {
		if c.chainID, err = c.Client().ChainID(ctx); err == nil {
			err = c.deploy(ctx, path)
		}
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *chain) close() {
	if c.rpc != nil {
		c.rpc.Close()
	}
	_ = c.Close()
	_ = os.RemoveAll(c.dir)
}

// deploy deploys the contract, with the first account as its operator.
func (c *chain) deploy(ctx context.Context, path string) error {
	encoded, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var compiled struct {
		ABI      abi.ABI `json:"abi"`
		Bytecode string  `json:"bytecode"`
	}
	if err := json.Unmarshal(encoded, &compiled); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	operator := c.accounts[0]
	args, err := compiled.ABI.Pack("", operator.address, c.price)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	tx, err := types.SignNewTx(operator.key, types.LatestSignerForChainID(c.chainID), &types.DynamicFeeTx{
		ChainID: c.chainID, GasTipCap: big.NewInt(tip), GasFeeCap: big.NewInt(feeCap), Gas: deployGas,
		Data: append(common.FromHex(compiled.Bytecode), args...),
	})
	if err != nil {
		return err
	}
	if err := c.Client().SendTransaction(ctx, tx); err != nil {
		return err
	}
	if err := c.mine(ctx); err != nil {
		return err
	}
	receipt, err := c.Client().TransactionReceipt(ctx, tx.Hash())
	if err != nil {
		return err
	}
	if receipt.Status != types.ReceiptStatusSuccessful {
		return errors.New("the contract was not deployed: the transaction failed")
	}
	c.contract, c.deployedIn = receipt.ContractAddress, receipt.BlockNumber
	return nil
}

// mine puts pending transactions into a block, and adds empty blocks until it is finalized. Without transactions there is no block.
func (c *chain) mine(ctx context.Context) error {
	pending, err := c.Client().PendingTransactionCount(ctx)
	if err != nil || pending == 0 {
		return err
	}
	for {
		c.Commit()
		number, err := c.Client().BlockNumber(ctx)
		if err != nil || number%epoch == 0 {
			return err
		}
	}
}
