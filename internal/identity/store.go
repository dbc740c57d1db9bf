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

// defaultFile names the one file of the defaults.
const defaultFile = "account"

// Errors that name what a person can do are the caller's to write; these tell them apart.
var (
	ErrNoWallet  = errors.New("no such wallet")
	ErrNoAccount = errors.New("no such account on this machine")
	// ErrNoDefault is the answer when no account is named and there is not exactly one.
	ErrNoDefault = errors.New("no account was chosen")
)

// Store is a person's configuration directory.
type Store struct {
	wallets, accounts, defaults keystore.Dir
}

// Open names the directory. Nothing is read or made before it is needed.
func Open(dir string) *Store {
	return &Store{
		wallets:  keystore.OpenDir(filepath.Join(dir, "wallets")),
		accounts: keystore.OpenDir(filepath.Join(dir, "accounts")),
		defaults: keystore.OpenDir(filepath.Join(dir, "defaults")),
	}
}

// Wallet reads a wallet, still locked.
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
		return nil, fmt.Errorf("%s holds an %s key, which is no wallet", s.wallets.Path(name), keystore.Ed25519)
	}
	return container, nil
}

// AddWallet writes a new wallet. An existing one is never replaced.
func (s *Store) AddWallet(name string, container *keystore.Container) error {
	data, err := encode(container)
	if err != nil {
		return err
	}
	return s.wallets.Create(name, data)
}

// WalletNames lists the wallets by name.
func (s *Store) WalletNames() ([]string, error) { return s.wallets.Names() }

// WalletPath is where a wallet lies.
func (s *Store) WalletPath(name string) string { return s.wallets.Path(name) }

// Account reads an account, its key still locked.
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

// AddAccount writes a new account, and makes it the default when there is none yet. An existing account is never
// replaced.
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

// Bind moves an account of this machine to another chain: keys are the same on all of them.
func (s *Store) SetChain(account *Account, network pb.Network, chainID string) error {
	account.Network, account.ChainID = network, chainID
	return s.update(account)
}

// update writes what has changed of an account.
func (s *Store) update(account *Account) error {
	data, err := encode(account)
	if err != nil {
		return err
	}
	return s.accounts.Replace(account.Name, data)
}

// AccountNames lists the accounts by name.
func (s *Store) AccountNames() ([]string, error) { return s.accounts.Names() }

// choice is the JSON of the default account.
type defaultJSON struct {
	Name string `json:"name"`
}

// Use makes an account the default.
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

// Default is the name of the account to use when none is named: the chosen one, or else the only one.
func (s *Store) Default() (string, error) {
	names, err := s.AccountNames()
	if err != nil {
		return "", err
	}
	data, err := s.defaults.Read(defaultFile)
	switch {
	case err == nil:
		var chosen defaultJSON
		if err := json.Unmarshal(data, &chosen); err != nil {
			return "", fmt.Errorf("%s: %w", s.defaults.Path(defaultFile), err)
		}
		// Somebody may have removed the file of the account since.
		if slices.Contains(names, chosen.Name) {
			return chosen.Name, nil
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
