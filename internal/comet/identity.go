package comet

import (
	"fmt"
	"os"
	"path/filepath"

	"makechain/internal/ident"
)

// Identity is what others know a home by.
type Identity struct {
	NodeID    string          // how peers know it: nodeid@host:port
	Validator ident.PublicKey // what genesis names it by, if it validates
}

// MakeKeys makes the keys of a home before there is a genesis, which may have to name them. What exists is kept.
func MakeKeys(home string) (Identity, error) {
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
