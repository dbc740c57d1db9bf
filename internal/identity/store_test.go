package identity

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/keystore"
)

func generate(t *testing.T, kind keystore.Kind) keystore.Key {
	t.Helper()
	key, err := keystore.Generate(kind)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func plain(t *testing.T, key keystore.Key) *keystore.Container {
	t.Helper()
	container, err := keystore.Plaintext(key)
	if err != nil {
		t.Fatal(err)
	}
	return container
}

// addAccount writes an account with a new key that is not encrypted.
func addAccount(t *testing.T, s *Store, name string, owner ident.Address) {
	t.Helper()
	if err := s.AddAccount(&Account{
		Name: name, Owner: owner, Network: pb.Network_NETWORK_DEVNET, ChainID: "chain", Wallet: "cold",
		Key: plain(t, generate(t, keystore.Ed25519)),
	}); err != nil {
		t.Fatal(err)
	}
}

func TestWallets(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	if _, err := s.Wallet("cold"); !errors.Is(err, ErrNoWallet) {
		t.Errorf("missing wallet: %v", err)
	}
	key := generate(t, keystore.P256)
	if err := s.AddWallet("cold", plain(t, key)); err != nil {
		t.Fatal(err)
	}
	if err := s.AddWallet("cold", plain(t, generate(t, keystore.P256))); !errors.Is(err, keystore.ErrExists) {
		t.Errorf("a second wallet of one name: %v", err)
	}
	container, err := s.Wallet("cold")
	if err != nil {
		t.Fatal(err)
	}
	if opened, err := container.Open(nil); err != nil || opened.Secret() != key.Secret() {
		t.Errorf("opened %v, %v", opened, err)
	}
	if err := s.AddWallet("signer", plain(t, generate(t, keystore.Ed25519))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wallet("signer"); err == nil || !strings.Contains(err.Error(), "not a wallet") {
		t.Errorf("delegated key as a wallet: %v", err)
	}
	if names, err := s.WalletNames(); err != nil || !slices.Equal(names, []string{"cold", "signer"}) {
		t.Errorf("wallets %v, %v", names, err)
	}
}

// TestDefault checks that the default is the first account, then the one that was set, then the only one left.
func TestDefault(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	expect := func(want string) {
		t.Helper()
		if got, err := s.Default(); got != want || (err == nil) != (want != "") || want == "" && !errors.Is(err, ErrNoDefault) {
			t.Errorf("default %q, %v; want %q", got, err, want)
		}
	}
	expect("")
	for i, name := range []string{"bob", "alice", "carol"} {
		addAccount(t, s, name, ident.Address{byte(i)})
	}
	expect("bob")
	if err := s.SetDefault("alice"); err != nil {
		t.Fatal(err)
	}
	expect("alice")
	if err := s.SetDefault("dave"); !errors.Is(err, ErrNoAccount) {
		t.Errorf("missing account: %v", err)
	}
	remove := func(name string) {
		t.Helper()
		if err := os.Remove(s.accounts.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	remove("alice")
	expect("")
	remove("carol")
	expect("bob")
}

func TestAccountFile(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	addAccount(t, s, "alice", ident.Address{1, 2, 3})
	account, err := s.Account("alice")
	if err != nil {
		t.Fatal(err)
	}
	account.sent = &sentMessage{Step: StepKey, Hash: "00"}
	if err := s.update(account); err != nil {
		t.Fatal(err)
	}
	read, err := s.Account("alice")
	if err != nil {
		t.Fatal(err)
	}
	if read.Name != "alice" || read.Owner != account.Owner || read.Network != account.Network || read.ChainID != "chain" ||
		read.Wallet != "cold" || read.PublicKey() != account.PublicKey() || *read.sent != *account.sent {
		t.Errorf("read %+v, want %+v", read, account)
	}
	key, err := read.Key.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	author := read.Author(key)
	if author.Key() != read.PublicKey() || author.Owner() != read.Owner || author.Network() != read.Network {
		t.Errorf("author %v of %s", author.Key(), author.Owner())
	}
}

func TestAccountFileErrors(t *testing.T) {
	t.Parallel()
	const owner = `"owner": "0x0102030405060708090a0b0c0d0e0f1011121314"`
	for text, want := range map[string]string{
		`[]`:                                   "not an account",
		`{}`:                                   "owner",
		`{` + owner + `}`:                      `unknown network ""`,
		`{` + owner + `, "network": "none"}`:   `unknown network "none"`,
		`{` + owner + `, "network": "devnet"}`: "no signing key",
		`{` + owner + `, "network": "devnet", "key": {"version": 1}}`: "version 1",
		`{"owner": "0x01", "network": "devnet"}`:                      "owner",
		`{` + owner + `, "network": "moon", "key": {"version": 3}}`:   "want either the member crypto",
	} {
		s := Open(t.TempDir())
		if err := s.accounts.Create("alice", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Account("alice"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}

// TestCustodySigner checks signatures as the root key of an account and in a wrapper for another account.
//
// Rules: P4.2, P4.4.
func TestCustodySigner(t *testing.T) {
	t.Parallel()
	for _, kind := range []keystore.Kind{keystore.Secp256k1, keystore.P256} {
		key := generate(t, kind)
		wallet, err := key.Wallet()
		if err != nil {
			t.Fatal(err)
		}
		for _, owner := range []ident.Address{wallet.KeyID(), {7}} {
			signer, err := CustodySigner(key, owner)
			if err != nil {
				t.Fatal(err)
			}
			signature, err := signer.Sign([32]byte{1})
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := custody.Parse(signature)
			if err != nil {
				t.Fatal(err)
			}
			account, wrapped := parsed.Account()
			if id, err := parsed.Recover([32]byte{1}); err != nil || id != wallet.KeyID() || parsed.Type() != wallet.Type() {
				t.Errorf("%s: signed by %s, %v", kind, id, err)
			}
			if wrapped != (owner != wallet.KeyID()) || wrapped && account != owner {
				t.Errorf("%s for %s: wrapped %v for %s", kind, owner, wrapped, account)
			}
		}
	}
	if _, err := CustodySigner(generate(t, keystore.Ed25519), ident.Address{}); err == nil {
		t.Error("a delegated key is accepted as a custody key")
	}
}
