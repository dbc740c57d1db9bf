// Package signing opens the user's accounts and wallets: it finds them, gets their passphrases and unlocks their keys.
package signing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/agent"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/input"
	"makechain/internal/cli/usage"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/internal/term"
	"makechain/message"
)

// Flags are the flags of a command that signs for an account.
type Flags struct {
	Passphrases

	Account string // the local name; empty for the default account
}

// Register adds the flags to a command.
func (f *Flags) Register(command *cobra.Command) {
	command.Flags().StringVar(&f.Account, "account", "",
		"account that signs, by its local name (default the only account, or that of makechain account use)")
	connection.CompleteLocalFlag(command, "account", (*identity.Store).AccountNames)
	f.Passphrases.Register(command.Flags())
}

// Author returns an author with the local key of the account: the agent signs if it holds the key, otherwise the key is
// unlocked. The account must be on the chain that the node serves.
func (f *Flags) Author(command *cobra.Command, dir *connection.ConfigDir, c *client.Client) (*message.Author, error) {
	account, err := Account(dir, f.Account)
	if err != nil {
		return nil, err
	}
	if err := CheckChain(command.Context(), c, account); err != nil {
		return nil, err
	}
	if account.Key.Encrypted() {
		held, err := Agent(dir)
		if err != nil {
			return nil, err
		}
		if key := account.PublicKey(); held.Holds(key) {
			sign := func(text []byte) ([]byte, error) { return held.Sign(key, text) }
			return message.NewRemoteAuthor(sign, key, account.Network, account.Owner), nil
		}
	}
	key, err := f.Unlock(command, "account "+account.Name, account.Key)
	if err != nil {
		return nil, err
	}
	return account.Author(key), nil
}

// Agent returns a client of the user's agent, which may not run.
func Agent(dir *connection.ConfigDir) (agent.Client, error) {
	if socket := os.Getenv(SocketVariable); socket != "" {
		return agent.Client{Socket: socket}, nil
	}
	path, err := dir.Path()
	return agent.Client{Socket: agent.Socket(path)}, err
}

// Account reads a local account, or the default account for an empty name.
func Account(dir *connection.ConfigDir, name string) (*identity.Account, error) {
	store, err := dir.Store()
	if err != nil {
		return nil, err
	}
	if name == "" {
		if name, err = store.Default(); err != nil {
			return nil, adviseDefault(store, err)
		}
	}
	account, err := store.Account(name)
	if errors.Is(err, identity.ErrNoAccount) {
		return nil, usage.Advise(err, "makechain account list, or makechain account create %s", name)
	}
	return account, err
}

// adviseDefault adds how to choose a default account.
func adviseDefault(store *identity.Store, err error) error {
	if !errors.Is(err, identity.ErrNoDefault) {
		return err
	}
	if names, listed := store.AccountNames(); listed != nil || len(names) == 0 {
		return usage.Advise(errors.New("no account on this machine"), "makechain account create <name>")
	}
	return usage.Advise(err, "--account <name>, or makechain account use <name>; makechain account list shows them")
}

// CheckChain returns an error for an account on a chain that the node does not serve. The node itself would only
// answer that the signer is unknown.
func CheckChain(ctx context.Context, c *client.Client, account *identity.Account) error {
	status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return err
	}
	if status.GetChainId() == account.ChainID && status.GetNetwork() == account.Network {
		return nil
	}
	err = fmt.Errorf("account %s is on chain %s (%s), but the node serves %s (%s)", account.Name,
		account.ChainID, identity.NetworkName(account.Network), status.GetChainId(), identity.NetworkName(status.GetNetwork()))
	return usage.Advise(err, "another --node, or makechain account create %s to create it on this chain too", account.Name)
}

// Wallet reads a local wallet without unlocking it.
func Wallet(dir *connection.ConfigDir, name string) (*keystore.Container, error) {
	store, err := dir.Store()
	if err != nil {
		return nil, err
	}
	container, err := store.Wallet(name)
	if errors.Is(err, identity.ErrNoWallet) {
		return nil, usage.Advise(err, "makechain wallet list, or makechain wallet new %s", name)
	}
	return container, err
}

// RegisterKind adds --type, the kind of a new wallet.
func RegisterKind(command *cobra.Command, kind *string) {
	command.Flags().StringVar(kind, "type", string(keystore.Secp256k1), "secp256k1 or p256")
	usage.CompleteValues(command, "type", string(keystore.Secp256k1), string(keystore.P256))
}

// ParseKind parses --type.
func ParseKind(command *cobra.Command, kind string) (keystore.Kind, error) {
	if kind := keystore.Kind(kind); kind == keystore.Secp256k1 || kind == keystore.P256 {
		return kind, nil
	}
	return "", usage.Errorf(command, "--type: %q is not %s or %s", kind, keystore.Secp256k1, keystore.P256)
}

const (
	// PassphraseVariable holds the passphrase where there is no terminal. There is no such flag, because other users
	// can see the flags of a process.
	PassphraseVariable = usage.EnvironmentPrefix + "PASSPHRASE"
	// SocketVariable holds the path of the agent's socket.
	SocketVariable = usage.EnvironmentPrefix + "AGENT_SOCKET"
	// maxPassphrase is the largest size of a passphrase, in bytes.
	maxPassphrase = 4 << 10
)

// Passphrases gets the passphrases of keys from a file, the environment or the terminal.
type Passphrases struct {
	file string

	latest []byte // the passphrase that was used last, tried before asking for another
}

// Register adds --passphrase-file.
func (p *Passphrases) Register(flags *pflag.FlagSet) {
	flags.StringVar(&p.file, "passphrase-file", "", "file whose first line is the passphrase (default "+PassphraseVariable+", or a prompt)")
}

// Unlock decrypts a key. The name of the key is for prompts and errors.
func (p *Passphrases) Unlock(command *cobra.Command, name string, container *keystore.Container) (keystore.Key, error) {
	if !container.Encrypted() {
		return container.Open(nil)
	}
	if p.latest != nil {
		key, err := container.Open(p.latest)
		if !errors.Is(err, keystore.ErrPassphrase) {
			return key, err
		}
	}
	passphrase, prompted, err := p.get(command, "Passphrase of "+name)
	if err != nil {
		return keystore.Key{}, err
	}
	progress := term.StartProgress(command.ErrOrStderr(), "opening "+name)
	key, err := container.Open(passphrase)
	progress.Stop()
	switch {
	case errors.Is(err, keystore.ErrPassphrase) && !prompted:
		return key, usage.Advise(fmt.Errorf("%s: %w", name, err), "the right passphrase in %s or --passphrase-file", PassphraseVariable)
	case err != nil:
		return key, fmt.Errorf("%s: %w", name, err)
	}
	p.latest = passphrase
	return key, nil
}

// UnlockWallet decrypts the key of a local wallet.
func (p *Passphrases) UnlockWallet(command *cobra.Command, dir *connection.ConfigDir, name string) (keystore.Key, error) {
	container, err := Wallet(dir, name)
	if err != nil {
		return keystore.Key{}, err
	}
	return p.Unlock(command, "wallet "+name, container)
}

// Seal encrypts a new key, or stores it in plaintext. All new keys of one command have the same passphrase, which is
// prompted for twice.
func (p *Passphrases) Seal(command *cobra.Command, name string, key keystore.Key, cost keystore.Cost, plain bool) (*keystore.Container, error) {
	if plain {
		return keystore.Plaintext(key)
	}
	if p.latest == nil {
		passphrase, prompted, err := p.get(command, "New passphrase of "+name)
		again := passphrase
		if err == nil && prompted {
			again, err = input.Secret(command, "Repeat the passphrase")
		}
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(passphrase, again) {
			return nil, errors.New("the two passphrases differ, nothing was done")
		}
		p.latest = passphrase
	}
	progress := term.StartProgress(command.ErrOrStderr(), "encrypting "+name)
	defer progress.Stop()
	container, err := keystore.Seal(key, p.latest, cost)
	if errors.Is(err, keystore.ErrNoPassphrase) {
		return nil, usage.Advise(err, "--insecure-plaintext, if the key is for a development chain")
	}
	return container, err
}

// NewKey generates and seals a delegated key.
func (p *Passphrases) NewKey(command *cobra.Command, name string, plain bool) (*keystore.Container, error) {
	key, err := keystore.Generate(keystore.Ed25519)
	if err != nil {
		return nil, err
	}
	return p.Seal(command, name, key, keystore.Light, plain)
}

// get returns a passphrase, and reports whether it was prompted for.
func (p *Passphrases) get(command *cobra.Command, question string) (passphrase []byte, prompted bool, err error) {
	if p.file != "" {
		passphrase, err = readPassphrase(p.file)
		return passphrase, false, err
	}
	if value, set := os.LookupEnv(PassphraseVariable); set {
		return []byte(value), false, nil
	}
	if !term.IsTerminal(command.InOrStdin()) {
		return nil, false, usage.Advise(errors.New("a passphrase is required, and there is no terminal to prompt on"),
			"%s, --passphrase-file, or a terminal", PassphraseVariable)
	}
	passphrase, err = input.Secret(command, question)
	return passphrase, true, err
}

// readPassphrase reads the first line of a file that only its owner may read.
func readPassphrase(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--passphrase-file: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	// The mode of a pipe has no meaning.
	if info.Mode().IsRegular() {
		if err := keystore.CheckPrivate(path, info); err != nil {
			return nil, err
		}
	}
	content, err := io.ReadAll(io.LimitReader(file, maxPassphrase))
	if err != nil {
		return nil, fmt.Errorf("--passphrase-file: %w", err)
	}
	line, _, _ := bytes.Cut(content, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), nil
}
