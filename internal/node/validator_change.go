package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"makechain/internal/comet"
	"makechain/internal/validators"
)

// Only who may write into a home hands in a change of the validators there: as a file, which the node that runs in the
// home takes up, and which goes when a block holds the change or it turns out that none will.
const (
	changeFile        = "data/validator-change"
	changeRefusedFile = "data/validator-change-refused" // why the last one was refused
)

// aheadPatience is how long a change may wait for the one before it, which this node may be about to execute.
const aheadTimeout = 5 * time.Second

// ErrChangeWaits says that a change was handed in before and is not decided yet.
var ErrChangeQueued = errors.New("another change of the validators waits in this home")

// HandIn gives the node of a home a change of the validators, which it submits as soon as it runs.
func QueueValidatorChange(home string, change *validators.Change) error {
	if _, err := homeGenesis(home); err != nil {
		return err
	}
	path := filepath.Join(home, changeFile)
	if err := os.Remove(filepath.Join(home, changeRefusedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("hand in: %w", err)
	}
	draft := path + ".new"
	if err := os.WriteFile(draft, change.Encode(), markPermission); err != nil {
		return fmt.Errorf("hand in: %w", err)
	}
	// A link fails where a file is, so of two that are handed in at once one is told.
	err := os.Link(draft, path)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%w: %s", ErrChangeQueued, path)
	}
	return errors.Join(err, os.Remove(draft))
}

// HandedIn says whether a change still waits in a home, and when it does not, why it was refused, if it was.
func ValidatorChangeStatus(home string) (waits bool, refused string, err error) {
	if _, err := os.Stat(filepath.Join(home, changeFile)); !errors.Is(err, fs.ErrNotExist) {
		return err == nil, "", err
	}
	reason, err := os.ReadFile(filepath.Join(home, changeRefusedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, "", nil
	}
	return false, string(reason), err
}

// tendChange submits a change that was handed in, again and again until it is decided: peers that have not executed the
// latest block may refuse it at first, and what waits is forgotten when a node stops.
func (n *Node) submitQueuedChange(ctx context.Context) error {
	path := filepath.Join(n.config.Home, changeFile)
	tx, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	fate, err := n.checkChange(tx)
	var refused *validators.RefusedError
	switch {
	case errors.As(err, &refused) && fate == changeAhead && isYoung(path):
		return nil
	case errors.As(err, &refused):
		n.config.Log.WarnContext(ctx, "a change of the validators was refused", "reason", refused)
		err := os.WriteFile(filepath.Join(n.config.Home, changeRefusedFile), []byte(refused.Error()), markPermission)
		return errors.Join(err, os.Remove(path))
	case err != nil:
		return err
	case fate == changeDone:
		return os.Remove(path)
	}
	if err := n.engine.Submit(tx); err != nil && !errors.Is(err, comet.ErrRefused) {
		return err
	}
	n.engine.Rebroadcast([][]byte{tx})
	return nil
}

// isYoung says whether a change was handed in only now.
func isYoung(path string) bool {
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) < aheadTimeout
}

// changeFate is how a change stands to the latest state.
type changeStatus int

const (
	changeNext  changeStatus = iota
	changeDone             // the state is already what it leads to
	changeAhead            // another one has to come before it
)

// judgeChange says how a change stands to the latest state. A *validators.RefusedError says why it does not apply to it.
func (n *Node) checkChange(tx []byte) (fate changeStatus, err error) {
	latest := n.store.Snapshot()
	defer func() { err = errors.Join(err, latest.Close()) }()
	rules := validators.NewRules(n.genesis)
	current, err := rules.Current(latest)
	if err != nil {
		return changeNext, err
	}
	if change, err := validators.Decode(tx); err == nil && change.AppliedIn(current) {
		return changeDone, nil
	} else if err == nil && change.Sequence > current.Sequence+1 {
		fate = changeAhead
	}
	_, err = rules.Execute(latest, tx)
	return fate, err
}
