// Package settlement attests storage claims. On DEVNET it also runs a faucet that grants storage for free.
//
// An attester is an Ed25519 key listed in genesis. Validators accept the claims that attesters sign (P8.2), so the private
// key is kept in its own file, which only its owner can read, and is never printed.
package settlement

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// FaucetSettlement returns the settlement of a development chain on which each of the attesters grants storage for free.
func FaucetSettlement(attesters ...ident.PublicKey) ledger.Settlement {
	s := ledger.Settlement{ChainID: custody.HostChainID(pb.Network_NETWORK_DEVNET), Threshold: 1}
	for _, key := range attesters {
		s.Attesters = append(s.Attesters, ledger.Attester{Key: key})
	}
	return s
}

// KeyFile is the path of the attester's private key in the home of a node.
const KeyFile = "config/attester_key.hex"

// Attester signs storage claims.
type Attester struct {
	seed message.Seed
}

// LoadAttester reads the private key of an attester from a file, or generates one from random and writes it there.
func LoadAttester(path string, random io.Reader) (*Attester, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createAttester(path, random)
	}
	if err != nil {
		return nil, fmt.Errorf("read attester key: %w", err)
	}
	a := new(Attester)
	if n, err := hex.Decode(a.seed[:], []byte(strings.TrimSpace(string(text)))); err != nil || n != len(a.seed) {
		return nil, fmt.Errorf("attester key %s: not %d hex-encoded bytes", path, len(a.seed))
	}
	return a, nil
}

func createAttester(path string, random io.Reader) (*Attester, error) {
	a := new(Attester)
	if _, err := io.ReadFull(random, a.seed[:]); err != nil {
		return nil, fmt.Errorf("generate attester key: %w", err)
	}
	// The complete file is linked to its name and never replaces another one, so that neither a crash nor two nodes
	// that start in the same home leave a key that is not in genesis.
	file, err := os.CreateTemp(filepath.Dir(path), "attester_key.*") // with mode 0600
	if err != nil {
		return nil, fmt.Errorf("write attester key: %w", err)
	}
	_, err = fmt.Fprintln(file, hex.EncodeToString(a.seed[:]))
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Link(file.Name(), path)
	}
	if err = errors.Join(err, os.Remove(file.Name())); err != nil {
		return nil, fmt.Errorf("write attester key: %w", err)
	}
	return a, nil
}

// Key returns the public key of the attester, as listed in genesis.
func (a *Attester) Key() ident.PublicKey {
	return message.NewAuthor(a.seed, 0, ident.Address{}).Key()
}

// Sign returns the attester's signature over a digest.
func (a *Attester) Sign(_ context.Context, digest ident.Hash) ([]byte, error) {
	return ed25519.Sign(ed25519.NewKeyFromSeed(a.seed[:]), digest[:]), nil
}
