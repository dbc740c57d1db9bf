package comet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	dbm "github.com/cometbft/cometbft-db"
	cmtcfg "github.com/cometbft/cometbft/config"
)

// Names of the engine's databases, which it opens in this order.
const (
	blockDatabase  = "blockstore"
	stateDatabase  = "state"
	databaseSuffix = ".db" // of their directories
	// databaseBackend is the kind of the databases. They are small, and written synchronously once or twice per block.
	databaseBackend = "goleveldb"
)

// Reasons for which a database of a home cannot be opened.
var (
	// ErrLocked is returned while an engine has the databases open.
	ErrLocked = errors.New("the databases of the consensus engine are in use")
	// ErrNoChain is returned when no engine has run in the home.
	ErrNoChain = errors.New("this home has no chain")
)

// databases opens the engine's databases and keeps track of them: CometBFT does not close them when it fails to start.
type databases struct {
	mu     sync.Mutex
	opened map[string]*twiceClosableDB // by name; guarded by mu
}

// open opens or creates a database. It is CometBFT's DBProvider.
func (d *databases) open(request *cmtcfg.DBContext) (dbm.DB, error) {
	directory := filepath.Join(request.Config.DBDir(), request.ID+databaseSuffix)
	if incomplete, err := isIncomplete(directory); err != nil {
		return nil, err
	} else if incomplete {
		if err := os.RemoveAll(directory); err != nil {
			return nil, fmt.Errorf("remove incomplete database %s: %w", request.ID, err)
		}
	}
	database, err := openDatabase(request.Config.DBDir(), request.ID)
	if err != nil {
		return nil, err
	}
	opened := &twiceClosableDB{DB: database}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opened == nil {
		d.opened = make(map[string]*twiceClosableDB)
	}
	d.opened[request.ID] = opened
	if request.ID == stateDatabase {
		err = resumeBootstrapped(d.opened[blockDatabase], opened)
	}
	return opened, err
}

// openExisting opens a database of a home in which no engine runs. It returns ErrNoChain or ErrLocked if it cannot.
func openExisting(home, name string) (dbm.DB, error) {
	directory := homePaths(home).DBDir()
	path := filepath.Join(directory, name+databaseSuffix)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoChain, home)
	}
	if incomplete, err := isIncomplete(path); incomplete || err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrNoChain, home), err)
	}
	return openDatabase(directory, name)
}

// openDatabase opens or creates a database in a directory.
func openDatabase(directory, name string) (dbm.DB, error) {
	opened, err := dbm.NewGoLevelDB(name, directory)
	if err != nil {
		return nil, openError(name, directory, err)
	}
	if name != blockDatabase {
		return opened, nil
	}
	blocks, err := openPartDB(opened, filepath.Join(directory, name+databaseSuffix))
	if err != nil {
		return nil, errors.Join(openError(name, directory, err), opened.Close())
	}
	return blocks, nil
}

// openError wraps an error of opening a database. LevelDB locks its directory with flock.
func openError(name, directory string, err error) error {
	if errors.Is(err, syscall.EAGAIN) {
		err = fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return fmt.Errorf("open database %s in %s: %w", name, directory, err)
}

// isIncomplete reports whether the process crashed while it created a database: LevelDB refuses its directory as corrupt,
// but the directory has no file that could contain an entry.
func isIncomplete(directory string) (bool, error) {
	files, err := os.ReadDir(directory)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("check database %s: %w", directory, err)
	}
	for _, file := range files {
		switch name, extension := file.Name(), filepath.Ext(file.Name()); {
		case name == "CURRENT", name == "CURRENT.bak", extension == ".log", extension == ".ldb", strings.HasPrefix(name, partFilePrefix):
			return false, nil
		}
	}
	return true, nil
}

// named returns a database that the engine has opened, nil if it has not.
func (d *databases) named(name string) *twiceClosableDB {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.opened[name]
}

// isClosed reports whether the block database is closed. It is not if the databases were opened elsewhere.
func (d *databases) isClosed() bool {
	if d == nil {
		return false
	}
	blocks := d.named(blockDatabase)
	return blocks == nil || blocks.closed.Load()
}

// close closes the databases that CometBFT has not closed.
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

// twiceClosableDB is a database that can be closed twice, by CometBFT and by databases, and that is empty to readers after
// it is closed: for some seconds after the engine has stopped, CometBFT still reads blocks for peers, and panics when a
// read fails.
type twiceClosableDB struct {
	dbm.DB

	closed atomic.Bool
}

// Get returns the value at a key, nil when there is none or the database is closed.
func (t *twiceClosableDB) Get(key []byte) ([]byte, error) {
	value, err := t.DB.Get(key)
	if err != nil && t.closed.Load() {
		return nil, nil
	}
	return value, err
}

// Close closes the database. Later calls do nothing.
func (t *twiceClosableDB) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	return t.DB.Close()
}
