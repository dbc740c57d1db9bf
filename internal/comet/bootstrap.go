package comet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	dbm "github.com/cometbft/cometbft-db"
	cmtstate "github.com/cometbft/cometbft/proto/tendermint/state"
	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/store"
	"github.com/cometbft/cometbft/version"
)

// ErrSigned is returned by Bootstrap when the only validator has signed blocks after the checkpoint.
var ErrSigned = errors.New("the validator has signed later blocks")

// Bootstrap initializes the databases of a home, which Init has created and in which no engine has run, so that the engine
// continues after the checkpoint. It writes what CometBFT's state sync writes, and removes the consensus WAL of a chain that was
// in the home before: CometBFT would take its heights for those of the new chain, and not find after a crash what it had signed.
//
// A validator does not sign other blocks at heights that it has signed. If it is the only validator of its chain, the chain
// would halt, and Bootstrap returns ErrSigned. With signAgain it resets the sign state instead. That is for a chain that
// has lost those blocks: to a node that has them, the validator forks the chain.
func (c *Checkpoint) Bootstrap(home string, signAgain bool) (err error) {
	defer recovered(&err)
	if err := c.checkSignState(home, signAgain); err != nil {
		return err
	}
	if HasChain(home) {
		return fmt.Errorf("an engine has run in %s", home)
	}
	paths := homePaths(home)
	if err := os.RemoveAll(filepath.Dir(paths.Consensus.WalFile())); err != nil {
		return fmt.Errorf("remove the WAL: %w", err)
	}
	directory := paths.DBDir()
	blocks, err := openDatabase(directory, blockDatabase)
	if err != nil {
		return fmt.Errorf("create database %s: %w", blockDatabase, err)
	}
	states, err := openDatabase(directory, stateDatabase)
	if err != nil {
		return errors.Join(fmt.Errorf("create database %s: %w", stateDatabase, err), blocks.Close())
	}
	err = errors.Join(
		sm.NewStore(states, sm.StoreOptions{DiscardABCIResponses: true}).Bootstrap(c.state()),
		store.NewBlockStore(blocks).SaveSeenCommit(c.last.Height, c.last.Commit),
	)
	return errors.Join(err, blocks.Close(), states.Close())
}

// checkSignState returns ErrSigned, or resets the sign state, when the validator of a home is the only one and has signed
// blocks after the checkpoint.
func (c *Checkpoint) checkSignState(home string, signAgain bool) error {
	paths := homePaths(home)
	validator, err := loadValidator(paths)
	if err != nil {
		return err
	}
	isOnly := c.current.ValidatorSet.Size() == 1 && c.current.ValidatorSet.HasAddress(validator.Key.Address)
	signed := validator.LastSignState.Height
	switch {
	case !isOnly || signed <= c.last.Height:
		return nil
	case !signAgain:
		return fmt.Errorf("%w: up to block %d, the state is that of block %d", ErrSigned, signed, c.last.Height)
	}
	reset := validator.LastSignState
	reset.Height, reset.Round, reset.SignBytes, reset.Signature = c.last.Height, 0, nil, nil
	return writeSecret(paths.PrivValidatorStateFile(), &reset)
}

// state returns the engine's state after the block of the checkpoint.
func (c *Checkpoint) state() sm.State {
	sets := c.validatorSets()
	params := *c.document.ConsensusParams
	params.Version.App = c.current.Version.App // of the rules of that block, which may not be those of the genesis
	return sm.State{
		Version:       cmtstate.Version{Consensus: c.current.Version, Software: version.TMCoreSemVer},
		ChainID:       c.document.ChainID,
		InitialHeight: c.document.InitialHeight,

		LastBlockHeight: c.last.Height,
		LastBlockID:     c.last.Commit.BlockID,
		LastBlockTime:   c.last.Time,
		AppHash:         c.current.AppHash,
		LastResultsHash: c.current.LastResultsHash,

		LastValidators:              sets[0],
		Validators:                  sets[1],
		NextValidators:              sets[2],
		LastHeightValidatorsChanged: c.current.Height + 1,

		ConsensusParams:                  params,
		LastHeightConsensusParamsChanged: c.current.Height,
	}
}

// HasChain reports whether an engine has run in a home, or was bootstrapped there.
func HasChain(home string) bool {
	for _, name := range []string{blockDatabase, stateDatabase} {
		if _, err := os.Stat(filepath.Join(homePaths(home).DBDir(), name+databaseSuffix)); err == nil {
			return true
		}
	}
	return false
}

// RemoveChain removes the databases of a home. It keeps keys and genesis.
func RemoveChain(home string) error {
	var err error
	for _, name := range []string{blockDatabase, stateDatabase} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(homePaths(home).DBDir(), name+databaseSuffix)))
	}
	return err
}

// resumeBootstrapped marks a bootstrapped engine that has not decided a block yet. CometBFT deletes its mark at the first
// start, and would refuse to start again if it was stopped before its first block.
func resumeBootstrapped(blocks, states dbm.DB) error {
	blockStore := store.NewBlockStore(blocks)
	if blockStore.Height() > 0 {
		return nil
	}
	stateStore := sm.NewStore(states, sm.StoreOptions{DiscardABCIResponses: true})
	state, err := stateStore.Load()
	if err != nil {
		return fmt.Errorf("read the engine's state: %w", err)
	}
	if state.LastBlockHeight == 0 || blockStore.LoadSeenCommit(state.LastBlockHeight) == nil {
		return nil
	}
	return stateStore.SetOfflineStateSyncHeight(state.LastBlockHeight)
}

// ResumeHeight returns the height after which the engine of a home can continue, 0 for none: after a crash during state sync
// there is none. It returns ErrLocked while an engine runs in the home.
func ResumeHeight(home string) (height uint64, err error) {
	defer recovered(&err)
	blocks, states, closeBoth, err := openBoth(home)
	if errors.Is(err, ErrNoChain) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, closeBoth()) }()
	state, err := sm.NewStore(states, sm.StoreOptions{}).Load()
	if err != nil {
		return 0, fmt.Errorf("read the engine's state: %w", err)
	}
	blockStore := store.NewBlockStore(blocks)
	if blockStore.Height() == 0 && blockStore.LoadSeenCommit(state.LastBlockHeight) == nil {
		return 0, nil
	}
	return uint64(state.LastBlockHeight), nil
}

// LightBlocks returns light blocks of a home in which no engine runs, as Engine.LightBlock does, nil for those that do not
// exist. It returns ErrLocked while an engine runs in the home.
func LightBlocks(home string, numbers ...uint64) (lights [][]byte, err error) {
	defer recovered(&err)
	blocks, states, closeBoth, err := openBoth(home)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeBoth()) }()
	engine := &Engine{blocks: store.NewBlockStore(blocks), states: sm.NewStore(states, sm.StoreOptions{})}
	engine.priorities = newProposerPriorities(states, engine.states)
	for _, number := range numbers {
		light, err := engine.LightBlock(number)
		if err != nil {
			return nil, err
		}
		lights = append(lights, light)
	}
	return lights, nil
}

// openBoth opens the databases of a home in which no engine runs.
func openBoth(home string) (blocks, states dbm.DB, closeBoth func() error, err error) {
	if blocks, err = openExisting(home, blockDatabase); err != nil {
		return nil, nil, nil, err
	}
	if states, err = openExisting(home, stateDatabase); err != nil {
		return nil, nil, nil, errors.Join(err, blocks.Close())
	}
	return blocks, states, func() error { return errors.Join(states.Close(), blocks.Close()) }, nil
}
