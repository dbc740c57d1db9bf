package signing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/internal/cli/connection"
	"makechain/internal/cli/input"
	"makechain/internal/cli/usage"
	"makechain/internal/keystore"
	"makechain/internal/term"
)

const (
	// passphraseVariable holds the passphrase where there is no terminal. There is no such flag, because other users
	// can see the flags of a process.
	passphraseVariable = usage.EnvironmentPrefix + "PASSPHRASE"
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
	flags.StringVar(&p.file, "passphrase-file", "", "file whose first line is the passphrase (default "+passphraseVariable+", or a prompt)")
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
		return key, usage.Advise(fmt.Errorf("%s: %w", name, err), "the right passphrase in %s or --passphrase-file", passphraseVariable)
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
		if err != nil {
			return nil, err
		}
		if prompted {
			again, err := input.Secret(command, "Repeat the passphrase")
			if err != nil {
				return nil, err
			}
			if !bytes.Equal(passphrase, again) {
				return nil, errors.New("the two passphrases differ, nothing was done")
			}
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
	if value, set := os.LookupEnv(passphraseVariable); set {
		return []byte(value), false, nil
	}
	if !term.IsTerminal(command.InOrStdin()) {
		return nil, false, usage.Advise(errors.New("a passphrase is required, and there is no terminal to prompt on"),
			"%s, --passphrase-file, or a terminal", passphraseVariable)
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
