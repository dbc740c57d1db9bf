package identity_test

import (
	"errors"
	"math/big"
	"reflect"
	"testing"
	"time"

	"makechain/internal/ident"
	"makechain/internal/identity"
	"makechain/internal/keystore"
)

// TestPayment checks that a wallet has one unfinished payment per settlement chain, which is stored completely.
func TestPayment(t *testing.T) {
	t.Parallel()
	store := identity.Open(t.TempDir())
	payment := &identity.Payment{
		From: ident.Address{1}, SettlementChainID: 1<<53 - 1, Contract: ident.Address{2}, Owner: ident.Address{3}, Units: 4, Value: big.NewInt(5), Nonce: 6,
		Hash: ident.Hash{7}, Raw: []byte{8}, CreatedAt: time.Unix(9, 0).UTC(),
	}
	if _, err := store.Payment(payment.From, payment.SettlementChainID); !errors.Is(err, identity.ErrNoPayment) {
		t.Errorf("a payment of an empty store: %v", err)
	}
	if err := store.AddPayment(payment); err != nil {
		t.Fatal(err)
	}
	if err := store.AddPayment(payment); !errors.Is(err, keystore.ErrExists) {
		t.Errorf("a second payment: %v", err)
	}
	got, err := store.Payment(payment.From, payment.SettlementChainID)
	if err != nil || !reflect.DeepEqual(got, payment) {
		t.Errorf("read %+v, %v, want %+v", got, err, payment)
	}
	if _, err := store.Payment(payment.From, 1); !errors.Is(err, identity.ErrNoPayment) {
		t.Errorf("a payment on another chain: %v", err)
	}
	if err := store.RemovePaymentOf(ident.Hash{1}); err != nil {
		t.Error(err)
	}
	if _, err := store.Payment(payment.From, payment.SettlementChainID); err != nil {
		t.Errorf("after the removal of another one: %v", err)
	}
	if err := store.RemovePaymentOf(payment.Hash); err != nil {
		t.Error(err)
	}
	if _, err := store.Payment(payment.From, payment.SettlementChainID); !errors.Is(err, identity.ErrNoPayment) {
		t.Errorf("after the removal: %v", err)
	}
}
