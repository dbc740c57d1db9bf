package custody

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Host chains: the chains on which storage is paid for and to which the addresses of ETH claims belong (P9.10).
const (
	MainnetHostChainID uint64 = 4_217
	TestnetHostChainID uint64 = 42_431
)

// EIP-712 types of the ETH claim. Wallets display their members before signing.
const (
	eip712Prefix  = "\x19\x01"
	domainType    = "EIP712Domain(string name,string version,uint256 chainId)"
	domainName    = "Makechain"
	domainVersion = "1"
	ethClaimType  = "VerificationClaim(address owner,address ethAddress,uint256 chainId,uint32 verificationType,string network)"
)

// solClaimPrefix is the prefix of the text of a Solana claim.
const solClaimPrefix = "makechain:verify:"

// HostChainID returns the chain id of a network's host chain; 0 for an unknown network.
func HostChainID(network pb.Network) uint64 {
	switch network {
	case pb.Network_NETWORK_MAINNET:
		return MainnetHostChainID
	case pb.Network_NETWORK_TESTNET, pb.Network_NETWORK_DEVNET:
		return TestnetHostChainID
	default:
		return 0
	}
}

// HostChainIDBytes returns HostChainID as big-endian bytes without leading zeros: the chain_id of an ETH claim.
func HostChainIDBytes(network pb.Network) []byte {
	b := binary.BigEndian.AppendUint64(nil, HostChainID(network))
	for len(b) > 0 && b[0] == 0 {
		b = b[1:]
	}
	return b
}

// EthClaimDigest returns the EIP-712 hash of the claim that address belongs to owner (P9.10).
func EthClaimDigest(network pb.Network, owner, address ident.Address) ([32]byte, error) {
	name, err := networkName(network)
	if err != nil {
		return [32]byte{}, err
	}
	chainID := uint64Word(HostChainID(network))
	domain := structHash(domainType, textWord(domainName), textWord(domainVersion), chainID)
	claim := structHash(ethClaimType,
		addressWord(owner),
		addressWord(address),
		chainID,
		uint64Word(uint64(pb.VerificationType_VERIFICATION_TYPE_ETH_ADDRESS)),
		textWord(name),
	)
	return keccak256([]byte(eip712Prefix), domain[:], claim[:]), nil
}

// VerifyEthClaim verifies that the key of address signed the claim, in a direct form of P4.2.
func VerifyEthClaim(network pb.Network, owner, address ident.Address, signature []byte) error {
	digest, err := EthClaimDigest(network, owner, address)
	if err != nil {
		return err
	}
	sig, err := Parse(signature)
	if err != nil {
		return err
	}
	if _, wrapped := sig.Account(); wrapped {
		return errors.New("claim signature is in a keychain wrapper")
	}
	id, err := sig.Recover(digest)
	if err != nil {
		return err
	}
	if id != address {
		return fmt.Errorf("claim was signed by %s, not by %s", id, address)
	}
	return nil
}

// SolClaimText returns the text that a Solana key signs to claim that it belongs to owner (P9.10). It is empty for an
// unknown network.
func SolClaimText(network pb.Network, owner ident.Address) string {
	name, err := networkName(network)
	if err != nil {
		return ""
	}
	return solClaimPrefix + name + ":" + hex.EncodeToString(owner[:])
}

// VerifySolClaim verifies that address, an Ed25519 key, signed the claim.
func VerifySolClaim(network pb.Network, owner ident.Address, address ident.PublicKey, signature []byte) error {
	if _, err := networkName(network); err != nil {
		return err
	}
	text := SolClaimText(network, owner)
	if !verifyEd25519(address, []byte(text), signature) {
		return fmt.Errorf("claim signature does not verify with %s", address)
	}
	return nil
}

// networkName returns the name of a network in claims.
func networkName(network pb.Network) (string, error) {
	switch network {
	case pb.Network_NETWORK_MAINNET:
		return "mainnet", nil
	case pb.Network_NETWORK_TESTNET:
		return "testnet", nil
	case pb.Network_NETWORK_DEVNET:
		return "devnet", nil
	default:
		return "", fmt.Errorf("network %d has no name", network)
	}
}

// structHash is EIP-712's hashStruct for members of one word each.
func structHash(typeText string, members ...[32]byte) [32]byte {
	typeHash := keccak256([]byte(typeText))
	b := typeHash[:]
	for _, m := range members {
		b = append(b, m[:]...)
	}
	return keccak256(b)
}

func uint64Word(v uint64) (w [32]byte) {
	binary.BigEndian.PutUint64(w[24:], v)
	return w
}

func addressWord(a ident.Address) (w [32]byte) {
	copy(w[len(w)-len(a):], a[:])
	return w
}

func textWord(text string) [32]byte { return keccak256([]byte(text)) }

// verifyEd25519 follows ZIP-215, as every Ed25519 check of the protocol does (P2.4).
func verifyEd25519(key ident.PublicKey, message, signature []byte) bool {
	opts := ed25519.Options{Verify: ed25519.VerifyOptionsZIP_215}
	return len(signature) == ed25519.SignatureSize &&
		ed25519.VerifyWithOptions(key[:], message, signature, &opts)
}
