package main

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

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/proof/finality"
)

// trust is a chain and its validators.
type trust = finality.Trust

const (
	// chainsFile keeps the chains that were met, by the address of the node that was asked.
	chainsFile = "chains.json"

	privateFile = 0o600
	privateDir  = 0o700
)

// knownChain is an entry of the file.
type knownChain struct {
	ChainID        string `json:"chain_id"`
	ValidatorsHash string `json:"validators_hash"`
	BlockNumber    uint64 `json:"block_number,string,omitempty"` // that the validators sign
}

func newKnownChain(of trust) knownChain {
	return knownChain{ChainID: of.ChainID, ValidatorsHash: hex.EncodeToString(of.ValidatorsHash), BlockNumber: of.Number}
}

// trust says whose signatures to believe: those of the genesis file when there is one, else of the chain that the
// node served when it was first asked. A development chain on this machine is believed as it is, because such chains
// are thrown away and begun anew.
func (r *remote) trust(ctx context.Context, notes io.Writer, c *client.Client) (trust, error) {
	if r.genesis != "" {
		document, err := os.ReadFile(r.genesis)
		if err != nil {
			return trust{}, fmt.Errorf("--genesis: %w", err)
		}
		return finality.TrustGenesis(document)
	}
	status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return trust{}, err
	}
	if status.GetNetwork() == pb.Network_NETWORK_DEVNET && isLoopback(c.Target()) {
		return c.TrustOnFirstUse(ctx)
	}
	dir, err := r.dir()
	if err != nil {
		return trust{}, err
	}
	return pinned(ctx, notes, c, filepath.Join(dir, chainsFile), status.GetChainId())
}

// isLoopback says whether an address is of this machine.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// pinned gives the chain that was met at a node's address before, or meets it.
func pinned(ctx context.Context, notes io.Writer, c *client.Client, path, chainID string) (trust, error) {
	known, err := readChains(path)
	if err != nil {
		return trust{}, err
	}
	if entry, met := known[c.Target()]; met {
		if entry.ChainID != chainID {
			err := fmt.Errorf("the node at %s serves chain %s, and served %s before", c.Target(), chainID, entry.ChainID)
			return trust{}, advise(err, "--genesis of the chain you want, or take %s out of %s if this is right", c.Target(), path)
		}
		known, err := entry.trust()
		if err != nil {
			return trust{}, fmt.Errorf("%s: validators of %s: %w", path, c.Target(), err)
		}
		return known, nil
	}
	met, err := c.TrustOnFirstUse(ctx)
	if err != nil {
		return trust{}, err
	}
	known[c.Target()] = newKnownChain(met)
	if err := writeChains(path, known); err != nil {
		return trust{}, err
	}
	_, err = fmt.Fprintf(notes, "note: first contact with chain %s at %s; its validators are kept in %s\n", met.ChainID, c.Target(), path)
	return met, err
}

// keepTrust replaces the validators of a chain that was met at a node's address, when they have changed.
func (r *remote) keepTrust(c *client.Client, newest trust) error {
	dir, err := r.dir()
	if err != nil || r.genesis != "" {
		return err
	}
	path := filepath.Join(dir, chainsFile)
	known, err := readChains(path)
	if err != nil || known[c.Target()].ChainID != newest.ChainID {
		return err
	}
	known[c.Target()] = newKnownChain(newest)
	return writeChains(path, known)
}

func readChains(path string) (map[string]knownChain, error) {
	known := map[string]knownChain{}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &known); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return known, nil
}

// writeChains replaces the file as a whole, so that it is never half written.
func writeChains(path string, known map[string]knownChain) error {
	content, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), privateDir); err != nil {
		return err
	}
	draft := path + ".new"
	if err := os.WriteFile(draft, append(content, '\n'), privateFile); err != nil {
		return err
	}
	return os.Rename(draft, path)
}
