package genesis

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"testing"

	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// TestCheckKeys checks which keys are known, as keys of validators and of attesters.
func TestCheckKeys(t *testing.T) {
	t.Parallel()
	public := func(seed [32]byte) ident.PublicKey {
		return ident.PublicKey(ed25519.NewKeyFromSeed(seed[:]).Public().(ed25519.PublicKey))
	}
	rfc, err := hex.DecodeString("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
	if err != nil {
		t.Fatal(err)
	}
	secret := public([32]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	for name, key := range map[string]ident.PublicKey{
		"all zeros": public([32]byte{}), "first byte": public([32]byte{7}), "last byte": public([32]byte{31: 200}), "RFC 8032": ident.PublicKey(rfc),
	} {
		wrong := (*FieldError)(nil)
		g := &Genesis{Validators: []Validator{{PublicKey: secret}, {PublicKey: key}}}
		if err := g.CheckKeys(); !errors.As(err, &wrong) || wrong.Field != "validators[1].public_key" {
			t.Errorf("%s as a validator: %v", name, err)
		}
		g = &Genesis{Validators: []Validator{{PublicKey: secret}}, Settlement: ledger.Settlement{Attesters: []ledger.Attester{{Key: key}}}}
		if err := g.CheckKeys(); !errors.As(err, &wrong) || wrong.Field != "settlement.attesters[0].public_key" {
			t.Errorf("%s as an attester: %v", name, err)
		}
	}
	if err := (&Genesis{Validators: []Validator{{PublicKey: secret}}}).CheckKeys(); err != nil {
		t.Error(err)
	}
}
