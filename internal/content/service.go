package content

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	"makechain/internal/gitbundle"
	"makechain/internal/ident"
	"makechain/internal/limit"
)

const (
	// DefaultBytesPerUnit is how many bytes of content a storage unit of a project's owner allows.
	DefaultBytesPerUnit = 1 << 30
	// DefaultMaxUpload is the size limit of one upload. Clients split their git bundles at half of it.
	DefaultMaxUpload = 512 << 20
	// UnnamedTTL is how long an upload is kept that nothing on the chain names, since it was uploaded or renewed.
	UnnamedTTL = 30 * time.Minute
	// RemovedTTL is how long the content of a removed project is kept.
	RemovedTTL = 24 * time.Hour
	// ReplacedTTL is how long git bundles are kept after a later one was found that may replace them.
	ReplacedTTL = 24 * time.Hour

	// maxUploads and maxClientUploads are the numbers of uploads at a time, of all clients and of one address.
	maxUploads       = 64
	maxClientUploads = 4
	// maxVerifications is the number of uploads that are verified at a time. One address has one; others wait.
	maxVerifications = 2

	// DefaultMinFree is the free disk space below which uploads stop, so that content never stops consensus.
	DefaultMinFree = 5 << 30
	// defaultDiskShare is the part of the disk, one in this many, that content may use by default.
	defaultDiskShare = 5
)

// Config configures a service. All fields without another remark are required.
type Config struct {
	// Dir is the directory of records, quarantine and position. One process at a time may use it.
	Dir          string
	ChainID      string
	Chain        Chain
	Store        Store
	Repositories Repositories
	// Fetcher reads from the stores that projects name on the chain; nil if missing content is not fetched.
	Fetcher Fetcher
	// PublicURL is where the service can be reached from everywhere, "" if it cannot.
	PublicURL string
	// MaxBytes bounds the disk space of all content, including repositories. 0 means one part in defaultDiskShare of what is
	// free or already used by content.
	MaxBytes     int64
	BytesPerUnit int64 // 0 means DefaultBytesPerUnit
	MaxUpload    int64 // 0 means DefaultMaxUpload
	// MinFree is the free disk space below which uploads stop.
	MinFree int64
	// FreeDisk returns the free bytes of the disk.
	FreeDisk func() (int64, error)
	// ClientAddress and IsConfidential return the client of a request, and whether its response cannot be read on the network.
	ClientAddress  func(context.Context) netip.Addr
	IsConfidential func(context.Context) bool
	// LimitLoopback applies the limits of one address to clients on this machine too.
	LimitLoopback bool
	// WriteProblem responds with the problem of a code.
	WriteProblem func(w http.ResponseWriter, code, detail string)
	Now          func() time.Time
	Log          *slog.Logger
}

// Service is a content service. Run must run while requests are served.
type Service struct {
	config  Config
	catalog *catalog
	blocked *blockList
	marks   marks
	refs    locks // of projects whose refs are being set
	fetches *fetchQueue

	maintenance sync.Mutex               // held by Maintain; guards the fields below, up to checked
	repairAt    map[ident.Hash]time.Time // when a repository whose rebuild failed is tried again
	replaceAt   map[ident.Hash]time.Time // block time at which it is tried again to delete replaced git bundles
	checked     bool                     // records without bytes have been removed since the start

	mu        sync.Mutex    // guards the fields below
	uploads   limit.Shares  // running uploads
	verifying limit.Shares  // running verifications
	verified  chan struct{} // closed and replaced when a verification ends
	objects   limit.Shares  // requests for objects that are running
	waiting   limit.Shares  // requests for objects that wait
	// objectEnded is closed and replaced when a request for an object ends.
	objectEnded chan struct{}
	position    uint64 // all changes up to this block have been followed
	// set are the refs that were last set in each repository.
	set map[ident.Hash][]gitbundle.Ref
	// changed are the projects whose repositories have been added to since they were last maintained.
	changed map[ident.Hash]bool
}

// Open opens the service in its directory, and removes what a crash has left.
func Open(ctx context.Context, config Config) (*Service, error) {
	if config.BytesPerUnit == 0 {
		config.BytesPerUnit = DefaultBytesPerUnit
	}
	if config.MaxUpload == 0 {
		config.MaxUpload = DefaultMaxUpload
	}
	s := &Service{
		config:    config,
		marks:     marks{dir: filepath.Join(config.Dir, "unfinished"), running: map[ident.Hash]int{}},
		fetches:   newFetchQueue(config.Now),
		repairAt:  map[ident.Hash]time.Time{},
		replaceAt: map[ident.Hash]time.Time{},
		uploads:   limit.Shares{Total: maxUploads, PerClient: maxClientUploads, LimitLoopback: config.LimitLoopback},
		verifying: limit.Shares{Total: maxVerifications, PerClient: 1, LimitLoopback: config.LimitLoopback},
		objects:   limit.Shares{Total: maxObjects, PerClient: maxClientObjects, LimitLoopback: config.LimitLoopback},
		waiting:   limit.Shares{Total: maxWaitingObjects, PerClient: maxClientWaitingObjects, LimitLoopback: config.LimitLoopback},

		objectEnded: make(chan struct{}),
		verified:    make(chan struct{}),
		set:         map[ident.Hash][]gitbundle.Ref{},
		changed:     map[ident.Hash]bool{},
	}
	if err := os.RemoveAll(s.quarantine()); err != nil {
		return nil, fmt.Errorf("open the content service: %w", err)
	}
	for _, dir := range []string{s.quarantine(), s.records(), s.marks.dir} {
		if err := os.MkdirAll(dir, dirMode); err != nil {
			return nil, fmt.Errorf("open the content service: %w", err)
		}
	}
	if err := removeTemporary(s.records()); err != nil {
		return nil, fmt.Errorf("open the content service: %w", err)
	}
	var err error
	if s.blocked, err = openBlockList(config.Dir); err != nil {
		return nil, err
	}
	if s.catalog, err = openCatalog(s.records()); err != nil {
		return nil, fmt.Errorf("open the content service: %w", err)
	}
	if err := s.removeIncomplete(ctx); err != nil {
		if _, unavailable := errors.AsType[storeError](err); !unavailable {
			return nil, fmt.Errorf("open the content service: %w", err)
		}
		config.Log.WarnContext(ctx, "cannot check the records of content yet", "error", err)
	}
	for _, project := range s.catalog.projectIDs() {
		if !config.Repositories.Exists(project) {
			if err := s.marks.set(project); err != nil {
				return nil, err
			}
		}
	}
	if s.position, err = s.readPosition(); err != nil {
		return nil, err
	}
	if s.config.MaxBytes == 0 {
		free, err := config.FreeDisk()
		if err != nil {
			return nil, err
		}
		s.config.MaxBytes = (free + diskFactor*s.Stats().Bytes) / defaultDiskShare
	}
	return s, nil
}

// Stats is what a service stores.
type Stats struct {
	Projects, Bundles int
	Bytes, MaxBytes   int64
	Block             uint64 // up to which the chain has been followed
}

// Stats returns what the service stores.
func (s *Service) Stats() Stats {
	projects, bundles, bytes := s.catalog.totals()
	return Stats{Projects: projects, Bundles: bundles, Bytes: bytes, MaxBytes: s.config.MaxBytes, Block: s.positionNow()}
}

func (s *Service) quarantine() string { return filepath.Join(s.config.Dir, "quarantine") }
func (s *Service) records() string    { return filepath.Join(s.config.Dir, recordDir) }

// removeIncomplete removes records whose bytes were not stored, or are deleted already.
func (s *Service) removeIncomplete(ctx context.Context) error {
	for _, project := range s.catalog.projectIDs() {
		for _, e := range s.catalog.list(project) {
			if e.Kept && e.Removed == 0 && e.Replaced == 0 {
				continue // these were complete when they were marked
			}
			always := func(*record) bool { return true }
			_, err := s.catalog.remove(project, e.digest, always, func(last bool) error {
				if _, err := s.config.Store.Has(ctx, e.digest); !errors.Is(err, fs.ErrNotExist) {
					return cmp.Or(err, errComplete)
				}
				if deleter, ok := s.config.Store.(Deleter); ok && last {
					return deleter.Delete(ctx, e.digest) // a deletion may have been interrupted
				}
				return nil
			})
			if err != nil && !errors.Is(err, errComplete) {
				return err
			}
		}
	}
	s.checked = true
	return nil
}

// errComplete keeps a record that has its bytes.
var errComplete = errors.New("the record has its bytes")

// A Route is a path of the service, as a pattern of http.ServeMux, with the methods that it supports.
type Route struct {
	Path    string
	Methods []string

	handle func(*Service, http.ResponseWriter, *http.Request) error
}

// Routes returns all routes.
func Routes() []Route {
	read := []string{http.MethodGet, http.MethodHead}
	routes := []Route{
		{"/v1/content", read, (*Service).describe},
		{"/v1/content/{project}/{digest}", []string{http.MethodGet, http.MethodHead, http.MethodPut}, (*Service).bundle},
		{"/v1/content/{project}/objects/{id}", read, (*Service).object},
		{"/v1/content/{project}/history/{commit}", read, (*Service).history},
		{"/v1/content/{project}/import", []string{http.MethodPost}, (*Service).importContent},
	}
	for _, prefix := range []string{"/git/{project}", "/git/{owner}/{name}"} {
		routes = append(routes, Route{prefix + "/info/refs", []string{http.MethodGet}, (*Service).advertise},
			Route{prefix + "/git-upload-pack", []string{http.MethodPost}, (*Service).uploadPack})
	}
	return routes
}

// Handler returns the handler of the paths /v1/content, /v1/content/ and /git/.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range Routes() {
		mux.HandleFunc(route.Path, s.handle(func(w http.ResponseWriter, r *http.Request) error { return route.handle(s, w, r) }, route.Methods...))
	}
	mux.HandleFunc("/", s.handle(func(http.ResponseWriter, *http.Request) error {
		return denied(codeNotFound, "no route of the content service has this path")
	}, http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost))
	return mux
}

// describe responds with what the service is.
func (s *Service) describe(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, map[string]any{
		"content": 1, "chain_id": s.config.ChainID, "url": s.config.PublicURL, "max_upload_bytes": s.config.MaxUpload,
	})
}

func writeJSON(w http.ResponseWriter, status int, value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err = w.Write(append(encoded, '\n'))
	return err
}

// view calls read with the newest state.
func (s *Service) view(ctx context.Context, read func(View) error) error {
	view, err := s.config.Chain.View(ctx)
	if err != nil {
		return err
	}
	return errors.Join(read(view), view.Close())
}

// pathHash returns an id in the path of a request.
func pathHash(r *http.Request, name string) (ident.Hash, error) {
	text := r.PathValue(name)
	id, err := ident.ParseHash(text)
	if err != nil || id.String() != text {
		return id, denied(codeInvalidArgument, "%s: %q is not 64 lower-case hex digits", name, text)
	}
	return id, nil
}

// locks are locks of ids.
type locks struct {
	mu   sync.Mutex // guards held
	held map[ident.Hash]chan struct{}
}

// tryLock takes the lock of an id if it is free.
func (l *locks) tryLock(id ident.Hash) (unlock func(), ok bool) {
	unlock, other := l.take(id)
	return unlock, other == nil
}

// take takes the lock of an id if it is free. Otherwise it returns a channel that is closed when it may be.
func (l *locks) take(id ident.Hash) (unlock func(), other <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if other, taken := l.held[id]; taken {
		return nil, other
	}
	if l.held == nil {
		l.held = map[ident.Hash]chan struct{}{}
	}
	mine := make(chan struct{})
	l.held[id] = mine
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.held, id)
		close(mine)
	}, nil
}

// lock waits for the lock of an id until ctx ends.
func (l *locks) lock(ctx context.Context, id ident.Hash) (unlock func(), err error) {
	for {
		unlock, other := l.take(id)
		if other == nil {
			return unlock, nil
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
