package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/internal/term"
)

func newWalletCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "wallet",
		Short: "Make and keep the keys that own accounts",
		Long: `Make and keep the keys that own accounts.

A wallet is a secp256k1 key, as Ethereum has them, or a P256 key, as devices have them. The
address of a wallet is that of the account it owns. A wallet signs who may act for the
account, and nothing else; day by day a delegated key signs, which the wallet can remove.

Wallets lie in wallets/ of the configuration directory, readable by you alone and encrypted
with a passphrase, in the keystore format of Ethereum tools. Nobody can restore a lost one.`,
		Example: "  makechain wallet new alice\n  makechain wallet list\n  makechain wallet export alice > backup.json",
	}
	command.AddCommand(newWalletNewCommand(), newWalletListCommand(), newWalletShowCommand(), newWalletImportCommand(), newWalletExportCommand())
	return command
}

// walletMaker has the flags of commands that write a wallet.
type walletMaker struct {
	offline

	kind  string
	plain bool
}

func (w *walletMaker) register(command *cobra.Command) {
	w.offline.register(command)
	flags := command.Flags()
	registerKind(command, &w.kind)
	flags.BoolVar(&w.plain, "insecure-plaintext", false, "store the key without encryption, for development chains")
	w.passphrases.register(flags)
}

func registerKind(command *cobra.Command, kind *string) {
	command.Flags().StringVar(kind, "type", string(keystore.Secp256k1), "secp256k1 or p256")
	completeWords(command, "type", string(keystore.Secp256k1), string(keystore.P256))
}

// walletKind reads a type of wallet.
func walletKind(command *cobra.Command, kind string) (keystore.Kind, error) {
	if kind := keystore.Kind(kind); kind == keystore.Secp256k1 || kind == keystore.P256 {
		return kind, nil
	}
	return "", misused(command, "--type: %q is neither %s nor %s", kind, keystore.Secp256k1, keystore.P256)
}

func newWalletNewCommand() *cobra.Command {
	w := new(walletMaker)
	command := &cobra.Command{
		Use:     "new <name>",
		Short:   "Make a new wallet",
		Example: "  makechain wallet new alice\n  makechain wallet new laptop --type p256",
		Args:    arguments("<name>"),
		RunE: func(command *cobra.Command, args []string) error {
			kind, err := walletKind(command, w.kind)
			if err != nil {
				return err
			}
			return w.write(command, args[0], func() (keystore.Key, error) { return keystore.Generate(kind) })
		},
	}
	w.register(command)
	return command
}

// write stores a key as a wallet of a name that is free, and shows the wallet.
func (w *walletMaker) write(command *cobra.Command, name string, get func() (keystore.Key, error)) error {
	store, err := w.store()
	if err != nil {
		return err
	}
	if err := checkFree(command, store, name); err != nil {
		return err
	}
	key, err := get()
	if err != nil {
		return err
	}
	container, err := w.seal(command, "wallet "+name, key, keystore.Standard, w.plain)
	if err != nil {
		return err
	}
	if err := store.AddWallet(name, container); err != nil {
		return err
	}
	return w.printWallet(command, describeWallet(store, name, container))
}

// checkFree refuses a name before anybody is asked for a passphrase.
func checkFree(command *cobra.Command, store *identity.Store, name string) error {
	if err := keystore.CheckName(name); err != nil {
		return misused(command, "%w", err)
	}
	_, err := store.Wallet(name)
	switch {
	case errors.Is(err, identity.ErrNoWallet):
		return nil
	case err != nil:
		return err
	default:
		return advise(fmt.Errorf("wallet %s exists and is not replaced", name), "another name, or makechain wallet show %s", name)
	}
}

// walletInfo is what may be known of a wallet without its passphrase.
type walletInfo struct {
	Name      string  `json:"name"`
	Type      string  `json:"type"`
	Address   *string `json:"address"`
	PublicKey *string `json:"public_key"`
	Encrypted bool    `json:"encrypted"`
	File      string  `json:"file"`
}

// unstated stands for what the file of another tool does not say.
const unstated = "-"

// describeWallet tells what the file states.
func describeWallet(store *identity.Store, name string, container *keystore.Container) walletInfo {
	info := walletInfo{Name: name, Type: string(container.Kind()), Encrypted: container.Encrypted(), File: store.WalletPath(name)}
	if address, ok := container.Address(); ok {
		text := address.String()
		info.Address = &text
	}
	if key := container.PublicKey(); key != nil {
		text := fmt.Sprintf("0x%x", key)
		info.PublicKey = &text
	}
	return info
}

func (w *walletInfo) address() string { return orUnstated(w.Address) }

func orUnstated(text *string) string {
	if text == nil {
		return unstated
	}
	return *text
}

func (w *walletInfo) protection() string {
	if w.Encrypted {
		return "passphrase"
	}
	return "none: anybody who reads the file has the key"
}

func (o *offline) printWallet(command *cobra.Command, info walletInfo) error {
	return o.print(command, info, func(p *term.Printer) {
		p.Facts(
			term.Fact{Label: "wallet", Value: info.Name},
			term.Fact{Label: "address", Value: info.address()},
			term.Fact{Label: "type", Value: info.Type},
			term.Fact{Label: "public key", Value: orUnstated(info.PublicKey)},
			term.Fact{Label: "protection", Value: info.protection()},
			term.Fact{Label: "file", Value: info.File},
		)
	})
}

func newWalletListCommand() *cobra.Command {
	o := new(offline)
	command := &cobra.Command{
		Use:     "list",
		Short:   "List the wallets of this machine",
		Example: "  makechain wallet list",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return o.listWallets(command)
		},
	}
	o.register(command)
	return command
}

func (o *offline) listWallets(command *cobra.Command) error {
	store, err := o.store()
	if err != nil {
		return err
	}
	names, err := store.WalletNames()
	if err != nil {
		return err
	}
	wallets := make([]walletInfo, 0, len(names))
	for _, name := range names {
		container, err := store.Wallet(name)
		if err != nil {
			return err
		}
		wallets = append(wallets, describeWallet(store, name, container))
	}
	answer := struct {
		Wallets []walletInfo `json:"wallets"`
	}{wallets}
	return o.print(command, answer, func(p *term.Printer) {
		table := p.Table("NAME", "ADDRESS", "TYPE", "ENCRYPTED")
		for _, w := range wallets {
			table.Row(w.Name, w.address(), w.Type, yesNo(w.Encrypted))
		}
		table.Print("no wallets yet: makechain wallet new <name>")
	})
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func newWalletShowCommand() *cobra.Command {
	o := new(offline)
	command := &cobra.Command{
		Use:     "show <name>",
		Short:   "Show a wallet, without its secret",
		Example: "  makechain wallet show alice",
		Args:    arguments("<name>"),

		ValidArgsFunction: completeWallets,
		RunE: func(command *cobra.Command, args []string) error {
			store, err := o.store()
			if err != nil {
				return err
			}
			container, err := o.wallet(args[0])
			if err != nil {
				return err
			}
			return o.printWallet(command, describeWallet(store, args[0], container))
		},
	}
	o.register(command)
	return command
}
