// Package wallet has the commands about the wallets of this machine.
package wallet

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"makechain/internal/cli/connection"
	"makechain/internal/cli/input"
	"makechain/internal/cli/output"
	"makechain/internal/cli/signing"
	"makechain/internal/cli/usage"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/internal/term"
)

// New returns the command wallet.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "wallet",
		Short: "Create and manage the wallets that own accounts",
		Long: `A wallet is a secp256k1 key, as in Ethereum, or a P256 key, as in secure hardware. Its address
is that of the account it owns. A wallet only signs changes of the account's keys; all other
messages are signed by a delegated key, which the wallet can revoke.

Wallets are stored in wallets/ of the configuration directory, readable by you only and encrypted
with a passphrase, in the keystore format of Ethereum tools. A lost wallet cannot be restored.`,
		Example: "  makechain wallet new alice\n  makechain wallet list\n  makechain wallet export alice > backup.json",
	}
	command.AddCommand(newNewCommand(), newListCommand(), newShowCommand(), newImportCommand(), newExportCommand())
	return command
}

// localFlags are the flags of a command that prints a wallet.
type localFlags struct {
	connection.ConfigDir
	output.Flags
}

func (f *localFlags) register(command *cobra.Command) {
	f.ConfigDir.Register(command.Flags())
	f.RegisterJSON(command.Flags())
}

// writer has the flags of a command that writes a wallet.
type writer struct {
	localFlags
	signing.Passphrases

	kind  string
	plain bool
}

func (w *writer) register(command *cobra.Command) {
	w.localFlags.register(command)
	signing.RegisterKind(command, &w.kind)
	command.Flags().BoolVar(&w.plain, "insecure-plaintext", false, "store the key without encryption, for development chains")
	w.Register(command.Flags())
}

func newNewCommand() *cobra.Command {
	w := new(writer)
	command := &cobra.Command{
		Use:     "new <name>",
		Short:   "Create a wallet",
		Example: "  makechain wallet new alice\n  makechain wallet new laptop --type p256",
		Args:    usage.Args("<name>"),
		RunE: func(command *cobra.Command, args []string) error {
			kind, err := signing.ParseKind(command, w.kind)
			if err != nil {
				return err
			}
			return w.write(command, args[0], func() (keystore.Key, error) { return keystore.Generate(kind) })
		},
	}
	w.register(command)
	return command
}

// write stores a key as a wallet with an unused name, and prints the wallet.
func (w *writer) write(command *cobra.Command, name string, get func() (keystore.Key, error)) error {
	store, err := w.Store()
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
	container, err := w.Seal(command, "wallet "+name, key, keystore.Standard, w.plain)
	if err != nil {
		return err
	}
	if err := store.AddWallet(name, container); err != nil {
		return err
	}
	return w.print(command, describe(store, name, container))
}

// checkFree refuses a name that is in use, before a passphrase is prompted for.
func checkFree(command *cobra.Command, store *identity.Store, name string) error {
	if err := keystore.CheckName(name); err != nil {
		return usage.Errorf(command, "%w", err)
	}
	_, err := store.Wallet(name)
	switch {
	case errors.Is(err, identity.ErrNoWallet):
		return nil
	case err != nil:
		return err
	default:
		return usage.Advise(fmt.Errorf("wallet %s already exists", name), "another name, or makechain wallet show %s", name)
	}
}

// info describes a wallet without its passphrase.
type info struct {
	Name      string  `json:"name"`
	Type      string  `json:"type"`
	Address   *string `json:"address"`
	PublicKey *string `json:"public_key"`
	Encrypted bool    `json:"encrypted"`
	File      string  `json:"file"`
}

func describe(store *identity.Store, name string, container *keystore.Container) info {
	described := info{Name: name, Type: string(container.Kind()), Encrypted: container.Encrypted(), File: store.WalletPath(name)}
	if address, ok := container.Address(); ok {
		text := address.String()
		described.Address = &text
	}
	if key := container.PublicKey(); key != nil {
		text := fmt.Sprintf("0x%x", key)
		described.PublicKey = &text
	}
	return described
}

// orDash returns a text, or "-" for one that the file of another tool does not have.
func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}

func (f *localFlags) print(command *cobra.Command, w info) error {
	protection := "passphrase"
	if !w.Encrypted {
		protection = "none: the key is stored in plaintext"
	}
	return f.PrintValue(command, w, func(p *term.Printer) {
		p.Facts(
			term.Fact{Label: "wallet", Value: w.Name},
			term.Fact{Label: "address", Value: orDash(w.Address)},
			term.Fact{Label: "type", Value: w.Type},
			term.Fact{Label: "public key", Value: orDash(w.PublicKey)},
			term.Fact{Label: "protection", Value: protection},
			term.Fact{Label: "file", Value: w.File},
		)
	})
}

func newListCommand() *cobra.Command {
	var flags localFlags
	command := &cobra.Command{
		Use:     "list",
		Short:   "List the wallets of this machine",
		Example: "  makechain wallet list",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			store, err := flags.Store()
			if err != nil {
				return err
			}
			names, err := store.WalletNames()
			if err != nil {
				return err
			}
			wallets := make([]info, 0, len(names))
			for _, name := range names {
				container, err := store.Wallet(name)
				if err != nil {
					return err
				}
				wallets = append(wallets, describe(store, name, container))
			}
			return flags.PrintValue(command, map[string]any{"wallets": wallets}, func(p *term.Printer) {
				table := p.Table("NAME", "ADDRESS", "TYPE", "ENCRYPTED")
				for _, w := range wallets {
					table.Row(w.Name, orDash(w.Address), w.Type, output.YesNo(w.Encrypted))
				}
				table.Print("no wallets yet: makechain wallet new <name>")
			})
		},
	}
	flags.register(command)
	return command
}

func newShowCommand() *cobra.Command {
	var flags localFlags
	command := &cobra.Command{
		Use:     "show <name>",
		Short:   "Show a wallet, without its secret",
		Example: "  makechain wallet show alice",
		Args:    usage.Args("<name>"),

		ValidArgsFunction: connection.CompleteLocal((*identity.Store).WalletNames),
		RunE: func(command *cobra.Command, args []string) error {
			store, err := flags.Store()
			if err != nil {
				return err
			}
			container, err := signing.Wallet(&flags.ConfigDir, args[0])
			if err != nil {
				return err
			}
			return flags.print(command, describe(store, args[0], container))
		},
	}
	flags.register(command)
	return command
}

func newImportCommand() *cobra.Command {
	w := new(writer)
	command := &cobra.Command{
		Use:   "import <name> [file]",
		Short: "Import a key as a wallet",
		Long: `The file is a keystore of Ethereum tools, or the secret in 64 hex digits. Without a file it is
read from standard input; on a terminal the secret is prompted for without echo. A keystore
keeps its passphrase.`,
		Example: "  makechain wallet import alice backup.json\n  makechain wallet import laptop --type p256 < secret.hex",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(command *cobra.Command, args []string) error {
			kind, err := signing.ParseKind(command, w.kind)
			if err != nil {
				return err
			}
			return w.write(command, args[0], func() (keystore.Key, error) {
				content, err := readSecret(command, args[1:])
				if err != nil {
					return keystore.Key{}, err
				}
				return w.decode(command, args[0], kind, content)
			})
		},
	}
	w.register(command)
	return command
}

// readSecret reads a keystore or a secret: from a file, from the terminal without echo, or from standard input.
func readSecret(command *cobra.Command, file []string) ([]byte, error) {
	switch in := command.InOrStdin(); {
	case len(file) > 0:
		return input.ReadFile(file[0], keystore.MaxFile)
	case term.IsTerminal(in):
		return input.Secret(command, "Secret, 64 hex digits")
	default:
		return input.Read(in, input.StandardInput, keystore.MaxFile)
	}
}

// decode returns the key in a keystore or in hex.
func (w *writer) decode(command *cobra.Command, name string, kind keystore.Kind, content []byte) (keystore.Key, error) {
	content = bytes.TrimSpace(content)
	if bytes.HasPrefix(content, []byte("{")) {
		container, err := keystore.Parse(content)
		if err != nil {
			return keystore.Key{}, err
		}
		if command.Flags().Changed("type") && container.Kind() != kind {
			return keystore.Key{}, usage.Errorf(command, "--type: the keystore holds a key of type %s", container.Kind())
		}
		if container.Kind() == keystore.Ed25519 {
			return keystore.Key{}, fmt.Errorf("an %s key cannot be a wallet", keystore.Ed25519)
		}
		return w.Unlock(command, "wallet "+name, container)
	}
	// The content may be a mistyped secret, so no error repeats it.
	secret, err := hex.DecodeString(strings.TrimPrefix(string(content), "0x"))
	if err != nil || len(secret) != keystore.SecretSize {
		return keystore.Key{}, fmt.Errorf("not a keystore and not %d hex digits", hex.EncodedLen(keystore.SecretSize))
	}
	return keystore.NewKey(kind, [keystore.SecretSize]byte(secret))
}

func newExportCommand() *cobra.Command {
	var secret, yes bool
	var dir connection.ConfigDir
	var passphrases signing.Passphrases
	command := &cobra.Command{
		Use:   "export <name>",
		Short: "Export a wallet as a keystore, or its secret",
		Long: `A keystore is protected by its passphrase. The secret gives full and permanent control of the
account: the owner of an account cannot be replaced.`,
		Example: "  makechain wallet export alice > backup.json\n  makechain wallet export alice --secret",
		Args:    usage.Args("<name>"),

		ValidArgsFunction: connection.CompleteLocal((*identity.Store).WalletNames),
		RunE: func(command *cobra.Command, args []string) error {
			container, err := signing.Wallet(&dir, args[0])
			if err != nil {
				return err
			}
			if secret {
				return exportSecret(command, &passphrases, args[0], container, yes)
			}
			return exportKeystore(command, &passphrases, args[0], container)
		},
	}
	flags := command.Flags()
	flags.BoolVar(&secret, "secret", false, "print the secret in hex, after a confirmation")
	flags.BoolVar(&yes, "yes", false, "do not ask for confirmation")
	dir.Register(flags)
	passphrases.Register(flags)
	return command
}

// exportKeystore prints the keystore of a wallet. One in plaintext is encrypted first.
func exportKeystore(command *cobra.Command, passphrases *signing.Passphrases, name string, container *keystore.Container) error {
	if !container.Encrypted() {
		key, err := container.Open(nil)
		if err != nil {
			return err
		}
		if container, err = passphrases.Seal(command, "the export of "+name, key, keystore.Standard, false); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(container, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(command.OutOrStdout(), "%s\n", data)
	return err
}

func exportSecret(
	command *cobra.Command, passphrases *signing.Passphrases, name string, container *keystore.Container, yes bool,
) error {
	if err := input.Confirm(command, yes, "Print the secret of wallet %s on this screen?", name); err != nil {
		return err
	}
	key, err := passphrases.Unlock(command, "wallet "+name, container)
	if err != nil {
		return err
	}
	secret := key.Secret()
	if _, err := fmt.Fprintf(command.OutOrStdout(), "%x\n", secret); err != nil {
		return errors.New("the secret could not be printed")
	}
	return nil
}
