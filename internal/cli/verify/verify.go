// Package verify has the commands that prove ownership of addresses on other chains.
package verify

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/external"
	"makechain/internal/cli/output"
	"makechain/internal/cli/paging"
	"makechain/internal/cli/query"
	"makechain/internal/cli/signing"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/message"
)

// New returns the command verify.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:     "verify",
		Short:   "Verify that you own addresses on other chains",
		Example: "  makechain verify add --wallet alice\n  makechain verify list alice",
	}
	command.AddCommand(newAddCommand(), newClaimCommand(), newRemoveCommand(), newListCommand())
	return command
}

func newAddCommand() *cobra.Command {
	var flags submit.Flags
	var evidence evidence
	command := &cobra.Command{
		Use:   "add [address]",
		Short: "Verify an Ethereum or Solana address",
		Long: `The address signs a claim. For Ethereum, a wallet of this machine can sign it (--wallet);
for Solana, a file with a key (--sol-key). To use another wallet, sign the output of
"makechain verify claim <address>" with it, and pass the address and --signature.`,
		Example: `  makechain verify add --wallet alice
  makechain verify add --sol-key ~/.config/solana/id.json
  makechain verify add 0x52908400098527886e0f7030069857d2e4169ee7 --signature 0x...`,
		Args: usage.Args("[address]"),
		RunE: func(command *cobra.Command, args []string) error {
			if err := evidence.check(command, args); err != nil {
				return err
			}
			return flags.Run(command, func(q *query.Query) error {
				author, err := flags.Author(q)
				if err != nil {
					return err
				}
				address, signature, err := evidence.sign(q, &flags.Signing, author, args)
				if err != nil {
					return err
				}
				return flags.Send(q, author, &submit.Plan{
					Done: "verified " + address.String(), Messages: []*pb.MessageData{verification(address, author.Network(), signature)},
				})
			})
		},
	}
	flags.Register(command)
	command.Flags().StringVar(&evidence.wallet, "wallet", "", "a wallet of this machine, whose address is claimed")
	command.Flags().StringVar(&evidence.solana, "sol-key", "",
		"file of a Solana key, whose address is claimed (Solana's own form, or the seed in hex)")
	command.Flags().StringVar(&evidence.signature, "signature", "", "signature of the claim by the address, in hex (Solana: or base58)")
	return command
}

// verification returns the message that adds a verification with the signature of its claim.
func verification(address external.Address, network pb.Network, signature []byte) *pb.MessageData {
	body := &pb.VerificationAddBody{
		VerificationType: pb.VerificationType_VERIFICATION_TYPE_ETH_ADDRESS, Address: address, ClaimSignature: signature,
		ChainId: custody.HostChainIDBytes(network),
	}
	if address.IsSolana() {
		body.VerificationType, body.ChainId = pb.VerificationType_VERIFICATION_TYPE_SOL_ADDRESS, nil
	}
	return message.VerificationAdd(body)
}

func newClaimCommand() *cobra.Command {
	var dir connection.ConfigDir
	var name string
	command := &cobra.Command{
		Use:     "claim <address>",
		Short:   "Print the claim that an address signs for verify add",
		Long:    `For Ethereum it is typed data (EIP-712), for Solana a text.`,
		Example: "  makechain verify claim 0x52908400098527886e0f7030069857d2e4169ee7 > claim.json",
		Args:    usage.Args("an address"),
		RunE: func(command *cobra.Command, args []string) error {
			address, err := external.Parse(args[0])
			if err != nil {
				return usage.Errorf(command, "%w", err)
			}
			account, err := signing.Account(&dir, name)
			if err != nil {
				return err
			}
			text := custody.SolClaimText(account.Network, account.Owner)
			if !address.IsSolana() {
				if text, err = typedClaim(account.Network, account.Owner, ident.Address(address)); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), text)
			return err
		},
	}
	dir.Register(command.Flags())
	command.Flags().StringVar(&name, "account", "", "account, by its local name (default the only account, or that of makechain account use)")
	return command
}

func newRemoveCommand() *cobra.Command {
	var flags submit.Flags
	command := &cobra.Command{
		Use:     "remove <address>",
		Short:   "Remove a verified address",
		Example: "  makechain verify remove 0x52908400098527886e0f7030069857d2e4169ee7",
		Args:    usage.Args("an address, or a prefix of it"),
		RunE: func(command *cobra.Command, args []string) error {
			return flags.Run(command, func(q *query.Query) error {
				account, err := signing.Account(q.ConfigDir(), flags.Signing.Account)
				if err != nil {
					return err
				}
				address, err := resolve(q, account.Owner, args[0])
				if err != nil {
					return err
				}
				author, err := flags.Author(q)
				if err != nil {
					return err
				}
				return flags.Send(q, author, &submit.Plan{
					Done: "removed " + address.String(), Messages: []*pb.MessageData{message.VerificationRemove(address)},
				})
			})
		},
	}
	flags.Register(command)
	return command
}

// resolve returns a verified address of an account by the address or a prefix of it.
func resolve(q *query.Query, owner message.Address, name string) (external.Address, error) {
	if address, err := external.Parse(name); err == nil {
		return address, nil
	}
	list, err := fetch(q.Context(), q.Client, owner, paging.Max, nil)
	if err != nil {
		return nil, err
	}
	var found []external.Address
	for _, entry := range list.GetVerifications() {
		if address := external.Address(entry.GetAddress()); strings.HasPrefix(address.String(), name) {
			found = append(found, address)
		}
	}
	switch {
	case len(found) == 1 && len(name) >= client.MinPrefix:
		return found[0], nil
	case len(found) == 0:
		return nil, usage.Advise(&client.NotFoundError{Kind: "verified address", Name: name}, "makechain verify list")
	default:
		return nil, usage.Advise(errors.New("several verified addresses have this prefix, or it is too short"), "more of the address")
	}
}

func fetch(ctx context.Context, c *client.Client, owner message.Address, limit uint32, cursor []byte) (*pb.ListVerificationsResponse, error) {
	return client.Call(ctx, c.ListVerifications, &pb.ListVerificationsRequest{OwnerAddress: owner[:], Limit: limit, Cursor: cursor})
}

func newListCommand() *cobra.Command {
	return query.List(&cobra.Command{
		Use:               "list [account]",
		Short:             "List the verified addresses of an account (default: yours)",
		Example:           "  makechain verify list\n  makechain verify list alice",
		Args:              usage.Args("[account]"),
		ValidArgsFunction: connection.Complete(connection.Accounts),
	}, query.Listing[message.Address, *pb.ListVerificationsResponse, *pb.VerificationEntry]{
		Resolve: query.Account,
		Fetch:   fetch,
		Columns: []string{"ADDRESS", "CHAIN", "VERIFIED"},
		Items:   (*pb.ListVerificationsResponse).GetVerifications,
		Row: func(p *output.Printer, _ message.Address, entry *pb.VerificationEntry) []string {
			address, chain := external.Address(entry.GetAddress()), "ethereum"
			if address.IsSolana() {
				chain = "solana"
			}
			return []string{address.String(), chain, p.Time(uint64(entry.GetAddedAt()))}
		},
		Empty: "no verified addresses",
	})
}

// evidence is the source of the signature of a claim. One of the three is given.
type evidence struct {
	wallet    string // a local wallet that signs, for Ethereum
	solana    string // the file of a key that signs, for Solana
	signature string // a signature that was made elsewhere
}

// check requires exactly one source, and the address where the source does not have it.
func (e *evidence) check(command *cobra.Command, args []string) error {
	given := slices.DeleteFunc([]string{e.wallet, e.solana, e.signature}, func(source string) bool { return source == "" })
	switch {
	case len(given) != 1:
		return usage.Errorf(command, "want one of --wallet, --sol-key and --signature")
	case e.signature != "" && len(args) == 0:
		return usage.Errorf(command, "--signature needs the address that made it")
	case e.signature == "" && len(args) > 0:
		return usage.Errorf(command, "the address follows from the key: leave out %q", args[0])
	default:
		return nil
	}
}

// sign returns the address and its signature of the claim.
func (e *evidence) sign(q *query.Query, keys *signing.Flags, author *message.Author, args []string) (external.Address, []byte, error) {
	switch {
	case e.wallet != "":
		key, err := keys.UnlockWallet(q.Command, q.ConfigDir(), e.wallet)
		if err != nil {
			return nil, nil, err
		}
		return signWithWallet(key, author)
	case e.solana != "":
		key, err := readSolanaKey(e.solana)
		if err != nil {
			return nil, nil, err
		}
		text := custody.SolClaimText(author.Network(), author.Owner())
		return external.Address(key[ed25519.SeedSize:]), ed25519.Sign(key, []byte(text)), nil
	default:
		address, err := external.Parse(args[0])
		if err != nil {
			return nil, nil, usage.Errorf(q.Command, "%w", err)
		}
		signature, err := parseSignature(e.signature)
		if err != nil {
			return nil, nil, usage.Errorf(q.Command, "--signature: %w", err)
		}
		return address, signature, nil
	}
}

func signWithWallet(key keystore.Key, author *message.Author) (external.Address, []byte, error) {
	wallet, err := key.Wallet()
	if err != nil {
		return nil, nil, err
	}
	address := wallet.KeyID()
	digest, err := custody.EthClaimDigest(author.Network(), author.Owner(), address)
	if err != nil {
		return nil, nil, err
	}
	signature, err := wallet.Sign(digest)
	return address[:], signature, err
}

// readSolanaKey reads a Solana key from a file that only its owner may read: its 64 bytes as a JSON list of numbers, as
// Solana's tools write them, or its seed as 64 hex digits.
func readSolanaKey(path string) (ed25519.PrivateKey, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("--sol-key: %w", err)
	}
	if err := keystore.CheckPrivate(path, info); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--sol-key: %w", err)
	}
	content = bytes.TrimSpace(content)
	var pair [ed25519.PrivateKeySize]byte
	if seed, err := hex.DecodeString(string(content)); err == nil && len(seed) == ed25519.SeedSize {
		return ed25519.NewKeyFromSeed(seed), nil
	}
	var numbers []uint8
	if err := json.Unmarshal(content, &numbers); err != nil || len(numbers) != len(pair) {
		return nil, fmt.Errorf("--sol-key: %s holds neither a list of %d numbers nor a seed of %d hex digits", path, len(pair), 2*ed25519.SeedSize)
	}
	key := ed25519.NewKeyFromSeed(numbers[:ed25519.SeedSize])
	if !bytes.Equal(key, numbers) {
		return nil, fmt.Errorf("--sol-key: the two halves of the key in %s do not belong together", path)
	}
	return key, nil
}

// parseSignature parses hex or base58.
func parseSignature(text string) ([]byte, error) {
	if signature, err := hex.DecodeString(strings.TrimPrefix(text, "0x")); err == nil {
		return signature, nil
	}
	if signature, ok := external.DecodeBase58(text); ok && len(signature) == message.SignatureSize {
		return signature, nil
	}
	return nil, fmt.Errorf("%q is not hex or base58", text)
}

// typedClaim returns the claim of P9.10 in the JSON form of EIP-712.
func typedClaim(network pb.Network, owner, address ident.Address) (string, error) {
	type member struct {
		Name string `json:"name"`
		Type string `json:"type"`
	}
	chainID := custody.HostChainID(network)
	claim, err := json.MarshalIndent(map[string]any{
		"types": map[string][]member{
			"EIP712Domain": {{"name", "string"}, {"version", "string"}, {"chainId", "uint256"}},
			"VerificationClaim": {
				{"owner", "address"}, {"ethAddress", "address"}, {"chainId", "uint256"}, {"verificationType", "uint32"}, {"network", "string"},
			},
		},
		"primaryType": "VerificationClaim",
		"domain":      map[string]any{"name": "Makechain", "version": "1", "chainId": chainID},
		"message": map[string]any{
			"owner": owner.String(), "ethAddress": address.String(), "chainId": chainID,
			"verificationType": pb.VerificationType_VERIFICATION_TYPE_ETH_ADDRESS.Number(), "network": identity.NetworkName(network),
		},
	}, "", "  ")
	return string(claim), err
}
