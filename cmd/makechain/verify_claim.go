package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"github.com/spf13/cobra"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/message"
)

// evidence is where the signature of a claim comes from. One of the three is given.
type evidence struct {
	wallet    string // signs here, for Ethereum
	solana    string // file of a key that signs here, for Solana
	signature string // was made elsewhere
}

// check makes sure that exactly one kind of evidence is given, with an address where it does not say one itself.
func (e *evidence) check(command *cobra.Command, args []string) error {
	given := 0
	for _, source := range []string{e.wallet, e.solana, e.signature} {
		if source != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return misused(command, "want one of --wallet, --sol-key and --signature")
	case e.signature != "" && len(args) == 0:
		return misused(command, "--signature needs the address that made it")
	case e.signature == "" && len(args) > 0:
		return misused(command, "the address comes from the key: leave %q out", args[0])
	default:
		return nil
	}
}

// sign gives the address and its signature of the claim.
func (e *evidence) sign(command *cobra.Command, r *remote, author *message.Author, args []string) (outsideAddress, []byte, error) {
	switch {
	case e.wallet != "":
		return signWithWallet(command, r, author, e.wallet)
	case e.solana != "":
		key, err := readSolanaKey(e.solana)
		if err != nil {
			return nil, nil, err
		}
		text := custody.SolClaimText(author.Network(), author.Owner())
		return outsideAddress(key[ed25519.SeedSize:]), ed25519.Sign(key, []byte(text)), nil
	default:
		address, err := parseOutside(args[0])
		if err != nil {
			return nil, nil, misused(command, "%w", err)
		}
		signature, err := parseSignature(e.signature)
		if err != nil {
			return nil, nil, misused(command, "--signature: %w", err)
		}
		return address, signature, nil
	}
}

func signWithWallet(command *cobra.Command, r *remote, author *message.Author, name string) (outsideAddress, []byte, error) {
	container, err := r.wallet(name)
	if err != nil {
		return nil, nil, err
	}
	key, err := r.unlock(command, "wallet "+name, container)
	if err != nil {
		return nil, nil, err
	}
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

// readSolanaKey reads a file of a Solana key that others may not read: the numbers of its 64 bytes in a JSON list, as
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

// parseSignature reads hex or base58.
func parseSignature(text string) ([]byte, error) {
	if signature, err := hex.DecodeString(strings.TrimPrefix(text, "0x")); err == nil {
		return signature, nil
	}
	if signature, ok := decodeBase58(text); ok && len(signature) == message.SignatureSize {
		return signature, nil
	}
	return nil, fmt.Errorf("%q is neither hex nor base58", text)
}

// typedClaim is the claim of P9.10 as wallets take it: the JSON of EIP-712.
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
