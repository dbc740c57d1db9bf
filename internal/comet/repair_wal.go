package comet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	cmtcfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/consensus"
	"github.com/cometbft/cometbft/libs/autofile"
	cmtcons "github.com/cometbft/cometbft/proto/tendermint/consensus"
)

// repairWAL writes the EndHeight record of a height to the consensus WAL if it is missing.
//
// CometBFT writes the record after it has stored a block. When it crashes in between, it continues from the stored block,
// but appends the next height to a WAL in which it cannot find that height later. After another crash it would not know
// what it had signed, and could not sign anything else: a chain with one validator would halt. The record is therefore
// inserted before the messages of the next height, which also repairs a chain that has halted.
func repairWAL(paths *cmtcfg.Config, height int64) error {
	if height == 0 {
		return nil
	}
	path := paths.Consensus.WalFile()
	if err := undoRotation(path); err != nil {
		return err
	}
	var found bool
	var next []consensus.WALMessage
	err := withWAL(path, func(wal *consensus.BaseWAL) (err error) {
		var reader io.Closer
		reader, found, err = wal.SearchForEndHeight(height, &consensus.WALSearchOptions{IgnoreDataCorruptionErrors: true})
		if err != nil {
			return err
		}
		if found {
			return reader.Close()
		}
		next, err = walMessages(wal, height+1)
		return err
	})
	if found || err != nil {
		return err
	}
	// The new WAL is written to another directory and renamed, so that a crash leaves the old one or the new one.
	dir := filepath.Dir(path) + ".new"
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("repair the WAL: %w", err)
	}
	repaired := filepath.Join(dir, filepath.Base(path))
	err = withWAL(repaired, func(wal *consensus.BaseWAL) error {
		err := wal.Write(consensus.EndHeightMessage{Height: height})
		for _, m := range next {
			err = errors.Join(err, wal.Write(m))
		}
		return errors.Join(err, wal.FlushAndSync())
	})
	if err != nil {
		return err
	}
	if err := os.Rename(repaired, path); err != nil {
		return fmt.Errorf("replace the WAL: %w", err)
	}
	return os.Remove(dir)
}

// undoRotation makes the last numbered file of a WAL its head again if the head is empty, as it is when the node stops or
// crashes after a rotation.
//
// CometBFT writes an EndHeight record of height 0 to an empty head. With that record at the end, its search for a height that
// is not in the WAL reads each file together with all that follow it: a start took 20 s longer with 1 GiB of WAL.
func undoRotation(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("open the WAL: %w", err)
	}
	group, err := autofile.OpenGroup(path)
	if err != nil {
		return fmt.Errorf("open the WAL: %w", err)
	}
	files := group.ReadGroupInfo()
	if err := group.Head.Close(); err != nil {
		return fmt.Errorf("close the WAL: %w", err)
	}
	if files.HeadSize > 0 || files.MaxIndex == 0 {
		return nil
	}
	if err := os.Rename(fmt.Sprintf("%s.%03d", path, files.MaxIndex-1), path); err != nil {
		return fmt.Errorf("undo the rotation of the WAL: %w", err)
	}
	return nil
}

// walMessages returns the messages of a height in a WAL.
func walMessages(wal *consensus.BaseWAL, height int64) (found []consensus.WALMessage, err error) {
	reader, err := wal.Group().NewReader(wal.Group().MinIndex())
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
			continue // CometBFT skips corrupt messages of earlier heights, too
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

// walHeight returns the height of a WAL message, 0 if it has none. The Go types of the messages are not exported.
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

// withWAL opens a WAL for the duration of a call.
func withWAL(path string, use func(*consensus.BaseWAL) error) error {
	wal, err := consensus.NewWAL(path)
	if err == nil {
		err = wal.Start()
	}
	if err != nil {
		return fmt.Errorf("open the WAL: %w", err)
	}
	err = use(wal)
	if err = errors.Join(err, wal.Stop()); err != nil {
		return fmt.Errorf("use the WAL: %w", err)
	}
	wal.Wait()
	return nil
}
