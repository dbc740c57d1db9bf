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
	"makechain/internal/cli/signing"
	"makechain/internal/cli/usage"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/internal/term"
)

func newImportCommand() *cobra.Command {
	w := new(writer)
	command := &cobra.Command{
		Use:   "import <name> [file]",
		Short: "Import a key as a wallet",
		Long: `Import a key as a wallet.

The file is a keystore of Ethereum tools, or the secret in 64 hex digits. Without a file it is
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
		Long: `Export a wallet as a keystore, or its secret.

A keystore is protected by its passphrase. The secret gives full and permanent control of the
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
