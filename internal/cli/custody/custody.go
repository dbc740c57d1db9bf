// Package custody has the commands about the custody keys of an account.
package custody

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/custody"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/message"
)

// New returns the command custody.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "custody",
		Short: "Manage the wallets that control an account",
		Long: `The wallet whose address is that of the account is the root: it always manages the account. It can
authorize other wallets, for another device or as a replacement for a lost one. Only those that are
admins manage the account; an admin does not expire. A revoked wallet cannot be authorized again.`,
		Example: "  makechain custody authorize laptop --admin\n  makechain custody list\n  makechain custody revoke laptop",
	}
	command.AddCommand(newListCommand(), newAuthorizeCommand(), newRevokeCommand())
	return command
}

// authorizer has the flags of custody authorize.
type authorizer struct {
	submit.CustodyFlags

	kind, expires string

	admin bool
}

func newAuthorizeCommand() *cobra.Command {
	a := new(authorizer)
	command := &cobra.Command{
		Use:   "authorize <wallet or public key>",
		Short: "Authorize another wallet to manage an account",
		Long: `The wallet is one of this machine, or a public key in hex: 65 bytes that begin with 04 for
secp256k1, 64 bytes for p256 and for webauthn (a passkey). A key without --admin is only stored
and listed.`,
		Example: "  makechain custody authorize laptop --admin\n  makechain custody authorize 04a1...  --expires 720h",
		Args:    usage.Args("<wallet or public key>"),

		ValidArgsFunction: connection.CompleteLocal((*identity.Store).WalletNames),
		RunE:              func(command *cobra.Command, args []string) error { return a.run(command, args[0]) },
	}
	a.Register(command)
	flags := command.Flags()
	flags.StringVar(&a.kind, "type", "", "secp256k1, p256 or webauthn (default: from the wallet or the length of the key)")
	flags.BoolVar(&a.admin, "admin", false, "the wallet may manage the account until it is revoked")
	flags.StringVar(&a.expires, "expires", "", "when a key without --admin expires: 720h, or 2030-01-31 (default never)")
	usage.CompleteValues(command, "type", "secp256k1", "p256", "webauthn")
	return command
}

func (a *authorizer) run(command *cobra.Command, name string) error {
	if a.admin && a.expires != "" {
		return usage.Errorf(command, "--expires is for keys without --admin: an admin does not expire")
	}
	key, err := a.custodyKey(command, name)
	if err != nil {
		return err
	}
	if key.ExpiresAt, err = parseExpiry(command, a.expires, time.Now()); err != nil {
		return err
	}
	role := "key without admin rights"
	if a.admin {
		role = "admin"
	}
	done := fmt.Sprintf("%s custody key authorized as %s", typeName(key.Type), role)
	return a.RunCustody(command, func(_ *query.Query, of *submit.Custody) (*message.Envelope, string, error) {
		signed, err := of.Author.KeychainAuthorize(submit.Now(), key, of.Permit(), of.Wallet)
		return signed, done, err
	})
}

// custodyType is a type of custody key and its name on the command line.
type custodyType struct {
	name  string
	value pb.CustodySignatureType
}

func custodyTypes() []custodyType {
	return []custodyType{
		{"secp256k1", pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1},
		{"p256", pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256},
		{"webauthn", pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256},
	}
}

func parseType(command *cobra.Command, name string) (pb.CustodySignatureType, error) {
	for _, each := range custodyTypes() {
		if each.name == name {
			return each.value, nil
		}
	}
	return 0, usage.Errorf(command, "--type: %q is none of secp256k1, p256 and webauthn", name)
}

func typeName(value pb.CustodySignatureType) string {
	for _, each := range custodyTypes() {
		if each.value == value {
			return each.name
		}
	}
	return value.String()
}

// custodyKey returns the key to authorize: that of a local wallet, or a public key.
func (a *authorizer) custodyKey(command *cobra.Command, name string) (message.CustodyKey, error) {
	public, kind, err := a.publicKey(command, name)
	if err != nil {
		return message.CustodyKey{}, err
	}
	if a.kind != "" {
		kind = a.kind
	}
	signatureType, err := parseType(command, kind)
	if err != nil {
		return message.CustodyKey{}, err
	}
	if _, err := custody.KeyIDFromPublicKey(signatureType, public); err != nil {
		return message.CustodyKey{}, usage.Errorf(command, "not a public key of type %s: %w", kind, err)
	}
	return message.CustodyKey{Type: signatureType, PublicKey: public, Admin: a.admin}, nil
}

// publicKey returns a public key and the type that its form suggests.
func (a *authorizer) publicKey(command *cobra.Command, name string) (public []byte, kind string, err error) {
	store, err := a.Connection.Store()
	if err != nil {
		return nil, "", err
	}
	container, err := store.Wallet(name)
	if err == nil {
		public = container.PublicKey()
		if public == nil { // a file of another tool may not have it
			key, err := a.Signing.Unlock(command, "wallet "+name, container)
			if err != nil {
				return nil, "", err
			}
			public = key.PublicKey()
		}
		return public, string(container.Kind()), nil
	}
	decoded, notHex := hex.DecodeString(strings.TrimPrefix(name, "0x"))
	switch {
	case notHex != nil && errors.Is(err, identity.ErrNoWallet):
		return nil, "", usage.Advise(err, "makechain wallet list, makechain wallet new %s, or a public key in hex", name)
	case notHex != nil:
		return nil, "", err
	case len(decoded) == 65:
		return decoded, string(keystore.Secp256k1), nil
	default:
		return decoded, string(keystore.P256), nil
	}
}

// parseExpiry parses a duration from now on, or a date, into Unix seconds. An empty text is 0, which never expires.
func parseExpiry(command *cobra.Command, text string, now time.Time) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		ahead, err := time.ParseDuration(text)
		if err != nil {
			return 0, usage.Errorf(command, "--expires: %q is neither a duration such as 720h nor a day such as 2030-01-31", text)
		}
		at = now.Add(ahead)
	}
	if !at.After(now) {
		return 0, usage.Errorf(command, "--expires: %s is in the past", text)
	}
	return uint64(at.Unix()), nil
}

func newRevokeCommand() *cobra.Command {
	return submit.CustodyCommand(&cobra.Command{
		Use:               "revoke <wallet or key id>",
		Short:             "Revoke a custody key",
		Example:           "  makechain custody revoke laptop\n  makechain custody revoke 0x7c31a2f0",
		Args:              usage.Args("<wallet or key id>"),
		ValidArgsFunction: connection.CompleteLocal((*identity.Store).WalletNames),
	}, func(q *query.Query, of *submit.Custody, args []string) (*message.Envelope, string, error) {
		id, err := resolveKey(q, of.Account.Owner, args[0])
		if err != nil {
			return nil, "", err
		}
		signed, err := of.Author.KeychainRevoke(submit.Now(), id, of.Permit(), of.Wallet)
		return signed, fmt.Sprintf("custody key 0x%s revoked", output.ShortID(id[:])), err
	})
}

// resolveKey returns the id of a custody key: that of a local wallet, or the one with this prefix.
func resolveKey(q *query.Query, owner message.Address, name string) (message.Address, error) {
	store, err := q.ConfigDir().Store()
	if err != nil {
		return message.Address{}, err
	}
	if container, err := store.Wallet(name); err == nil {
		if id, stated := container.Address(); stated {
			return id, nil
		}
	}
	return q.Client.CustodyKey(q.Context(), owner, name)
}

func newListCommand() *cobra.Command {
	return query.List(&cobra.Command{
		Use:               "list [account]",
		Short:             "List the custody keys of an account (default: yours)",
		Example:           "  makechain custody list\n  makechain custody list alice --json",
		Args:              usage.Args("[account]"),
		ValidArgsFunction: connection.Complete(connection.Accounts),
	}, query.Listing[message.Address, *pb.ListCustodyKeysResponse, *pb.CustodyKeyEntry]{
		Resolve: query.Account,
		Fetch: func(ctx context.Context, c *client.Client, owner message.Address, limit uint32, cursor []byte) (*pb.ListCustodyKeysResponse, error) {
			return client.Call(ctx, c.ListCustodyKeys, &pb.ListCustodyKeysRequest{OwnerAddress: owner[:], Limit: limit, Cursor: cursor})
		},
		Columns: []string{"KEY ID", "TYPE", "ADMIN", "STATUS", "ADDED", "EXPIRES", "REVOKED"},
		Items: func(list *pb.ListCustodyKeysResponse) []*pb.CustodyKeyEntry {
			return append([]*pb.CustodyKeyEntry{nil}, list.GetCustodyKeys()...) // nil for the root, which is not stored on the chain (P1.4)
		},
		Row: func(p *output.Printer, owner message.Address, key *pb.CustodyKeyEntry) []string {
			if key == nil {
				return []string{p.Address(owner[:]), "root", "yes", "active", "-", "never", "-"}
			}
			expires := "never"
			if key.GetExpiresAt() != 0 {
				expires = p.Time(key.GetExpiresAt())
			}
			return []string{
				p.Address(key.GetKeyId()), typeName(key.GetSignatureType()), output.YesNo(key.GetAdmin()),
				output.Enum(key.GetStatus(), "CUSTODY_KEY_STATUS_"),
				p.Time(uint64(key.GetAddedAt())), expires, p.Time(uint64(key.GetRevokedAt())),
			}
		},
	})
}
