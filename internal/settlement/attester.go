// Package settlement vouches for storage that was paid for, and on DEVNET gives it away.
//
// An attester is an Ed25519 key that genesis names. What it signs, every validator believes (P8.2), so its secret
// is kept in a file of its own that only its owner can read, and is never printed.
package settlement

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"makechain/internal/ident"
	"makechain/message"
)

// KeyFile is where the secret of an attester lies in the home of its node.
const KeyFile = "config/attester_key.hex"

// Attester vouches for settlements.
type Attester struct {
	seed message.Seed
}

// LoadAttester reads the secret of an attester from a file, or makes one there from random.
func LoadAttester(path string, random io.Reader) (*Attester, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeAttester(path, random)
	}
	if err != nil {
		return nil, fmt.Errorf("read the attester's key: %w", err)
	}
	a := new(Attester)
	if n, err := hex.Decode(a.seed[:], []byte(strings.TrimSpace(string(text)))); err != nil || n != len(a.seed) {
		return nil, fmt.Errorf("the attester's key in %s is not %d bytes in hex", path, len(a.seed))
	}
	return a, nil
}

func makeAttester(path string, random io.Reader) (*Attester, error) {
	a := new(Attester)
	if _, err := io.ReadFull(random, a.seed[:]); err != nil {
		return nil, fmt.Errorf("make an attester's key: %w", err)
	}
	// The key is whole before it has its name, and never replaces another: neither a crash nor two nodes that
	// start in one home leave a key that genesis does not know.
	file, err := os.CreateTemp(filepath.Dir(path), "attester_key.*") // with mode 0600
	if err != nil {
		return nil, fmt.Errorf("write the attester's key: %w", err)
	}
	_, err = fmt.Fprintln(file, hex.EncodeToString(a.seed[:]))
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Link(file.Name(), path)
	}
	if err = errors.Join(err, os.Remove(file.Name())); err != nil {
		return nil, fmt.Errorf("write the attester's key: %w", err)
	}
	return a, nil
}

// Key is what genesis names the attester by.
func (a *Attester) Key() ident.PublicKey {
	return message.NewAuthor(a.seed, 0, ident.Address{}).Key()
}
