package gitcache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"makechain/internal/gitbundle"
	"makechain/internal/ident"
)

// Limits bound what bundles and requests may use.
type Limits struct {
	Header       gitbundle.Limits
	BundleBytes  int64 // size of a bundle
	Objects      int64 // objects in a bundle
	ObjectBytes  int64 // size of an object
	InflateBytes int64 // size of all objects of a bundle after decompression and the application of deltas
	// InflateRatio bounds the same size relative to that of the bundle. Small bundles may inflate to 64 MiB.
	InflateRatio int64
	DeltaDepth   int           // length of a chain of deltas
	Verifying    int           // bundles that are verified at the same time; others wait
	VerifyTime   time.Duration // of one bundle

	RequestBytes int64         // decompressed body of a request to upload-pack
	Serving      int           // requests to upload-pack at the same time
	PerClient    int           // of them from one address
	Waiting      int           // requests that wait; more are refused
	WaitTime     time.Duration // after which a request that waits is refused
	ServeTime    time.Duration // of one request

	ChildBytes int64 // address space of a git process, on Linux
	Packs      int   // packs of a repository before Maintain combines them
}

// DefaultLimits returns limits for a server with a few GiB of memory.
func DefaultLimits() Limits {
	return Limits{
		Header: gitbundle.DefaultLimits(), BundleBytes: 512 << 20, Objects: 2_000_000, ObjectBytes: 128 << 20,
		InflateBytes: 64 << 30, InflateRatio: 256, DeltaDepth: 4095, Verifying: 2, VerifyTime: 10 * time.Minute,
		RequestBytes: 16 << 20, Serving: 8, PerClient: 4, Waiting: 64, WaitTime: 15 * time.Second, ServeTime: time.Hour,
		ChildBytes: 2 << 30, Packs: 20,
	}
}

// inflateAllowance is what the objects of any bundle may inflate to.
const inflateAllowance = 64 << 20

// Cache is a directory with repositories. Its methods may be called concurrently. No other process may use the directory.
type Cache struct {
	dir       string
	limits    Limits
	verifying chan struct{} // one element per bundle being verified
	receiving *gate         // bodies of requests
	serving   *gate         // processes of git upload-pack

	// mu guards projects. The lock of a project is held shared while its repository is changed or bundles are verified with
	// its objects, and exclusively while it is removed.
	mu       sync.Mutex
	projects map[ident.Hash]*projectLock

	writing     sync.Mutex // held while packs are moved and refs are written
	maintaining sync.Mutex // held while packs are combined

	// crash is called before each step that changes a repository. Tests let it fail or end the process.
	crash func(step string) error
	// program is the git program. Tests replace it.
	program string
}

type projectLock struct {
	sync.RWMutex

	users int
}

// Open creates the directory if necessary and removes what an earlier process left unfinished.
func Open(dir string, limits Limits) (*Cache, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(dir, "\n\"") {
		return nil, fmt.Errorf("the directory of the git cache has a line break or a quote in its name: %q", dir)
	}
	c := &Cache{
		dir: dir, limits: limits, verifying: make(chan struct{}, max(1, limits.Verifying)),
		receiving: newGate(limits.Waiting, limits.PerClient, limits.Waiting),
		serving:   newGate(limits.Serving, limits.PerClient, limits.Waiting),
		projects:  map[ident.Hash]*projectLock{}, crash: func(string) error { return nil }, program: "git",
	}
	if err := os.RemoveAll(c.temporary()); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.temporary(), 0o700); err != nil {
		return nil, err
	}
	if err := c.createEmpty(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Cache) temporary() string { return filepath.Join(c.dir, "tmp") }

func (c *Cache) empty() string { return filepath.Join(c.dir, "empty.git") }

func (c *Cache) createEmpty() error {
	created, err := os.MkdirTemp(c.temporary(), "empty")
	if err != nil {
		return err
	}
	if err := writeRepository(created, gitbundle.SHA1); err != nil {
		return err
	}
	if err := os.RemoveAll(c.empty()); err != nil {
		return err
	}
	return os.Rename(created, c.empty())
}

// path returns the directory of a project's repository.
func (c *Cache) path(project ident.Hash) string {
	name := project.String()
	return filepath.Join(c.dir, name[:2], name+".git")
}

// format returns the object format of a project's repository, and "" when there is none.
func (c *Cache) format(project ident.Hash) (gitbundle.Format, error) {
	config, err := os.ReadFile(filepath.Join(c.path(project), "config"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	for _, format := range []gitbundle.Format{gitbundle.SHA1, gitbundle.SHA256} {
		if string(config) == repositoryConfig(format) {
			return format, nil
		}
	}
	return "", fmt.Errorf("%s was changed by another program", filepath.Join(c.path(project), "config"))
}

// Exists reports whether the cache has a repository for a project.
func (c *Cache) Exists(project ident.Hash) bool {
	format, err := c.format(project)
	return format != "" && err == nil
}

// repositoryConfig returns the config file of a repository. All other settings are passed to each git process.
func repositoryConfig(format gitbundle.Format) string {
	if format == gitbundle.SHA256 {
		return "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	return "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
}

// writeRepository writes an empty bare repository into an existing directory. Unlike git init it needs no process, and
// there is no directory for hooks.
func writeRepository(dir string, format gitbundle.Format) error {
	for _, sub := range []string{"objects/pack", "objects/info", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config"), []byte(repositoryConfig(format)), 0o600)
}

// share locks the repository of a project against removal. It returns the function that unlocks it.
func (c *Cache) share(project ident.Hash) func() {
	l := c.lockOf(project)
	l.RLock()
	return func() { l.RUnlock(); c.release(project, l) }
}

// own locks the repository of a project against all changes. It returns the function that unlocks it.
func (c *Cache) own(project ident.Hash) func() {
	l := c.lockOf(project)
	l.Lock()
	return func() { l.Unlock(); c.release(project, l) }
}

func (c *Cache) lockOf(project ident.Hash) *projectLock {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.projects[project]
	if l == nil {
		l = &projectLock{}
		c.projects[project] = l
	}
	l.users++
	return l
}

func (c *Cache) release(project ident.Hash, l *projectLock) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(c.projects, project)
	}
}

// Remove deletes the repository of a project. Requests that are being served end with an error at the client. There is no
// error when there is no repository.
func (c *Cache) Remove(_ context.Context, project ident.Hash) error {
	defer c.own(project)()
	trash, err := os.MkdirTemp(c.temporary(), "removed")
	if err != nil {
		return err
	}
	if err := os.Rename(c.path(project), filepath.Join(trash, "repository")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(trash)
}

// Replace makes the repository of another project that of this one, and deletes what this one had; without the other it only
// deletes. Requests that are being served continue with the repository that they find. Nothing is replaced if isComplete returns
// false, which is called while no Add is running.
func (c *Cache) Replace(_ context.Context, project, by ident.Hash, isComplete func() bool) (replaced bool, err error) {
	defer c.own(project)()
	if !isComplete() {
		return false, nil
	}
	trash, err := os.MkdirTemp(c.temporary(), "removed")
	if err != nil {
		return false, err
	}
	old := c.path(project)
	if c.Exists(by) {
		if err := place(c.path(by), old); err != nil {
			return false, errors.Join(err, os.RemoveAll(trash))
		}
		old = c.path(by)
	}
	err = os.Rename(old, filepath.Join(trash, "repository"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return true, errors.Join(err, os.RemoveAll(trash))
}

// place moves a directory to a path, and what is there to where it was. Where the system can do this at once, a process that
// opens the path finds one of the two.
func place(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(to); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(from, to)
	}
	return exchange(from, to)
}

// exchangeInSteps exchanges two directories, one of which does not exist for a moment.
func exchangeInSteps(a, b string) error {
	aside := b + ".aside"
	if err := os.RemoveAll(aside); err != nil {
		return err
	}
	if err := os.Rename(b, aside); err != nil {
		return err
	}
	return errors.Join(os.Rename(a, b), os.Rename(aside, a))
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }()
	return opened.Sync()
}
