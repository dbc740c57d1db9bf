package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"makechain/internal/validators"
)

// A change is queued as a file in the home of a node, so only those with write access to the home can queue one.
// The running node submits it, and removes the file when a block contains the change or when it is refused.
const (
	changeFile        = "data/change"
	changeRefusedFile = "data/change-refused" // why the last change was refused
)

// aheadTimeout is how long a change may wait for the change before it, which this node may be about to execute.
const aheadTimeout = 5 * time.Second

// ErrChangeQueued is returned when a change is queued already.
var ErrChangeQueued = errors.New("another change is queued in this home")

// QueueChange queues a change in a home. The node submits it when it runs.
func QueueChange(home string, change *validators.Change) error {
	if _, err := homeGenesis(home); err != nil {
		return err
	}
	path := filepath.Join(home, changeFile)
	if err := os.Remove(filepath.Join(home, changeRefusedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("queue the change: %w", err)
	}
	draft := path + ".new"
	if err := os.WriteFile(draft, change.Encode(), filePermission); err != nil {
		return fmt.Errorf("queue the change: %w", err)
	}
	// A link fails when the file exists, so only one of two concurrent calls succeeds.
	err := os.Link(draft, path)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%w: %s", ErrChangeQueued, path)
	}
	return errors.Join(err, os.Remove(draft))
}

// ChangeStatus reports whether a change is queued in a home, and otherwise why the last one was refused, "" if it
// was not.
func ChangeStatus(home string) (queued bool, refused string, err error) {
	if _, err := os.Stat(filepath.Join(home, changeFile)); !errors.Is(err, fs.ErrNotExist) {
		return err == nil, "", err
	}
	reason, err := os.ReadFile(filepath.Join(home, changeRefusedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, "", nil
	}
	return false, string(reason), err
}

// submitQueuedChange submits the queued change. The maintenance loop repeats it until the change is decided: peers that have
// not executed the latest block may refuse it at first, and nodes keep a pending change in memory only.
func (n *Node) submitQueuedChange(ctx context.Context) error {
	path := filepath.Join(n.config.Home, changeFile)
	tx, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	status, err := n.checkChange(tx)
	var refused *validators.RefusedError
	switch {
	case errors.As(err, &refused) && status == changeAhead && isRecent(path):
		return nil
	case errors.As(err, &refused):
		n.config.Log.WarnContext(ctx, "the queued change was refused", "reason", refused)
		err := os.WriteFile(filepath.Join(n.config.Home, changeRefusedFile), []byte(refused.Error()), filePermission)
		return errors.Join(err, os.Remove(path))
	case err != nil:
		return err
	case status == changeDone:
		return os.Remove(path)
	}
	change := [][]byte{tx}
	switch added, err := n.app.AddChange(tx); {
	case errors.As(err, &refused): // another change is pending
	case err != nil:
		return err
	case added:
		if err := n.engine.Announce(change); err != nil {
			return err
		}
	}
	n.engine.Rebroadcast(change)
	return nil
}

// isRecent reports whether a file was written within aheadTimeout.
func isRecent(path string) bool {
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) < aheadTimeout
}

// changeStatus is the sequence number of a change compared with the latest state.
type changeStatus int

const (
	changeNext  changeStatus = iota
	changeDone               // the latest state is the result of the change
	changeAhead              // another change has to be applied before it
)

// checkChange validates a change against the latest state. It returns a *validators.RefusedError when it does not apply.
func (n *Node) checkChange(tx []byte) (status changeStatus, err error) {
	latest := n.store.Snapshot()
	defer func() { err = errors.Join(err, latest.Close()) }()
	rules := validators.NewRules(n.genesis)
	current, err := rules.Current(latest, latest.Height()+1)
	if err != nil {
		return changeNext, err
	}
	if change, err := validators.Decode(tx); err == nil && change.AppliedIn(current) {
		return changeDone, nil
	} else if err == nil && change.Sequence > change.NextSequence(current) {
		status = changeAhead
	}
	_, err = rules.Execute(latest, latest.Height()+1, tx)
	return status, err
}
