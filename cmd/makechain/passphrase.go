package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/internal/keystore"
	"makechain/internal/term"
)

const (
	// passphraseVariable holds the passphrase where nobody can be asked. It is no flag: others can see those.
	passphraseVariable = environmentPrefix + "PASSPHRASE"
	// maxPassphrase bounds a passphrase, in bytes.
	maxPassphrase = 4 << 10
)

// passphrases is where the passphrases of keys come from: a file, the environment, or the person at the terminal.
type passphrases struct {
	file string

	known []byte // what was given or asked for last, to be tried before asking again
}

func (p *passphrases) register(flags *pflag.FlagSet) {
	flags.StringVar(&p.file, "passphrase-file", "", "file whose first line is the passphrase (default "+passphraseVariable+", or a question)")
}

// unlock opens a key, and finds its passphrase if it has one.
func (p *passphrases) unlock(command *cobra.Command, what string, container *keystore.Container) (keystore.Key, error) {
	if !container.Encrypted() {
		return container.Open(nil)
	}
	if p.known != nil {
		key, err := container.Open(p.known)
		if !errors.Is(err, keystore.ErrPassphrase) {
			return key, err
		}
	}
	passphrase, asked, err := p.find(command, "Passphrase of "+what)
	if err != nil {
		return keystore.Key{}, err
	}
	progress := term.StartProgress(command.ErrOrStderr(), "opening "+what)
	key, err := container.Open(passphrase)
	progress.Stop()
	switch {
	case errors.Is(err, keystore.ErrPassphrase) && !asked:
		return key, advise(fmt.Errorf("%s: %w", what, err), "the right one in %s or --passphrase-file", passphraseVariable)
	case err != nil:
		return key, fmt.Errorf("%s: %w", what, err)
	}
	p.known = passphrase
	return key, nil
}

// seal makes the container of a new key, encrypted unless plain is wanted. A person who types the passphrase types it
// twice, once for all keys of one command.
func (p *passphrases) seal(command *cobra.Command, what string, key keystore.Key, cost keystore.Cost, plain bool) (*keystore.Container, error) {
	if plain {
		return keystore.Plaintext(key)
	}
	if p.known == nil {
		passphrase, err := p.choose(command, what)
		if err != nil {
			return nil, err
		}
		p.known = passphrase
	}
	progress := term.StartProgress(command.ErrOrStderr(), "encrypting "+what)
	defer progress.Stop()
	container, err := keystore.Seal(key, p.known, cost)
	if errors.Is(err, keystore.ErrNoPassphrase) {
		return nil, advise(err, "--insecure-plaintext, if the key is for a development chain")
	}
	return container, err
}

// choose gets a new passphrase.
func (p *passphrases) choose(command *cobra.Command, what string) ([]byte, error) {
	passphrase, asked, err := p.find(command, "New passphrase of "+what)
	if err != nil || !asked {
		return passphrase, err
	}
	again, err := ask(command, "The same again")
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(passphrase, again) {
		return nil, errors.New("the two passphrases differ, nothing was done")
	}
	return passphrase, nil
}

// find gets a passphrase, and says whether a person was asked for it.
func (p *passphrases) find(command *cobra.Command, question string) (passphrase []byte, asked bool, err error) {
	if p.file != "" {
		passphrase, err = readPassphrase(p.file)
		return passphrase, false, err
	}
	if value, set := os.LookupEnv(passphraseVariable); set {
		return []byte(value), false, nil
	}
	if !term.IsTerminal(command.InOrStdin()) {
		return nil, false, advise(errors.New("a passphrase is needed, and nobody is here to be asked"),
			"%s, --passphrase-file, or a terminal", passphraseVariable)
	}
	passphrase, err = ask(command, question)
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
	// A pipe has no mode that means anything.
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
