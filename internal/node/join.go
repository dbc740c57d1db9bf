package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"makechain/internal/comet"
)

// genesisFile is where a home keeps the genesis of its chain.
const genesisFile = "config/genesis.json"

// join makes a home ready for the chain of a genesis file, or of the one that somebody has put into the home, with keys
// of its own. Without either there is no chain to join.
func join(home, file string) error {
	path := file
	if path == "" {
		path = filepath.Join(home, genesisFile)
	}
	document, err := os.ReadFile(path)
	if file == "" && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read genesis: %w", err)
	}
	if err := comet.Join(home, document); err != nil {
		return fmt.Errorf("join the chain of %s: %w", path, err)
	}
	return nil
}
