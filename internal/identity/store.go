package identity

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/keystore"
)

// defaultFile is the name of the file with the default account.
const defaultFile = "account"

// Errors of a Store. The caller adds what the user can do.
var (
	ErrNoWallet  = errors.New("no such wallet")
	ErrNoAccount = errors.New("no such account on this machine")
	// ErrNoDefault is returned when no default account is set and there is not exactly one account.
	ErrNoDefault = errors.New("no default account")
)

// Store is the configuration directory of a user.
type Store struct {
	wallets, accounts, defaults, payments keystore.Dir
}

// Open returns the store in a directory, which is created when the first file is written.
func Open(dir string) *Store {
	return &Store{
		wallets:  keystore.OpenDir(filepath.Join(dir, "wallets")),
		accounts: keystore.OpenDir(filepath.Join(dir, "accounts")),
		defaults: keystore.OpenDir(filepath.Join(dir, "defaults")),
		payments: keystore.OpenDir(filepath.Join(dir, "payments")),
	}
}

// Wallet returns a wallet, still encrypted.
func (s *Store) Wallet(name string) (*keystore.Container, error) {
	data, err := s.wallets.Read(name)
	if errors.Is(err, keystore.ErrNotFound) {
		return nil, fmt.Errorf("%w: %s", ErrNoWallet, name)
	}
	if err != nil {
		return nil, err
	}
	container, err := keystore.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.wallets.Path(name), err)
	}
	if container.Kind() == keystore.Ed25519 {
		return nil, fmt.Errorf("%s holds an %s key, which is not a wallet", s.wallets.Path(name), keystore.Ed25519)
	}
	return container, nil
}

// AddWallet writes a new wallet. It returns keystore.ErrExists if there is one of that name.
func (s *Store) AddWallet(name string, container *keystore.Container) error {
	data, err := encode(container)
	if err != nil {
		return err
	}
	return s.wallets.Create(name, data)
}

// WalletNames returns the names of the wallets, sorted.
func (s *Store) WalletNames() ([]string, error) { return s.wallets.Names() }

// WalletPath returns the path of the file of a wallet.
func (s *Store) WalletPath(name string) string { return s.wallets.Path(name) }

// Account returns an account, its key still encrypted.
func (s *Store) Account(name string) (*Account, error) {
	data, err := s.accounts.Read(name)
	if errors.Is(err, keystore.ErrNotFound) {
		return nil, fmt.Errorf("%w: %s", ErrNoAccount, name)
	}
	if err != nil {
		return nil, err
	}
	account := &Account{Name: name}
	if err := json.Unmarshal(data, account); err != nil {
		return nil, fmt.Errorf("%s: %w", s.accounts.Path(name), err)
	}
	return account, nil
}

// AddAccount writes a new account and makes it the default when there is none. It returns keystore.ErrExists if there is
// an account of that name.
func (s *Store) AddAccount(account *Account) error {
	data, err := encode(account)
	if err != nil {
		return err
	}
	if err := s.accounts.Create(account.Name, data); err != nil {
		return err
	}
	if _, err := s.defaults.Read(defaultFile); errors.Is(err, keystore.ErrNotFound) {
		return s.SetDefault(account.Name)
	}
	return nil
}

// SetChain stores another chain for an account. Keys are the same on all chains.
func (s *Store) SetChain(account *Account, network pb.Network, chainID string) error {
	account.Network, account.ChainID = network, chainID
	return s.update(account)
}

// update replaces the file of an account.
func (s *Store) update(account *Account) error {
	data, err := encode(account)
	if err != nil {
		return err
	}
	return s.accounts.Replace(account.Name, data)
}

// AccountNames returns the names of the accounts, sorted.
func (s *Store) AccountNames() ([]string, error) { return s.accounts.Names() }

// defaultJSON is the JSON form of the default account.
type defaultJSON struct {
	Name string `json:"name"`
}

// SetDefault makes an account the default.
func (s *Store) SetDefault(name string) error {
	if _, err := s.Account(name); err != nil {
		return err
	}
	data, err := encode(defaultJSON{Name: name})
	if err != nil {
		return err
	}
	return s.defaults.Replace(defaultFile, data)
}

// Default returns the name of the default account: the one that was set, or else the only one.
func (s *Store) Default() (string, error) {
	names, err := s.AccountNames()
	if err != nil {
		return "", err
	}
	data, err := s.defaults.Read(defaultFile)
	switch {
	case err == nil:
		var stored defaultJSON
		if err := json.Unmarshal(data, &stored); err != nil {
			return "", fmt.Errorf("%s: %w", s.defaults.Path(defaultFile), err)
		}
		// The file of the account may have been removed since.
		if slices.Contains(names, stored.Name) {
			return stored.Name, nil
		}
	case !errors.Is(err, keystore.ErrNotFound):
		return "", err
	}
	if len(names) != 1 {
		return "", ErrNoDefault
	}
	return names[0], nil
}

func encode(value any) ([]byte, error) {
	data, err := json.MarshalIndent(value, "", "  ")
	return append(data, '\n'), err
}
