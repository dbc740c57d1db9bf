package comet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	dbm "github.com/cometbft/cometbft-db"
	cmtcfg "github.com/cometbft/cometbft/config"
)

// Names of the engine's databases, which it opens in this order.
const (
	blockDatabase  = "blockstore"
	stateDatabase  = "state"
	databaseSuffix = ".db" // of their directories
)

// databases opens the engine's databases and remembers them, because a node that fails to start leaves them
// open and their locks taken.
type databases struct {
	mu     sync.Mutex
	opened map[string]dbm.DB // by their names; guarded by mu
}

func (d *databases) open(request *cmtcfg.DBContext) (dbm.DB, error) {
	directory := filepath.Join(request.Config.DBDir(), request.ID+databaseSuffix)
	if halfMade, err := isHalfMade(directory); err != nil {
		return nil, err
	} else if halfMade {
		if err := os.RemoveAll(directory); err != nil {
			return nil, fmt.Errorf("begin database %s anew: %w", request.ID, err)
		}
	}
	database, err := cmtcfg.DefaultDBProvider(request)
	if err != nil {
		return nil, fmt.Errorf("open database %s in %s: %w", request.ID, request.Config.DBDir(), err)
	}
	opened := &twiceClosableDB{DB: database}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opened == nil {
		d.opened = make(map[string]dbm.DB)
	}
	d.opened[request.ID] = opened
	if request.ID == stateDatabase {
		err = resumeBootstrapped(d.opened[blockDatabase], opened)
	}
	return opened, err
}

// lasting is a database that can be asked when it is closed, and then has nothing. What CometBFT tells peers that are
// behind it goes on reading for some seconds after the engine has stopped, and panics when it cannot.
type twiceClosableDB struct {
	dbm.DB

	closed atomic.Bool
}

// isClosed says whether the blocks can no longer be read.
func (d *databases) isClosed() bool {
	if d == nil { // somebody else opened them
		return false
	}
	blocks, isOpen := d.named(blockDatabase).(*twiceClosableDB)
	return !isOpen || blocks.closed.Load()
}

// Get returns the value at key, nil when there is none.
func (l *twiceClosableDB) Get(key []byte) ([]byte, error) {
	value, err := l.DB.Get(key)
	if err != nil && l.closed.Load() {
		return nil, nil
	}
	return value, err
}

// Close closes the database.
func (l *twiceClosableDB) Close() error {
	l.closed.Store(true)
	return l.DB.Close()
}

// named is a database that the engine has opened.
func (d *databases) named(name string) dbm.DB {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.opened[name]
}

// isHalfMade says whether a program died while it made a database: there is a beginning, which LevelDB takes for damage
// and refuses, and nothing that could hold an entry.
func isHalfMade(directory string) (bool, error) {
	files, err := os.ReadDir(directory)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a database: %w", err)
	}
	for _, file := range files {
		switch extension := filepath.Ext(file.Name()); {
		case file.Name() == "CURRENT", file.Name() == "CURRENT.bak", extension == ".log", extension == ".ldb":
			return false, nil
		}
	}
	return true, nil
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
