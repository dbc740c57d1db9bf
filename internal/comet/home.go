package comet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	cmtcfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/libs/tempfile"
	"github.com/cometbft/cometbft/types"

	"makechain/internal/genesis"
)

const (
	directoryMode = 0o700
	secretMode    = 0o600
	// publicMode is for what may be shown to anybody, were the directory not closed.
	publicMode = 0o644

	// soleValidatorPower is the voting power of the validator of a chain of its own. Any number would do.
	soleValidatorPower = 10
)

// Init makes a home for the engine: keys, the validator's signing record and the genesis file. What exists is
// kept, and a home whose genesis says something else than the given one is refused.
//
// The given genesis may leave out Time, Consensus and Validators. In a new home it then begins now, with
// default limits, and with the home's own validator as the only one; in an existing home they are as they are.
func Init(home string, given genesis.Genesis) error {
	paths := homePaths(home)
	stored, err := loadGenesis(paths)
	switch {
	case err == nil:
		if field := complete(given, stored).Difference(stored); field != "" {
			return fmt.Errorf("home %s has another genesis: its %s differs", home, field)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	for _, directory := range []string{home, filepath.Dir(paths.GenesisFile()), paths.DBDir()} {
		if err := os.MkdirAll(directory, directoryMode); err != nil {
			return fmt.Errorf("make home: %w", err)
		}
	}
	key, err := makeKeys(paths)
	if err != nil || stored != nil {
		return err
	}
	// The genesis comes last: a home that has it is complete.
	return saveGenesis(paths, complete(given, &genesis.Genesis{
		Time:       time.Now().UTC().Truncate(time.Second),
		Consensus:  genesis.DefaultConsensus(),
		Validators: []genesis.Validator{{PublicKey: key, Power: soleValidatorPower}},
	}))
}

// Genesis reads the genesis of a home. The error is fs.ErrNotExist when there is none.
func Genesis(home string) (*genesis.Genesis, error) { return loadGenesis(homePaths(home)) }

// GenesisDocument is the genesis file of a home as it is. The error is fs.ErrNotExist when there is none.
func GenesisDocument(home string) ([]byte, error) {
	document, err := os.ReadFile(homePaths(home).GenesisFile())
	if err != nil {
		return nil, fmt.Errorf("read genesis: %w", err)
	}
	return document, nil
}

// ParseGenesis reads a genesis file.
func ParseGenesis(document []byte) (*genesis.Genesis, error) {
	_, parsed, err := parseDocument(document)
	return parsed, err
}

// complete fills what a genesis leaves out.
func complete(given genesis.Genesis, from *genesis.Genesis) *genesis.Genesis {
	if given.Time.IsZero() {
		given.Time = from.Time
	}
	if given.Consensus == (genesis.Consensus{}) {
		given.Consensus = from.Consensus
	}
	if len(given.Validators) == 0 {
		given.Validators = from.Validators
	}
	return &given
}

// homePaths knows where the engine keeps its files.
func homePaths(home string) *cmtcfg.Config { return cmtcfg.DefaultConfig().SetRoot(home) }

func loadGenesis(paths *cmtcfg.Config) (*genesis.Genesis, error) {
	_, parsed, err := readDocument(paths)
	return parsed, err
}

func readDocument(paths *cmtcfg.Config) (*types.GenesisDoc, *genesis.Genesis, error) {
	encoded, err := os.ReadFile(paths.GenesisFile())
	if err != nil {
		return nil, nil, fmt.Errorf("read genesis: %w", err)
	}
	document, parsed, err := parseDocument(encoded)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", paths.GenesisFile(), err)
	}
	return document, parsed, nil
}

func saveGenesis(paths *cmtcfg.Config, g *genesis.Genesis) error {
	encoded, err := encodeDocument(g)
	if err != nil {
		return err
	}
	if err := tempfile.WriteFileAtomic(paths.GenesisFile(), encoded, publicMode); err != nil {
		return fmt.Errorf("write genesis: %w", err)
	}
	return nil
}
