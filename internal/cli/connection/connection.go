// Package connection connects commands to a node: the flags that name it, the validators that are trusted, and the
// completion of names that the node knows.
package connection

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/output"
	"makechain/internal/cli/usage"
	"makechain/internal/ident"
	"makechain/internal/identity"
	"makechain/message"
	"makechain/proof/finality"
)

const configDirFlag = "config-dir"

// ConfigDir is the directory of the user's wallets, accounts and known chains.
type ConfigDir struct {
	Given string // --config-dir; empty for the default
}

// Register adds --config-dir.
func (d *ConfigDir) Register(flags *pflag.FlagSet) {
	flags.StringVar(&d.Given, configDirFlag, "", "directory of wallets, accounts and known chains (default in the user configuration directory)")
}

// Path returns the directory, which may not exist yet.
func (d *ConfigDir) Path() (string, error) {
	if d.Given != "" {
		return d.Given, nil
	}
	base, err := os.UserConfigDir()
	if err != nil {
		return "", usage.Advise(fmt.Errorf("no configuration directory: %w", err), "--config-dir <directory>")
	}
	return filepath.Join(base, "makechain"), nil
}

// Store opens the user's wallets and accounts.
func (d *ConfigDir) Store() (*identity.Store, error) {
	dir, err := d.Path()
	if err != nil {
		return nil, err
	}
	return identity.Open(dir), nil
}

// Flags are the flags of a command that talks to a node.
type Flags struct {
	ConfigDir

	Node    string
	Genesis string
	// Options are further options of the client.
	Options []client.Option

	blocks blockMemory
}

// Register adds the flags to a command.
func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&f.Node, "node", client.DefaultTarget, "address of the node: host:port, or https://host")
	flags.StringVar(&f.Genesis, "genesis", "", "genesis file whose validators are trusted (default those of the first connection)")
	f.ConfigDir.Register(flags)
}

// Dial returns a client of the node. It connects when it is first used.
func (f *Flags) Dial(command *cobra.Command) (*client.Client, error) {
	f.blocks.dir = &f.ConfigDir
	options := append([]client.Option{client.WithTrustSource(func(ctx context.Context, c *client.Client) (Trust, error) {
		return f.trust(ctx, command.ErrOrStderr(), c)
	}), client.WithTrustUpdates(f.keepTrust), client.WithBlockMemory(&f.blocks)}, f.Options...)
	c, err := client.New(f.Node, options...)
	if err != nil {
		return nil, usage.Errorf(command, "--node: %w", err)
	}
	return c, nil
}

// Trust is a chain and its validators.
type Trust = finality.Trust

const (
	// chainsFile stores the chains of earlier connections, by the address of the node.
	chainsFile = "chains.json"

	privateDir = 0o700
)

// Chain is a chain and its validators in JSON, as in chains.json and for --validators.
type Chain struct {
	ChainID        string `json:"chain_id"`
	ValidatorsHash string `json:"validators_hash"`
	BlockNumber    uint64 `json:"block_number,string,omitempty"` // the block that the validators sign
}

func newChain(of Trust) Chain {
	return Chain{ChainID: of.ChainID, ValidatorsHash: hex.EncodeToString(of.ValidatorsHash), BlockNumber: of.Number}
}

// Trust returns the chain in the form that proofs are verified against.
func (k Chain) Trust() (Trust, error) {
	hash, err := hex.DecodeString(k.ValidatorsHash)
	if err == nil && (k.ChainID == "" || len(hash) == 0) {
		err = errors.New("chain_id or validators_hash is missing")
	}
	return Trust{ChainID: k.ChainID, ValidatorsHash: hash, Number: k.BlockNumber}, err
}

// trust returns the validators whose signatures are accepted: those of the genesis file when there is one, else of the
// chain that the node served at the first connection (trust on first use). A development chain on this machine is
// trusted without being stored, because such chains are often replaced.
func (f *Flags) trust(ctx context.Context, notes io.Writer, c *client.Client) (Trust, error) {
	if f.Genesis != "" {
		return TrustGenesis(f.Genesis)
	}
	status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return Trust{}, err
	}
	if status.GetNetwork() == pb.Network_NETWORK_DEVNET && isLoopback(c.Target()) {
		f.blocks.disabled = true
		return c.TrustOnFirstUse(ctx)
	}
	dir, err := f.Path()
	if err != nil {
		return Trust{}, err
	}
	return pinned(ctx, notes, c, filepath.Join(dir, chainsFile), status.GetChainId())
}

// TrustGenesis returns the validators of the genesis file that --genesis names.
func TrustGenesis(path string) (Trust, error) {
	document, err := os.ReadFile(path)
	if err != nil {
		return Trust{}, fmt.Errorf("--genesis: %w", err)
	}
	return finality.TrustGenesis(document)
}

// isLoopback reports whether an address is on this machine.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// pinned returns the chain that is stored for a node's address. At the first connection it stores the chain.
func pinned(ctx context.Context, notes io.Writer, c *client.Client, path, chainID string) (Trust, error) {
	chains, err := readChains(path)
	if err != nil {
		return Trust{}, err
	}
	if entry, stored := chains[c.Target()]; stored {
		if entry.ChainID != chainID {
			err := fmt.Errorf("the node at %s serves chain %s, but served %s before", c.Target(), chainID, entry.ChainID)
			return Trust{}, usage.Advise(err,
				"--genesis with the genesis file of the chain; or remove %s from %s if the chain has been replaced", c.Target(), path)
		}
		trust, err := entry.Trust()
		if err != nil {
			return Trust{}, fmt.Errorf("%s: validators of %s: %w", path, c.Target(), err)
		}
		return trust, nil
	}
	trust, err := c.TrustOnFirstUse(ctx)
	if err != nil {
		return Trust{}, err
	}
	chains[c.Target()] = newChain(trust)
	if err := writeChains(path, chains); err != nil {
		return Trust{}, err
	}
	_, err = fmt.Fprintf(notes, "note: first connection to chain %s at %s; its validators are stored in %s\n", trust.ChainID, c.Target(), path)
	return trust, err
}

// keepTrust replaces the stored validators of a node's chain after they have changed.
func (f *Flags) keepTrust(c *client.Client, newest Trust) error {
	dir, err := f.Path()
	if err != nil || f.Genesis != "" {
		return err
	}
	path := filepath.Join(dir, chainsFile)
	chains, err := readChains(path)
	if err != nil || chains[c.Target()].ChainID != newest.ChainID {
		return err
	}
	chains[c.Target()] = newChain(newest)
	return writeChains(path, chains)
}

// KnownChain returns the validators that chains.json has for a chain, and the path of that file.
func (d *ConfigDir) KnownChain(chainID string) (trust Trust, path string, err error) {
	dir, err := d.Path()
	if err != nil {
		return Trust{}, "", err
	}
	path = filepath.Join(dir, chainsFile)
	chains, err := readChains(path)
	if err != nil {
		return Trust{}, "", err
	}
	found := map[Chain]bool{}
	for _, chain := range chains {
		if chain.ChainID == chainID {
			trust, err = chain.Trust()
			chain.BlockNumber = 0 // the same validators may have been stored at different blocks
			found[chain] = true
		}
	}
	switch len(found) {
	case 1:
		return trust, path, err
	case 0:
		err = fmt.Errorf("the validators of chain %q are not known on this machine", chainID)
	default:
		err = fmt.Errorf("%s has %d sets of validators of chain %q", path, len(found), chainID)
	}
	return Trust{}, "", usage.Advise(err, "--genesis with the genesis file of the chain (a node has it in config/genesis.json), or --validators")
}

func readChains(path string) (map[string]Chain, error) {
	chains := map[string]Chain{}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return chains, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &chains); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return chains, nil
}

func writeChains(path string, chains map[string]Chain) error {
	content, err := json.MarshalIndent(chains, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), privateDir); err != nil {
		return err
	}
	return output.ReplaceFile(path, append(content, '\n'))
}

// ParseTrustedBlock parses --trust: a block and its hash, as number:hash.
func ParseTrustedBlock(text string) (number uint64, hash message.Hash, err error) {
	digits, encoded, found := strings.Cut(text, ":")
	if !found {
		return 0, hash, fmt.Errorf("%q is not a block and its hash, as number:hash", text)
	}
	number, err = strconv.ParseUint(digits, 10, 63)
	if err != nil || number == 0 {
		return 0, hash, fmt.Errorf("%q is not the number of a block", digits)
	}
	decoded, err := hex.DecodeString(strings.TrimPrefix(encoded, "0x"))
	hash, ok := ident.HashFrom(decoded)
	if err != nil || !ok {
		return 0, hash, fmt.Errorf("%q is not a hash of %d bytes in hex", encoded, ident.HashSize)
	}
	return number, hash, nil
}
