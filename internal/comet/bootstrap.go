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

// ErrSigned says that a validator has signed blocks that the chain in its home would make once more.
var ErrSigned = errors.New("the validator has signed later blocks")

// Plant makes an engine that has run nowhere go on after the block of a seed, in a home that Init has made for the
// chain. What it writes is what CometBFT's state sync does.
//
// A validator that signed later blocks never signs other ones in their place. When it is the only one of its chain, the
// chain would stand still, and Plant answers ErrSigned; signAgain forgets what was signed. This is for a chain that has
// lost those blocks: whoever has them sees two chains.
func (s *Checkpoint) Bootstrap(home string, signAgain bool) (err error) {
	defer recovered(&err)
	if err := s.checkLastSigned(home, signAgain); err != nil {
		return err
	}
	if HasChain(home) {
		return fmt.Errorf("an engine has run in %s", home)
	}
	directory := homePaths(home).DBDir()
	blocks, err := dbm.NewDB(blockDatabase, database, directory)
	if err != nil {
		return fmt.Errorf("begin database %s: %w", blockDatabase, err)
	}
	states, err := dbm.NewDB(stateDatabase, database, directory)
	if err != nil {
		return errors.Join(fmt.Errorf("begin database %s: %w", stateDatabase, err), blocks.Close())
	}
	err = errors.Join(
		sm.NewStore(states, sm.StoreOptions{DiscardABCIResponses: true}).Bootstrap(s.state()),
		store.NewBlockStore(blocks).SaveSeenCommit(s.last.Height, s.last.Commit),
	)
	return errors.Join(err, blocks.Close(), states.Close())
}

// HasChain says whether an engine has run in a home, or was planted there.
func HasChain(home string) bool {
	for _, name := range []string{blockDatabase, stateDatabase} {
		if _, err := os.Stat(filepath.Join(homePaths(home).DBDir(), name+databaseSuffix)); err == nil {
			return true
		}
	}
	return false
}

// Uproot undoes Plant.
func RemoveChain(home string) error {
	var err error
	for _, name := range []string{blockDatabase, stateDatabase} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(homePaths(home).DBDir(), name+databaseSuffix)))
	}
	return err
}

// state is what the engine would remember, had it executed all blocks.
func (s *Checkpoint) state() sm.State {
	turns := s.validatorSets()
	return sm.State{
		Version:       cmtstate.Version{Consensus: s.current.Version, Software: version.TMCoreSemVer},
		ChainID:       s.document.ChainID,
		InitialHeight: s.document.InitialHeight,

		LastBlockHeight: s.last.Height,
		LastBlockID:     s.last.Commit.BlockID,
		LastBlockTime:   s.last.Time,
		AppHash:         s.current.AppHash,
		LastResultsHash: s.current.LastResultsHash,

		LastValidators:              turns[0],
		Validators:                  turns[1],
		NextValidators:              turns[2],
		LastHeightValidatorsChanged: s.current.Height + 1,

		ConsensusParams:                  *s.document.ConsensusParams,
		LastHeightConsensusParamsChanged: s.current.Height,
	}
}

// checkSigned makes sure that the validator of a home can go on with the chain.
func (s *Checkpoint) checkLastSigned(home string, signAgain bool) error {
	paths := homePaths(home)
	validator, err := loadValidator(paths)
	if err != nil {
		return err
	}
	alone := s.current.ValidatorSet.Size() == 1 && s.current.ValidatorSet.HasAddress(validator.Key.Address)
	signed := validator.LastSignState.Height
	switch {
	case !alone || signed <= s.last.Height:
		return nil
	case !signAgain:
		return fmt.Errorf("%w: up to block %d, the state is that of block %d", ErrSigned, signed, s.last.Height)
	}
	forgotten := validator.LastSignState
	forgotten.Height, forgotten.Round, forgotten.SignBytes, forgotten.Signature = s.last.Height, 0, nil, nil
	return writeSecret(paths.PrivValidatorStateFile(), &forgotten)
}

// resumePlanted tells an engine without blocks of its own where to go on. The engine keeps a note of it for one start
// only, and would not start once more when it was stopped before its first block.
func resumeBootstrapped(blocks, states dbm.DB) error {
	kept := store.NewBlockStore(blocks)
	if kept.Height() > 0 {
		return nil
	}
	remembered := sm.NewStore(states, sm.StoreOptions{DiscardABCIResponses: true})
	state, err := remembered.Load()
	if err != nil {
		return fmt.Errorf("read the engine's state: %w", err)
	}
	if state.LastBlockHeight == 0 || kept.LoadSeenCommit(state.LastBlockHeight) == nil {
		return nil
	}
	return remembered.SetOfflineStateSyncHeight(state.LastBlockHeight)
}

// Decided is the last block after which the engine of a home can go on, 0 for none. It has none when it died while it
// took over the state of others. No engine may run there.
func ResumeHeight(home string) (height uint64, err error) {
	defer recovered(&err)
	blocks, err := openExisting(home, blockDatabase)
	if errors.Is(err, ErrNoChain) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, blocks.Close()) }()
	states, err := openExisting(home, stateDatabase)
	if errors.Is(err, ErrNoChain) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, states.Close()) }()
	state, err := sm.NewStore(states, sm.StoreOptions{}).Load()
	if err != nil {
		return 0, fmt.Errorf("read the engine's state: %w", err)
	}
	kept := store.NewBlockStore(blocks)
	if kept.Height() == 0 && kept.LoadSeenCommit(state.LastBlockHeight) == nil {
		return 0, nil
	}
	return uint64(state.LastBlockHeight), nil
}

// LightBlocks are those of a home in which no engine runs, as Engine.LightBlock gives them. One that is not there is
// nil.
func LightBlocks(home string, numbers ...uint64) (lights [][]byte, err error) {
	defer recovered(&err)
	blocks, err := openExisting(home, blockDatabase)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, blocks.Close()) }()
	states, err := openExisting(home, stateDatabase)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, states.Close()) }()
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
