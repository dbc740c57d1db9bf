package comet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	cmtcfg "github.com/cometbft/cometbft/config"

	"makechain/internal/ident"
)

// Identity is what others know a home by.
type Identity struct {
	NodeID    string          // how peers know it: nodeid@host:port
	Validator ident.PublicKey // what genesis names it by, if it validates
}

// MakeKeys makes the keys of a home before there is a genesis, which may have to name them. What exists is kept.
func EnsureKeys(home string) (Identity, error) {
	paths := homePaths(home)
	for _, directory := range []string{home, filepath.Dir(paths.GenesisFile()), paths.DBDir()} {
		if err := os.MkdirAll(directory, directoryMode); err != nil {
			return Identity{}, fmt.Errorf("make home: %w", err)
		}
	}
	validator, err := makeKeys(paths)
	if err != nil {
		return Identity{}, err
	}
	node, err := loadNodeKey(paths)
	if err != nil {
		return Identity{}, err
	}
	return Identity{NodeID: string(node.ID()), Validator: validator}, nil
}

// Join makes a home for the chain of a genesis file, with keys of its own. What exists is kept, and a home of another
// chain is refused. So is one that has blocks and no keys: with new ones a validator would no longer be one.
func Join(home string, document []byte) error {
	_, parsed, err := parseDocument(document)
	if err != nil {
		return fmt.Errorf("genesis: %w", err)
	}
	if err := checkKeysThere(homePaths(home)); err != nil {
		return err
	}
	return Init(home, *parsed)
}

func checkKeysThere(paths *cmtcfg.Config) error {
	if _, err := os.Stat(filepath.Join(paths.DBDir(), blockDatabase+databaseSuffix)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, file := range []string{paths.PrivValidatorKeyFile(), paths.NodeKeyFile()} {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("the home has blocks, and no key: %w", err)
		}
	}
	return nil
}
