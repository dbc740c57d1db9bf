package evm

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"makechain/internal/custody"
	"makechain/internal/evm"
	"makechain/internal/ident"
)

// custodyWallet returns the wallet of the product with the same key.
func (w *wallet) custodyWallet(t *testing.T) *custody.Secp256k1Wallet {
	t.Helper()
	wallet, err := custody.NewSecp256k1Wallet([32]byte(crypto.FromECDSA(w.key)))
	if err != nil {
		t.Fatal(err)
	}
	return wallet
}

func dial(t *testing.T, p *provider) *evm.Client {
	t.Helper()
	client, err := evm.Dial(p.url, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// TestTransaction rents storage with a transaction that internal/evm prepares, signs and sends, many times, so that numbers of every
// length are encoded, and reads the events.
func TestTransaction(t *testing.T) {
	c := newChain(t)
	client := dial(t, newProvider(t, c))
	payer := c.alice.custodyWallet(t)
	if payer.KeyID() != ident.Address(c.alice.address) {
		t.Fatal("the wallets have different addresses")
	}
	for i := range 150 {
		owner := ident.Address{19: byte(i), 0: byte(i % 3)}
		units := uint32(1 + i*i)
		if owner == (ident.Address{}) {
			owner[5] = 1
		}
		prepared, err := client.PrepareRent(t.Context(), ident.Address(c.rent.address), payer.KeyID(), owner, units)
		if err != nil {
			t.Fatal(err)
		}
		raw, hash, err := prepared.Sign(payer)
		if err != nil {
			t.Fatal(err)
		}
		var decoded types.Transaction
		if err := decoded.UnmarshalBinary(raw); err != nil {
			t.Fatal(err)
		}
		if again, err := decoded.MarshalBinary(); err != nil || !bytes.Equal(again, raw) || ident.Hash(decoded.Hash()) != hash {
			t.Fatalf("the transaction is encoded as %x, want %x (%v)", raw, again, err)
		}
		if err := client.Send(t.Context(), raw); err != nil {
			t.Fatal(err)
		}
		c.Commit()
		receipt, err := client.Receipt(t.Context(), hash)
		if err != nil || !receipt.Succeeded {
			t.Fatalf("receipt %+v: %v", receipt, err)
		}
		blocks, err := client.Blocks(t.Context(), receipt.BlockNumber, 1)
		if err != nil {
			t.Fatal(err)
		}
		rents, err := client.Rents(t.Context(), ident.Address(c.rent.address), blocks)
		if err != nil || len(rents[0]) != 1 {
			t.Fatalf("rents %v: %v", rents, err)
		}
		want := evm.Rent{TxHash: hash, Owner: owner, Actor: payer.KeyID(), Units: units, Timestamp: blocks[0].Timestamp}
		if rents[0][0] != want {
			t.Fatalf("read %+v, want %+v", rents[0][0], want)
		}
	}
}

// TestPrepareRefuses checks that a rent which the contract would refuse is not prepared.
func TestPrepareRefuses(t *testing.T) {
	c := newChain(t)
	client := dial(t, newProvider(t, c))
	contract, alice := ident.Address(c.rent.address), ident.Address(c.alice.address)
	for _, paused := range []bool{false, true} {
		c.do(c.operator, wei(0), "", "setPaused", paused)
		offer, err := client.Offer(t.Context(), contract)
		if err != nil || offer.Paused != paused || offer.ChainID == 0 || offer.Price.Sign() <= 0 {
			t.Errorf("offer %+v, %v, want paused %t", offer, err, paused)
		}
	}
	if _, err := client.Offer(t.Context(), alice); !errors.Is(err, evm.ErrNoContract) {
		t.Errorf("the offer of an account that is not a contract: %v", err)
	}
	if _, err := client.PrepareRent(t.Context(), contract, alice, alice, 1); err == nil || !strings.Contains(err.Error(), "would fail") {
		t.Errorf("prepared while rents are paused: %v", err)
	}
	if _, err := client.PrepareRent(t.Context(), alice, alice, alice, 1); !errors.Is(err, evm.ErrMalformed) {
		t.Errorf("prepared without a contract: %v", err)
	}
	if _, err := client.Receipt(t.Context(), ident.Hash{1}); !errors.Is(err, evm.ErrNotFound) {
		t.Errorf("receipt of an unknown transaction: %v", err)
	}
	if _, err := client.Blocks(t.Context(), 100, 3); !errors.Is(err, evm.ErrNotFound) {
		t.Errorf("blocks that do not exist: %v", err)
	}
	if _, err := client.Rents(t.Context(), contract, []evm.Block{{Hash: ident.Hash{1}}}); err == nil {
		t.Error("a block that does not exist has no events instead of an error")
	}
}
