package comet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	cmtcfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/consensus"
)

// endLog makes sure that the engine's log of votes says where the next height begins.
//
// The engine writes that line after it has stored a block. When it dies in between, it goes on from the stored
// block, but logs the next height to a log in which it will not find it again. Dying once more, it would neither
// know what it had signed nor may it sign anything else, and a chain of one validator would stand still for ever.
// What the log has without that line is about heights that are done, so it begins anew.
func endLog(paths *cmtcfg.Config, height int64) error {
	if height == 0 {
		return nil
	}
	path := paths.Consensus.WalFile()
	ended, err := useLog(path, func(log consensus.WAL) (bool, error) {
		reader, found, err := log.SearchForEndHeight(height, &consensus.WALSearchOptions{IgnoreDataCorruptionErrors: true})
		if found {
			err = errors.Join(err, reader.Close())
		}
		return found, err
	})
	if ended || err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		return fmt.Errorf("begin the log of votes anew: %w", err)
	}
	_, err = useLog(path, func(log consensus.WAL) (bool, error) {
		return true, log.WriteSync(consensus.EndHeightMessage{Height: height})
	})
	return err
}

// useLog opens the log for one thing.
func useLog(path string, use func(consensus.WAL) (bool, error)) (result bool, err error) {
	log, err := consensus.NewWAL(path)
	if err == nil {
		err = log.Start()
	}
	if err != nil {
		return false, fmt.Errorf("open the log of votes: %w", err)
	}
	result, err = use(log)
	if err = errors.Join(err, log.Stop()); err != nil {
		return false, fmt.Errorf("read the log of votes: %w", err)
	}
	log.Wait()
	return result, nil
}
