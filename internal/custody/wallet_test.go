package custody

import (
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"testing"
)

// TestP256WalletFollowsRFC6979 signs the message of appendix A.2.5. Its s is high there, so the wallet must return the low
// one.
func TestP256WalletFollowsRFC6979(t *testing.T) {
	t.Parallel()
	w, err := NewP256Wallet(fromHex(t, "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"))
	if err != nil {
		t.Fatal(err)
	}
	sig, err := w.SignHash(sha256.Sum256([]byte("sample")))
	if err != nil {
		t.Fatal(err)
	}
	r := fromHex(t, "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716")
	high := fromHex(t, "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
	s := new(big.Int).Sub(elliptic.P256().Params().N, new(big.Int).SetBytes(high[:]))
	if [32]byte(sig) != r || new(big.Int).SetBytes(sig[32:64]).Cmp(s) != 0 {
		t.Errorf("r %x, s %x, want %x and %x", sig[:32], sig[32:64], r, s)
	}
}

// TestSecp256k1WalletFollowsRFC6979 compares with a signature of other Ethereum software.
func TestSecp256k1WalletFollowsRFC6979(t *testing.T) {
	t.Parallel()
	w, err := NewSecp256k1Wallet(fromHex(t, "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"))
	if err != nil {
		t.Fatal(err)
	}
	if got := w.KeyID().String(); got != "0x2c7536e3605d9c16a7a3d7b1898e529396a65c23" {
		t.Errorf("key id %s", got)
	}
	sig, err := w.Sign(fromHex(t, "1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "b91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd" +
		"6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a029" + "01"
	if got := hex.EncodeToString(sig); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

// TestWalletsRefuseSecretsOutOfRange checks the limits of each group.
func TestWalletsRefuseSecretsOutOfRange(t *testing.T) {
	t.Parallel()
	secp := func(secret [32]byte) error { _, err := NewSecp256k1Wallet(secret); return err }
	p256 := func(secret [32]byte) error { _, err := NewP256Wallet(secret); return err }
	for _, c := range []struct {
		name  string
		make  func([32]byte) error
		order string
	}{
		{"secp256k1", secp, secp256k1Order},
		{"p256", p256, p256Order},
	} {
		n := [32]byte([]byte(c.order))
		largest := n
		largest[31]--
		if err := c.make([32]byte{}); err == nil {
			t.Errorf("%s: zero is accepted as a secret", c.name)
		}
		if err := c.make(n); err == nil {
			t.Errorf("%s: the group order is accepted as a secret", c.name)
		}
		if err := c.make(largest); err != nil {
			t.Errorf("%s: the largest secret: %v", c.name, err)
		}
	}
}

func fromHex(t *testing.T, digits string) [32]byte {
	t.Helper()
	b, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return [32]byte(b)
}
