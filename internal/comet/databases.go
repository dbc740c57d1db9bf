package comet

import (
	"errors"
	"fmt"
	"sync"

	dbm "github.com/cometbft/cometbft-db"
	cmtcfg "github.com/cometbft/cometbft/config"
)

// databases opens the engine's databases and remembers them, because a node that fails to start leaves them
// open and their locks taken.
type databases struct {
	mu     sync.Mutex
	opened []dbm.DB // guarded by mu
}

func (d *databases) open(request *cmtcfg.DBContext) (dbm.DB, error) {
	opened, err := cmtcfg.DefaultDBProvider(request)
	if err != nil {
		return nil, fmt.Errorf("open database %s in %s: %w", request.ID, request.Config.DBDir(), err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened = append(d.opened, opened)
	return opened, nil
}

func (d *databases) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	for _, opened := range d.opened {
		err = errors.Join(err, opened.Close())
	}
	d.opened = nil
	return err
}
