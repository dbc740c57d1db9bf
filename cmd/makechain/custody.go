package main

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
	"makechain/internal/custody"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/internal/term"
	"makechain/message"
)

func newCustodyCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "custody",
		Short: "Say which wallets manage an account",
		Long: `Say which wallets manage an account.

The wallet whose address the account has is its root: it manages the account for ever. It can
authorize further wallets, for another device or in case the first is lost. Only admins among
them may manage the account; an admin never expires. What is revoked stays so for ever.`,
		Example: "  makechain custody authorize laptop --admin\n  makechain custody list\n  makechain custody revoke laptop",
	}
	command.AddCommand(newCustodyListCommand(), newCustodyAuthorizeCommand(), newCustodyRevokeCommand())
	return command
}

// authorizer has the flags of custody authorize.
type authorizer struct {
	keeper

	kind, expires string

	admin bool
}

func newCustodyAuthorizeCommand() *cobra.Command {
	a := new(authorizer)
	command := &cobra.Command{
		Use:   "authorize <wallet or public key>",
		Short: "Let another wallet manage an account",
		Long: `Let another wallet manage an account.

The wallet is one of this machine, or a public key in hex: 65 bytes that begin with 04 for
secp256k1, 64 bytes for p256 and for webauthn (a passkey). A key that is no admin is kept and
listed, and authorizes nothing.`,
		Example: "  makechain custody authorize laptop --admin\n  makechain custody authorize 04a1...  --expires 720h",
		Args:    arguments("<wallet or public key>"),

		ValidArgsFunction: completeWallets,
		RunE:              func(command *cobra.Command, args []string) error { return a.run(command, args[0]) },
	}
	a.register(command)
	flags := command.Flags()
	flags.StringVar(&a.kind, "type", "", "secp256k1, p256 or webauthn (default by what is authorized)")
	flags.BoolVar(&a.admin, "admin", false, "the wallet may manage the account, for ever until it is revoked")
	flags.StringVar(&a.expires, "expires", "", "when a key that is no admin expires: 720h, or 2030-01-31 (default never)")
	completeWords(command, "type", "secp256k1", "p256", "webauthn")
	return command
}

func (a *authorizer) run(command *cobra.Command, what string) error {
	if a.admin && a.expires != "" {
		return misused(command, "--expires is for keys without --admin: an admin never expires")
	}
	key, err := a.authorized(command, what)
	if err != nil {
		return err
	}
	key.Admin = a.admin
	if key.ExpiresAt, err = parseExpiry(command, a.expires, time.Now()); err != nil {
		return err
	}
	return a.manage(command, func(_ context.Context, _ *client.Client, m *managed) (*message.Envelope, string, error) {
		made, err := m.author.KeychainAuthorize(now(), key, m.permit(), m.wallet)
		return made, describeAuthorized(key), err
	})
}

// describeAuthorized is the sentence for when a key is authorized.
func describeAuthorized(key message.CustodyKey) string {
	role := "key that authorizes nothing"
	if key.Admin {
		role = "admin"
	}
	return fmt.Sprintf("%s custody key authorized as %s", custodyTypeName(key.Type), role)
}

// custodyType is a type of custody key by the name that people write.
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

func parseCustodyType(command *cobra.Command, name string) (pb.CustodySignatureType, error) {
	for _, each := range custodyTypes() {
		if each.name == name {
			return each.value, nil
		}
	}
	return 0, misused(command, "--type: %q is none of secp256k1, p256 and webauthn", name)
}

func custodyTypeName(value pb.CustodySignatureType) string {
	for _, each := range custodyTypes() {
		if each.value == value {
			return each.name
		}
	}
	return value.String()
}

// authorized is the key to authorize: a wallet of this machine, or a public key.
func (a *authorizer) authorized(command *cobra.Command, what string) (message.CustodyKey, error) {
	public, kind, err := a.publicKey(command, what)
	if err != nil {
		return message.CustodyKey{}, err
	}
	if a.kind != "" {
		kind = a.kind
	}
	signatureType, err := parseCustodyType(command, kind)
	if err != nil {
		return message.CustodyKey{}, err
	}
	if _, err := custody.KeyIDFromPublicKey(signatureType, public); err != nil {
		return message.CustodyKey{}, misused(command, "no public key of type %s: %w", kind, err)
	}
	return message.CustodyKey{Type: signatureType, PublicKey: public}, nil
}

// publicKey finds a public key, and the type that it probably has.
func (a *authorizer) publicKey(command *cobra.Command, what string) (public []byte, kind string, err error) {
	store, err := a.store()
	if err != nil {
		return nil, "", err
	}
	container, err := store.Wallet(what)
	if err == nil {
		public = container.PublicKey()
		if public == nil { // a file that another tool wrote
			key, err := a.unlock(command, "wallet "+what, container)
			if err != nil {
				return nil, "", err
			}
			public = key.PublicKey()
		}
		return public, string(container.Kind()), nil
	}
	decoded, notHex := hex.DecodeString(strings.TrimPrefix(what, "0x"))
	switch {
	case notHex != nil && errors.Is(err, identity.ErrNoWallet):
		return nil, "", advise(err, "makechain wallet list, makechain wallet new %s, or a public key in hex", what)
	case notHex != nil:
		return nil, "", err
	case len(decoded) == 65:
		return decoded, string(keystore.Secp256k1), nil
	default:
		return decoded, string(keystore.P256), nil
	}
}

// parseExpiry reads a duration from now on, or a day. Nothing is never.
func parseExpiry(command *cobra.Command, text string, now time.Time) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		ahead, err := time.ParseDuration(text)
		if err != nil {
			return 0, misused(command, "--expires: %q is neither a duration such as 720h nor a day such as 2030-01-31", text)
		}
		at = now.Add(ahead)
	}
	if !at.After(now) {
		return 0, misused(command, "--expires: %s is over", text)
	}
	return uint64(at.Unix()), nil
}

func newCustodyRevokeCommand() *cobra.Command {
	k := new(keeper)
	command := &cobra.Command{
		Use:     "revoke <wallet or key id>",
		Short:   "Take a wallet its right to manage an account, for ever",
		Example: "  makechain custody revoke laptop\n  makechain custody revoke 0x7c31a2f0",
		Args:    arguments("<wallet or key id>"),

		ValidArgsFunction: completeWallets,
		RunE: func(command *cobra.Command, args []string) error {
			return k.manage(command, func(ctx context.Context, c *client.Client, m *managed) (*message.Envelope, string, error) {
				id, err := k.keyID(ctx, c, m.account.Owner, args[0])
				if err != nil {
					return nil, "", err
				}
				made, err := m.author.KeychainRevoke(now(), id, m.permit(), m.wallet)
				return made, fmt.Sprintf("custody key 0x%s revoked for ever", shortID(id[:])), err
			})
		},
	}
	k.register(command)
	return command
}

// keyID finds a custody key: that of a wallet of this machine, or the one whose id begins so.
func (k *keeper) keyID(ctx context.Context, c *client.Client, owner message.Address, name string) (message.Address, error) {
	store, err := k.store()
	if err != nil {
		return message.Address{}, err
	}
	if container, err := store.Wallet(name); err == nil {
		if id, stated := container.Address(); stated {
			return id, nil
		}
	}
	return c.CustodyKey(ctx, owner, name)
}

func newCustodyListCommand() *cobra.Command {
	r, l := new(remote), new(listing)
	command := &cobra.Command{
		Use:     "list [account]",
		Short:   "List the custody keys of an account (yours if you name none)",
		Example: "  makechain custody list\n  makechain custody list alice --json",
		Args:    arguments("[account]"),

		ValidArgsFunction: completing(accountNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				owner, err := r.accountNamed(ctx, c, args)
				if err != nil {
					return err
				}
				list, err := collect(command, l, func(limit uint32, cursor []byte) (*pb.ListCustodyKeysResponse, error) {
					return client.Call(ctx, c.ListCustodyKeys, &pb.ListCustodyKeysRequest{OwnerAddress: owner[:], Limit: limit, Cursor: cursor})
				})
				if err != nil {
					return err
				}
				return r.print(command, list, func(p *term.Printer) { printCustodyKeys(p, owner, list) })
			})
		},
	}
	r.register(command)
	l.register(command.Flags())
	return command
}

// printCustodyKeys begins with the root, which the chain does not store (P1.4).
func printCustodyKeys(p *term.Printer, owner message.Address, list *pb.ListCustodyKeysResponse) {
	table := p.Table("KEY ID", "TYPE", "ADMIN", "STATUS", "ADDED", "EXPIRES", "REVOKED")
	table.Row(p.Address(owner[:]), "root", "yes", "active", "-", "never", "-")
	for _, key := range list.GetCustodyKeys() {
		expires := "never"
		if key.GetExpiresAt() != 0 {
			expires = p.Time(key.GetExpiresAt())
		}
		status := strings.ToLower(strings.TrimPrefix(key.GetStatus().String(), "CUSTODY_KEY_STATUS_"))
		table.Row(p.Address(key.GetKeyId()), custodyTypeName(key.GetSignatureType()), yesNo(key.GetAdmin()), status,
			p.Time(uint64(key.GetAddedAt())), expires, p.Time(uint64(key.GetRevokedAt())))
	}
	table.Print("")
	printMore(p, list)
}
