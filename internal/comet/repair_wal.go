package comet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	cmtcfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/consensus"
	cmtcons "github.com/cometbft/cometbft/proto/tendermint/consensus"
)

// endLog makes sure that the engine's log of votes says where the next height begins.
//
// The engine writes that line after it has stored a block. When it dies in between, it goes on from the stored
// block, but logs the next height to a log in which it will not find it again. Dying once more, it would neither
// know what it had signed nor may it sign anything else, and a chain of one validator would stand still for ever.
// So the line is put where it belongs: before what the log has about the next height, which heals a chain that
// stands still already.
func repairWAL(paths *cmtcfg.Config, height int64) error {
	if height == 0 {
		return nil
	}
	path := paths.Consensus.WalFile()
	var ended bool
	var next []consensus.WALMessage
	err := withWAL(path, func(log *consensus.BaseWAL) (err error) {
		var reader io.Closer
		reader, ended, err = log.SearchForEndHeight(height, &consensus.WALSearchOptions{IgnoreDataCorruptionErrors: true})
		if err != nil {
			return err
		}
		if ended {
			return reader.Close()
		}
		next, err = walMessages(log, height+1)
		return err
	})
	if ended || err != nil {
		return err
	}
	return rewriteWAL(path, height, next)
}

// rewriteLog makes a log of the end of a height and of what follows it.
func rewriteWAL(path string, height int64, next []consensus.WALMessage) error {
	// Elsewhere first: an engine that dies meanwhile finds the old log or the new one.
	dir := filepath.Dir(path) + ".new"
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("begin the log of votes anew: %w", err)
	}
	fresh := filepath.Join(dir, filepath.Base(path))
	err := withWAL(fresh, func(log *consensus.BaseWAL) error {
		err := log.Write(consensus.EndHeightMessage{Height: height})
		for _, m := range next {
			err = errors.Join(err, log.Write(m))
		}
		return errors.Join(err, log.FlushAndSync())
	})
	if err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
		return fmt.Errorf("replace the log of votes: %w", err)
	}
	return os.Remove(dir)
}

// logged lists what a log has about a height.
func walMessages(log *consensus.BaseWAL, height int64) (found []consensus.WALMessage, err error) {
	reader, err := log.Group().NewReader(log.Group().MinIndex())
	if err != nil {
		return nil, err
	}
	defer func() { _ = reader.Close() }() // it was only read
	for decoder := consensus.NewWALDecoder(reader); ; {
		m, err := decoder.Decode()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if consensus.IsDataCorruptionError(err) {
			continue // as the engine does with heights before the last
		}
		if err != nil {
			return nil, err
		}
		encoded, err := consensus.WALToProto(m.Msg)
		if err != nil {
			return nil, err
		}
		if walHeight(encoded) == height {
			found = append(found, m.Msg)
		}
	}
}

// heightOf is what a line of the log is about. The engine's own types for them are not exported.
func walHeight(m *cmtcons.WALMessage) int64 {
	info := m.GetMsgInfo()
	switch {
	case m.GetTimeoutInfo() != nil:
		return m.GetTimeoutInfo().Height
	case m.GetEventDataRoundState() != nil:
		return m.GetEventDataRoundState().Height
	case info == nil:
		return 0
	case info.Msg.GetProposal() != nil:
		return info.Msg.GetProposal().Proposal.Height
	case info.Msg.GetBlockPart() != nil:
		return info.Msg.GetBlockPart().Height
	case info.Msg.GetVote() != nil:
		return info.Msg.GetVote().Vote.Height
	default:
		return 0
	}
}

// useLog opens the log for one thing.
func withWAL(path string, use func(*consensus.BaseWAL) error) error {
	log, err := consensus.NewWAL(path)
	if err == nil {
		err = log.Start()
	}
	if err != nil {
		return fmt.Errorf("open the log of votes: %w", err)
	}
	err = use(log)
	if err = errors.Join(err, log.Stop()); err != nil {
		return fmt.Errorf("use the log of votes: %w", err)
	}
	log.Wait()
	return nil
}
