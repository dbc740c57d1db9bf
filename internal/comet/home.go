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
	// publicMode is for files without secrets.
	publicMode = 0o644

	// singleValidatorPower is the voting power of the only validator of a new chain. Its value does not matter.
	singleValidatorPower = 10
)

// Init initializes a home for the engine: keys, the validator's sign state and the genesis file. It keeps existing files, and
// returns an error when the home has a different genesis.
//
// The genesis may omit Time, Consensus and Validators. In a new home they default to the current time, the default limits and
// the home's own validator; in an existing home to those of its genesis.
func Init(home string, given genesis.Genesis) error {
	paths := homePaths(home)
	stored, err := loadGenesis(paths)
	switch {
	case err == nil:
		if field := complete(given, stored).Difference(stored); field != "" {
			return fmt.Errorf("home %s has a different genesis: %s differs", home, field)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := makeDirectories(paths); err != nil {
		return err
	}
	key, err := ensureKeys(paths)
	if err != nil || stored != nil {
		return err
	}
	// The genesis is written last: a home that has one is complete.
	return saveGenesis(paths, complete(given, &genesis.Genesis{
		Time:       time.Now().UTC().Truncate(time.Second),
		Consensus:  genesis.DefaultConsensus(),
		Validators: []genesis.Validator{{PublicKey: key, Power: singleValidatorPower}},
	}))
}

// Join initializes a home for the chain of a genesis file, with keys of its own. It keeps existing files. It returns an error
// for the home of another chain, and for one that has blocks but no keys.
func Join(home string, document []byte) error {
	_, parsed, err := parseDocument(document)
	if err != nil {
		return fmt.Errorf("genesis: %w", err)
	}
	if err := checkKeysExist(homePaths(home)); err != nil {
		return err
	}
	return Init(home, *parsed)
}

// makeDirectories creates the directories of a home.
func makeDirectories(paths *cmtcfg.Config) error {
	for _, directory := range []string{paths.RootDir, filepath.Dir(paths.GenesisFile()), paths.DBDir()} {
		if err := os.MkdirAll(directory, directoryMode); err != nil {
			return fmt.Errorf("create home: %w", err)
		}
	}
	return nil
}

// Genesis returns the genesis of a home. The error is fs.ErrNotExist when there is none.
func Genesis(home string) (*genesis.Genesis, error) { return loadGenesis(homePaths(home)) }

// GenesisDocument returns the genesis file of a home. The error is fs.ErrNotExist when there is none.
func GenesisDocument(home string) ([]byte, error) {
	document, err := os.ReadFile(homePaths(home).GenesisFile())
	if err != nil {
		return nil, fmt.Errorf("read genesis: %w", err)
	}
	return document, nil
}

// ParseGenesis decodes a genesis file.
func ParseGenesis(document []byte) (*genesis.Genesis, error) {
	_, parsed, err := parseDocument(document)
	return parsed, err
}

// EncodeGenesis validates a genesis and returns its file, as Init writes it.
func EncodeGenesis(g *genesis.Genesis) ([]byte, error) { return encodeDocument(g) }

// complete fills the omitted fields of a genesis.
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

// homePaths returns a configuration that has the paths of a home.
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
