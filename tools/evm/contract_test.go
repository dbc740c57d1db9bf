package evm

import (
	"bytes"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// try makes a call that is not sent, and returns the name of the error with which it reverts, or "".
func (c *chain) try(from *wallet, to *deployed, value *big.Int, data []byte) string {
	c.t.Helper()
	_, err := c.Client().CallContract(c.t.Context(), ethereum.CallMsg{From: from.address, To: &to.address, Value: value, Data: data}, nil)
	if err == nil {
		return ""
	}
	var withData interface{ ErrorData() any }
	if !errors.As(err, &withData) {
		c.t.Fatalf("the call failed without a reason: %v", err)
	}
	text, _ := withData.ErrorData().(string)
	reason := common.FromHex(text)
	for name, declared := range c.rent.abi.Errors {
		if len(reason) >= 4 && bytes.Equal(reason[:4], declared.ID[:4]) {
			return name
		}
	}
	return "reverted without a declared error"
}

// do sends a call of the contract in a block, and checks that it succeeds or fails as the same call that is not sent.
func (c *chain) do(from *wallet, value *big.Int, wantError, method string, args ...any) *types.Receipt {
	c.t.Helper()
	data := c.rent.pack(c.t, method, args...)
	if got := c.try(from, c.rent, value, data); got != wantError {
		c.t.Fatalf("%s%v fails with %q, want %q", method, args, got, wantError)
	}
	receipt := c.mine(c.send(from, &c.rent.address, value, data))
	if succeeded := receipt.Status == types.ReceiptStatusSuccessful; succeeded != (wantError == "") {
		c.t.Fatalf("%s%v: succeeded is %v, want the error %q", method, args, succeeded, wantError)
	}
	if wantError != "" && len(receipt.Logs) != 0 {
		c.t.Fatalf("%s%v failed and has events", method, args)
	}
	return receipt
}

// get reads a value of the contract.
func (c *chain) get(method string) any {
	c.t.Helper()
	output, err := c.Client().CallContract(c.t.Context(), ethereum.CallMsg{To: &c.rent.address, Data: c.rent.pack(c.t, method)}, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	values, err := c.rent.abi.Unpack(method, output)
	if err != nil {
		c.t.Fatal(err)
	}
	return values[0]
}

func (c *chain) balance(of common.Address) *big.Int {
	c.t.Helper()
	balance, err := c.Client().BalanceAt(c.t.Context(), of, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return balance
}

func wei(n int64) *big.Int { return big.NewInt(n) }

// TestRent checks the event of a rent, and everything that refuses one.
func TestRent(t *testing.T) {
	c := newChain(t)
	owner := common.HexToAddress("0x00000000000000000000000000000000000a11ce")
	receipt := c.do(c.alice, wei(3*price), "", "rent", owner, uint32(3))
	if len(receipt.Logs) != 1 {
		t.Fatalf("a rent has %d events, want 1", len(receipt.Logs))
	}
	event := receipt.Logs[0]
	header, err := c.Client().HeaderByHash(t.Context(), receipt.BlockHash)
	if err != nil {
		t.Fatal(err)
	}
	values, err := c.rent.abi.Unpack("Rented", event.Data)
	if err != nil || values[0] != uint32(3) || values[1] != header.Time || common.BytesToAddress(event.Topics[1][:]) != owner ||
		common.BytesToAddress(event.Topics[2][:]) != c.alice.address {
		t.Errorf("the event has %v and %v (%v)", event.Topics, values, err)
	}
	most := c.get("MAX_UNITS").(uint32)
	c.do(c.alice, new(big.Int).SetUint64(uint64(most)*price), "", "rent", owner, most)
	for _, refused := range []struct {
		value *big.Int
		owner common.Address
		units uint32
		want  string
	}{
		{wei(0), owner, 1, "WrongValue"},
		{wei(price - 1), owner, 1, "WrongValue"},
		{wei(price + 1), owner, 1, "WrongValue"},
		{wei(2 * price), owner, 3, "WrongValue"},
		{wei(0), owner, 0, "WrongUnits"},
		{new(big.Int).SetUint64(uint64(most+1) * price), owner, most + 1, "WrongUnits"},
		{wei(0), owner, 1<<32 - 1, "WrongUnits"},
		{wei(price), common.Address{}, 1, "ZeroAddress"},
	} {
		c.do(c.alice, refused.value, refused.want, "rent", refused.owner, refused.units)
	}
	if got, want := c.balance(c.rent.address), new(big.Int).SetUint64(price*uint64(most+3)); got.Cmp(want) != 0 {
		t.Errorf("the contract has %v wei, want %v", got, want)
	}
}

// TestRentOverflow checks that no number of units or price overflows: units of more than 32 bits are refused, and the highest
// price times the most units is computed exactly.
func TestRentOverflow(t *testing.T) {
	c := newChain(t)
	owner := c.bob.address
	tooMany := c.rent.pack(t, "rent", owner, uint32(1))
	tooMany[4+32+27] = 1 // units is 2^32 + 1
	if got := c.try(c.alice, c.rent, wei(price), tooMany); got == "" {
		t.Error("units of 33 bits are accepted")
	}
	highest := new(big.Int).Sub(new(big.Int).Lsh(wei(1), 128), wei(1))
	c.do(c.operator, wei(0), "", "announcePrice", highest)
	if err := c.AdjustTime(48 * time.Hour); err != nil {
		t.Fatal(err)
	}
	most := c.get("MAX_UNITS").(uint32)
	for _, overflowed := range []int64{0, price} {
		c.do(c.alice, wei(overflowed), "WrongValue", "rent", owner, most)
	}
	// The error names what would be required.
	_, err := c.Client().CallContract(t.Context(), ethereum.CallMsg{
		From: c.alice.address, To: &c.rent.address, Data: c.rent.pack(t, "rent", owner, most),
	}, nil)
	var withData interface{ ErrorData() any }
	if !errors.As(err, &withData) {
		t.Fatal(err)
	}
	required := new(big.Int).Mul(highest, big.NewInt(int64(most)))
	if text, _ := withData.ErrorData().(string); !strings.HasSuffix(text, common.BytesToHash(required.Bytes()).Hex()[2:]) {
		t.Errorf("the required value is not %x in %s", required, text)
	}
}

// TestOtherPayments checks that the contract accepts payments only as rents.
func TestOtherPayments(t *testing.T) {
	c := newChain(t)
	for _, data := range [][]byte{nil, {1, 2, 3, 4}} {
		if c.try(c.alice, c.rent, wei(price), data) == "" {
			t.Errorf("a payment with the data %x is accepted", data)
		}
	}
	for _, method := range []string{"setPaused", "announcePrice"} {
		args := map[string]any{"setPaused": true, "announcePrice": wei(7)}
		if c.try(c.operator, c.rent, wei(1), c.rent.pack(t, method, args[method])) == "" {
			t.Errorf("%s accepts a payment", method)
		}
	}
}

// TestDeployment checks that the contract cannot be deployed without an operator or a price.
func TestDeployment(t *testing.T) {
	c := newChain(t)
	for _, args := range [][]any{{common.Address{}, wei(1)}, {c.operator.address, wei(0)}} {
		packed, err := c.rent.abi.Pack("", args...)
		if err != nil {
			t.Fatal(err)
		}
		receipt := c.mine(c.send(c.operator, nil, wei(0), append(bytes.Clone(c.rent.bytecode), packed...)))
		if receipt.Status == types.ReceiptStatusSuccessful {
			t.Errorf("deployed with %v", args)
		}
	}
}

// TestPrice checks that a price applies after the delay and not before, also when it replaces an announced one.
func TestPrice(t *testing.T) {
	c := newChain(t)
	c.do(c.alice, wei(0), "NotAllowed", "announcePrice", wei(5))
	c.do(c.operator, wei(0), "ZeroPrice", "announcePrice", wei(0))
	check := func(want int64) {
		t.Helper()
		if got := c.get("price").(*big.Int); got.Cmp(wei(want)) != 0 {
			t.Fatalf("the price is %v, want %d", got, want)
		}
		c.do(c.alice, wei(want), "", "rent", c.alice.address, uint32(1))
		c.do(c.alice, wei(want+1), "WrongValue", "rent", c.alice.address, uint32(1))
	}
	pass := func(d time.Duration) {
		t.Helper()
		if err := c.AdjustTime(d); err != nil {
			t.Fatal(err)
		}
	}
	delay := time.Duration(c.get("PRICE_DELAY").(uint64)) * time.Second
	check(price)
	c.do(c.operator, wei(0), "", "announcePrice", wei(50))
	check(price)
	pass(delay - time.Hour)
	check(price)
	c.do(c.operator, wei(0), "", "announcePrice", wei(70)) // replaces 50, with a delay of its own
	if got := c.get("nextPrice").(*big.Int); got.Cmp(wei(70)) != 0 {
		t.Errorf("the next price is %v", got)
	}
	pass(2 * time.Hour)
	check(price)
	pass(delay)
	check(70)
	c.do(c.operator, wei(0), "", "announcePrice", wei(90))
	check(70)
	pass(delay)
	check(90)
}

// TestPause checks that a pause stops new rents and nothing else.
func TestPause(t *testing.T) {
	c := newChain(t)
	c.do(c.alice, wei(price), "", "rent", c.alice.address, uint32(1))
	c.do(c.alice, wei(0), "NotAllowed", "setPaused", true)
	c.do(c.operator, wei(0), "", "setPaused", true)
	c.do(c.alice, wei(price), "Paused", "rent", c.alice.address, uint32(1))
	c.do(c.operator, wei(0), "", "announcePrice", wei(7))
	c.do(c.operator, wei(0), "", "withdraw", c.bob.address, wei(1))
	c.do(c.operator, wei(0), "", "proposeOperator", c.bob.address)
	c.do(c.bob, wei(0), "", "acceptOperator")
	c.do(c.operator, wei(0), "NotAllowed", "setPaused", false)
	c.do(c.bob, wei(0), "", "setPaused", false)
	c.do(c.alice, wei(price), "", "rent", c.alice.address, uint32(1))
}

// TestOwnership checks that an operator is replaced in two steps, and only by the operator and the proposed one.
func TestOwnership(t *testing.T) {
	c := newChain(t)
	c.do(c.alice, wei(0), "NotAllowed", "proposeOperator", c.alice.address)
	c.do(c.alice, wei(0), "NotAllowed", "acceptOperator")
	c.do(c.operator, wei(0), "", "proposeOperator", c.alice.address)
	c.do(c.bob, wei(0), "NotAllowed", "acceptOperator")
	c.do(c.alice, wei(0), "NotAllowed", "announcePrice", wei(1)) // not yet
	c.do(c.operator, wei(0), "", "proposeOperator", common.Address{})
	c.do(c.alice, wei(0), "NotAllowed", "acceptOperator")
	c.do(c.operator, wei(0), "", "proposeOperator", c.bob.address)
	c.do(c.bob, wei(0), "", "acceptOperator")
	c.do(c.bob, wei(0), "NotAllowed", "acceptOperator")
	c.do(c.operator, wei(0), "NotAllowed", "withdraw", c.operator.address, wei(0))
	c.do(c.bob, wei(0), "", "withdraw", c.bob.address, wei(0))
	if got := c.get("operator"); got != c.bob.address {
		t.Errorf("the operator is %v", got)
	}
}

// TestWithdraw checks that the operator withdraws what was paid, and nobody else.
func TestWithdraw(t *testing.T) {
	c := newChain(t)
	c.do(c.alice, wei(5*price), "", "rent", c.alice.address, uint32(5))
	recipient := newWallet(t).address
	c.do(c.alice, wei(0), "NotAllowed", "withdraw", c.alice.address, wei(1))
	c.do(c.operator, wei(0), "ZeroAddress", "withdraw", common.Address{}, wei(1))
	c.do(c.operator, wei(0), "WithdrawalFailed", "withdraw", recipient, wei(5*price+1))
	c.do(c.operator, wei(0), "WithdrawalFailed", "withdraw", c.rent.address, wei(1)) // it accepts nothing
	c.do(c.operator, wei(0), "", "withdraw", recipient, wei(2*price))
	c.do(c.operator, wei(0), "", "withdraw", recipient, wei(3*price))
	if got := c.balance(recipient); got.Cmp(wei(5*price)) != 0 || c.balance(c.rent.address).Sign() != 0 {
		t.Errorf("the recipient has %v wei, the contract %v", got, c.balance(c.rent.address))
	}
}

// TestReentrancy checks that an operator which is a contract cannot withdraw or rent while it receives a withdrawal.
func TestReentrancy(t *testing.T) {
	c := newChain(t)
	c.do(c.alice, wei(5*price), "", "rent", c.alice.address, uint32(5))
	attacker := artifact(t, "test/build/Reentrant.json")
	c.deploy(attacker)
	c.do(c.operator, wei(0), "", "proposeOperator", attacker.address)
	call := func(method string, args ...any) {
		t.Helper()
		if receipt := c.mine(c.send(c.alice, &attacker.address, wei(0), attacker.pack(t, method, args...))); receipt.Status != types.ReceiptStatusSuccessful {
			t.Fatalf("%s failed", method)
		}
	}
	call("accept", c.rent.address)
	left := int64(5 * price)
	for _, attack := range []struct {
		data  []byte
		value int64
	}{
		{c.rent.pack(t, "withdraw", attacker.address, wei(price)), 0},
		{c.rent.pack(t, "rent", attacker.address, uint32(1)), price},
	} {
		call("withdraw", wei(price), attack.data, wei(attack.value))
		left -= price
		output, err := c.Client().CallContract(t.Context(), ethereum.CallMsg{To: &attacker.address, Data: attacker.pack(t, "refused")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if refused := new(big.Int).SetBytes(output); refused.Sign() == 0 {
			t.Errorf("the call %x was not refused with Reentered", attack.data[:4])
		}
		if got := c.balance(c.rent.address); got.Cmp(wei(left)) != 0 {
			t.Errorf("the contract has %v wei, want %d", got, left)
		}
	}
	// A recipient that refuses the payment makes the withdrawal fail as a whole.
	if receipt := c.mine(c.send(c.alice, &attacker.address, wei(0), attacker.pack(t, "withdraw", wei(1), []byte{}, wei(0)))); receipt.Status == types.ReceiptStatusSuccessful {
		t.Error("a withdrawal whose recipient refuses it succeeded")
	}
}
