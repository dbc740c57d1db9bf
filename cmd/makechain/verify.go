package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/term"
	"makechain/message"
)

func newVerifyCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "verify",
		Short:   "Show that addresses on other chains are yours",
		Example: "  makechain verify add --wallet alice\n  makechain verify list alice",
	}
	command.AddCommand(newVerifyAddCommand(), newVerifyClaimCommand(), newVerifyRemoveCommand(), newVerifyListCommand())
	return command
}

// outsideAddress is an address of another chain: 20 bytes of Ethereum, or 32 of Solana.
type outsideAddress []byte

// parseOutside reads 0x and 40 hex digits, base58, or 64 hex digits.
func parseOutside(text string) (outsideAddress, error) {
	if address, err := ident.ParseAddress(text); err == nil {
		return address[:], nil
	}
	if key, err := ident.ParsePublicKey(text); err == nil {
		return key[:], nil
	}
	if key, ok := decodeBase58(text); ok && len(key) == ident.PublicKeySize {
		return key, nil
	}
	return nil, fmt.Errorf("%q is neither an Ethereum address (0x...) nor a Solana one", text)
}

func (a outsideAddress) solana() bool { return len(a) == ident.PublicKeySize }

// String is the address as its own chain writes it.
func (a outsideAddress) String() string {
	if a.solana() {
		return encodeBase58(a)
	}
	return "0x" + hex.EncodeToString(a)
}

// claim is a verification with the signature that proves it.
func (a outsideAddress) claim(network pb.Network, signature []byte) *pb.MessageData {
	body := &pb.VerificationAddBody{
		VerificationType: pb.VerificationType_VERIFICATION_TYPE_ETH_ADDRESS, Address: a, ClaimSignature: signature,
		ChainId: custody.HostChainIDBytes(network),
	}
	if a.solana() {
		body.VerificationType, body.ChainId = pb.VerificationType_VERIFICATION_TYPE_SOL_ADDRESS, nil
	}
	return message.VerificationAdd(body)
}

func newVerifyAddCommand() *cobra.Command {
	var r remote
	var evidence evidence
	command := &cobra.Command{
		Use:   "add [address]",
		Short: "Show that an Ethereum or Solana address is yours",
		Long: `Show that an Ethereum or Solana address is yours.

The address signs a claim. A wallet of this machine does that for Ethereum (--wallet),
and a file with a Solana key for Solana (--sol-key). For a wallet elsewhere, let it sign
what "makechain verify claim <address>" prints, and give address and --signature here.`,
		Example: `  makechain verify add --wallet alice
  makechain verify add --sol-key ~/.config/solana/id.json
  makechain verify add 0x52908400098527886e0f7030069857d2e4169ee7 --signature 0x...`,
		Args: arguments("[address]"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := evidence.check(command, args); err != nil {
				return err
			}
			return r.reading(command, func(_ context.Context, c *client.Client) error {
				author, err := r.author(command, c)
				if err != nil {
					return err
				}
				address, signature, err := evidence.sign(command, &r, author, args)
				if err != nil {
					return err
				}
				return r.send(command, c, author, "verified "+address.String(), address.claim(author.Network(), signature))
			})
		},
	}
	r.registerWriter(command)
	flags := command.Flags()
	flags.StringVar(&evidence.wallet, "wallet", "", "a wallet of this machine, whose address is claimed")
	flags.StringVar(&evidence.solana, "sol-key", "", "file of a Solana key, whose address is claimed (Solana's own form, or the seed in hex)")
	flags.StringVar(&evidence.signature, "signature", "", "signature of the claim by the address, in hex (Solana: or base58)")
	return command
}

func newVerifyClaimCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:   "claim <address>",
		Short: "Print what an address has to sign for verify add",
		Long: `Print what an address has to sign for verify add.

For Ethereum that is typed data (EIP-712), for Solana a text.`,
		Example: "  makechain verify claim 0x52908400098527886e0f7030069857d2e4169ee7 > claim.json",
		Args:    arguments("an address"),
		RunE: func(command *cobra.Command, args []string) error {
			address, err := parseOutside(args[0])
			if err != nil {
				return misused(command, "%w", err)
			}
			account, err := r.localAccount()
			if err != nil {
				return err
			}
			text := custody.SolClaimText(account.Network, account.Owner)
			if !address.solana() {
				if text, err = typedClaim(account.Network, account.Owner, ident.Address(address)); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), text)
			return err
		},
	}
	r.local.register(command.Flags())
	command.Flags().StringVar(&r.account, "account", "", "your account, by its local name (default the only or chosen one)")
	return command
}

func newVerifyRemoveCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:     "remove <address>",
		Short:   "Take a verified address back",
		Example: "  makechain verify remove 0x52908400098527886e0f7030069857d2e4169ee7",
		Args:    arguments("an address, or the beginning of one"),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				account, err := r.localAccount()
				if err != nil {
					return err
				}
				address, err := findVerified(ctx, c, account.Owner, args[0])
				if err != nil {
					return err
				}
				author, err := r.author(command, c)
				if err != nil {
					return err
				}
				return r.send(command, c, author, "removed "+address.String(), message.VerificationRemove(address))
			})
		},
	}
	r.registerWriter(command)
	return command
}

// findVerified finds a verified address of an account by all or the beginning of what is printed.
func findVerified(ctx context.Context, c *client.Client, owner message.Address, name string) (outsideAddress, error) {
	if address, err := parseOutside(name); err == nil {
		return address, nil
	}
	list, err := verifications(ctx, c, owner, maxPage, nil)
	if err != nil {
		return nil, err
	}
	var found []outsideAddress
	for _, entry := range list.GetVerifications() {
		if address := outsideAddress(entry.GetAddress()); strings.HasPrefix(address.String(), name) {
			found = append(found, address)
		}
	}
	switch {
	case len(found) == 1 && len(name) >= client.MinPrefix:
		return found[0], nil
	case len(found) == 0:
		return nil, advise(&client.NotFoundError{Kind: "verified address", Name: name}, "makechain verify list")
	default:
		return nil, advise(errors.New("this beginning is not enough"), "more of the address")
	}
}

func verifications(ctx context.Context, c *client.Client, owner message.Address, limit uint32, cursor []byte) (*pb.ListVerificationsResponse, error) {
	return client.Call(ctx, c.ListVerifications, &pb.ListVerificationsRequest{OwnerAddress: owner[:], Limit: limit, Cursor: cursor})
}

func newVerifyListCommand() *cobra.Command {
	var r remote
	var l listing
	command := &cobra.Command{
		Use:     "list [account]",
		Short:   "List the verified addresses of an account, by default yours",
		Example: "  makechain verify list\n  makechain verify list alice",
		Args:    arguments("[account]"),

		ValidArgsFunction: completing(accountNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				owner, err := r.ownerOf(ctx, c, args)
				if err != nil {
					return err
				}
				list, err := collect(command, &l, func(limit uint32, cursor []byte) (*pb.ListVerificationsResponse, error) {
					return verifications(ctx, c, owner, limit, cursor)
				})
				if err != nil {
					return err
				}
				return r.print(command, list, func(p *term.Printer) { printVerifications(p, list) })
			})
		},
	}
	r.register(command)
	l.register(command.Flags())
	return command
}

// ownerOf is the account that is named, or the person's own.
func (r *remote) ownerOf(ctx context.Context, c *client.Client, names []string) (message.Address, error) {
	if len(names) > 0 {
		return c.Account(ctx, names[0])
	}
	account, err := r.localAccount()
	if err != nil {
		return message.Address{}, err
	}
	return account.Owner, nil
}

func printVerifications(p *term.Printer, list *pb.ListVerificationsResponse) {
	table := p.Table("ADDRESS", "CHAIN", "VERIFIED")
	for _, entry := range list.GetVerifications() {
		chain := "ethereum"
		if entry.GetVerificationType() == pb.VerificationType_VERIFICATION_TYPE_SOL_ADDRESS {
			chain = "solana"
		}
		table.Row(outsideAddress(entry.GetAddress()).String(), chain, p.Time(uint64(entry.GetAddedAt())))
	}
	table.Print("no verified addresses")
	printMore(p, list)
}
