package verify

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"github.com/spf13/cobra"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/external"
	"makechain/internal/cli/query"
	"makechain/internal/cli/signing"
	"makechain/internal/cli/usage"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/message"
)

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
