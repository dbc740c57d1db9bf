package content

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/gitbundle"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// Fetcher reads from the stores that projects name on the chain. Its methods may be called concurrently.
type Fetcher interface {
	// Open returns the bytes that the store at a URL has for a digest, and their size. They are not verified. The error wraps
	// fs.ErrNotExist if the store does not have them. The caller closes the reader.
	Open(ctx context.Context, url string, project, digest ident.Hash) (io.ReadCloser, int64, error)
}

const (
	// fetchRate is how many bytes in a second are fetched for one project at most, and minFetchRate at least, on average
	// after fetchStart.
	fetchRate    = 4 << 20
	minFetchRate = 64 << 10
	fetchStart   = time.Minute
	// maxFetchFailures is the number of git bundles of a project that may fail before an attempt to fetch its content ends.
	maxFetchFailures = 8
	// fetchShare is the part of the space for content, one in this many, that fetched content may use, so that there is space
	// for uploads.
	fetchShare = 2
)

// fetchAll fetches missing content of public projects from the stores that they name on the chain, until ctx ends.
func (s *Service) fetchAll(ctx context.Context) {
	if s.config.Fetcher == nil {
		return
	}
	var workers sync.WaitGroup
	for range maxFetching {
		workers.Go(func() {
			for ctx.Err() == nil {
				s.fetchNext(ctx)
			}
		})
	}
	retry := backoff.New(time.Second, time.Minute)
	for ctx.Err() == nil {
		err := s.queueAll(ctx)
		if err == nil {
			break
		}
		s.config.Log.WarnContext(ctx, "cannot list the projects whose content is fetched", "error", err)
		if retry.Wait(ctx) != nil {
			break
		}
	}
	workers.Wait()
}

// queueAll adds all projects that name stores on the chain, and forks, to the queue.
func (s *Service) queueAll(ctx context.Context) error {
	return s.view(ctx, func(view View) error {
		var err error
		queue := func(key, _ []byte) bool {
			var parsed schema.Key
			if parsed, err = schema.ParseKey(key); err != nil {
				return false
			}
			if parsed.Prefix == schema.PrefixForkParent ||
				pb.ProjectMetadataType(parsed.Tag) == pb.ProjectMetadataType_PROJECT_METADATA_CONTENT {
				s.fetches.add(parsed.Project)
			}
			return true
		}
		for _, prefix := range []schema.Prefix{schema.PrefixProjectMetadata, schema.PrefixForkParent} {
			if scanErr := view.Scan([]byte{byte(prefix)}, queue); scanErr != nil || err != nil {
				return errors.Join(err, scanErr)
			}
		}
		return nil
	})
}

// fetchNext fetches the content of the project that is due first. While the node is catching up, refs are not those of the newest
// block, and nothing is fetched.
func (s *Service) fetchNext(ctx context.Context) {
	if status, err := s.config.Chain.Status(ctx); err != nil || status.CatchingUp {
		_ = backoff.Sleep(ctx, maintenanceInterval) // the caller checks ctx
		return
	}
	id, err := s.fetches.next(ctx)
	if err != nil {
		return
	}
	err = s.fetchProject(ctx, id)
	if err != nil && ctx.Err() == nil {
		s.config.Log.WarnContext(ctx, "cannot fetch content", "project", id.String(), "error", err)
	}
	s.fetches.done(id, err != nil)
}

// needs is what is needed to fetch the content of a project.
type needs struct {
	project *project
	urls    []string // of stores
	bundles []named  // of the project, the newest first, and then of those that it was forked from
	refs    []gitbundle.Ref
}

// named is a git bundle that the chain names as content of a project.
type named struct {
	project, digest ident.Hash
	block           uint64
}

// maxForks is the number of ancestors of a fork whose content is fetched with it.
const maxForks = 8

// readNeeds returns what a project needs, nil if nothing is to be fetched: only public projects are followed. A fork also needs the
// content of the projects that it was forked from, and asks their stores.
func (s *Service) readNeeds(ctx context.Context, id ident.Hash) (n *needs, err error) {
	err = s.view(ctx, func(view View) error {
		for at, depth := id, 0; depth <= maxForks; depth++ {
			p, err := readProject(view, at)
			if err != nil || p == nil || p.private || s.blocked.has(at) {
				return err
			}
			if n == nil {
				n = &needs{project: p}
				if n.refs, _, err = readRefs(view, id); err != nil {
					return err
				}
			}
			stores, err := load[pb.ProjectMetadataRow](view, schema.ProjectMetadataKey(at, byte(pb.ProjectMetadataType_PROJECT_METADATA_CONTENT)))
			if err != nil {
				return err
			}
			n.urls = append(n.urls, message.ContentURLs(stores.GetValue())...)
			bundles, err := readContents(view, at)
			if err != nil {
				return err
			}
			n.bundles = append(n.bundles, bundles...)
			parent, err := load[pb.ForkParentRow](view, schema.ForkParentKey(at))
			if err != nil || parent == nil {
				return err
			}
			at, _ = ident.HashFrom(parent.GetSourceProjectId())
		}
		return nil
	})
	if err != nil || n == nil || len(n.urls) == 0 {
		return nil, err
	}
	return n, nil
}

// readContents returns the git bundles that the chain names as content of a project, the newest first.
func readContents(view View, id ident.Hash) ([]named, error) {
	var contents []named
	var err error
	prefix := schema.ContentPrefix(id)
	scanErr := view.Scan(prefix, func(key, value []byte) bool {
		var row pb.ContentRow
		if err = schema.Decode(value, &row); err != nil {
			return false
		}
		digest, _ := ident.HashFrom(key[len(prefix):])
		contents = append(contents, named{id, digest, row.GetBlockNumber()})
		return true
	})
	slices.SortStableFunc(contents, func(a, b named) int { return cmp.Compare(b.block, a.block) })
	return contents, errors.Join(err, scanErr)
}

// fetchProject fetches git bundles of a project, the newest first, until the repository has what the refs on the chain reach:
// older ones may have been replaced and deleted.
func (s *Service) fetchProject(ctx context.Context, id ident.Hash) error {
	n, err := s.readNeeds(ctx, id)
	if err != nil || n == nil || s.hasRefs(id, n.refs) {
		return err
	}
	if err := s.sync(ctx, id); err != nil || s.hasRefs(id, n.refs) {
		return err
	}
	f := &fetch{service: s, needs: n}
	defer f.close()
	for _, b := range n.bundles {
		if s.catalog.contains(id, b.digest) || s.blocked.has(b.digest) {
			continue
		}
		if err := f.fetchOne(ctx, b); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			f.failed = append(f.failed, fmt.Errorf("git bundle %s: %w", b.digest, err))
		}
		if s.hasRefs(id, n.refs) {
			return nil
		}
		if f.failures() >= maxFetchFailures {
			break
		}
	}
	for _, w := range f.waiting {
		f.failed = append(f.failed, fmt.Errorf("git bundle %s: %w", w.digest, w.refused))
	}
	return errors.Join(append(f.failed, errors.New("the stores of the project do not have all of its content"))...)
}

// hasRefs reports whether the repository of a project has refs with everything that they reach.
func (s *Service) hasRefs(id ident.Hash, refs []gitbundle.Ref) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := map[string]string{}
	for _, ref := range s.set[id] {
		set[ref.Name] = ref.ID
	}
	return !slices.ContainsFunc(refs, func(ref gitbundle.Ref) bool { return set[ref.Name] != ref.ID })
}

// A fetch is one attempt to fetch the content of a project.
type fetch struct {
	*needs

	service *Service
	waiting []*fetched // for git bundles that they build on
	broken  []string   // URLs of stores that failed
	failed  []error
}

// fetched is a git bundle in quarantine.
type fetched struct {
	*upload

	file    string
	release func()
	refused error // why it was not added; it may be when the repository has more
}

// failures returns how many git bundles failed or are refused, without those for which others are missing.
func (f *fetch) failures() int {
	failures := len(f.failed)
	for _, w := range f.waiting {
		if !errors.Is(w.refused, gitbundle.ErrMissing) {
			failures++
		}
	}
	return failures
}

func (f *fetch) close() {
	for _, w := range f.waiting {
		f.drop(w)
	}
}

func (f *fetch) drop(w *fetched) {
	w.release()
	_ = os.Remove(w.file) // Open deletes what is left
}

// fetchOne fetches a git bundle from the first store that has it, and adds it and those that build on it to the repository. If
// no store has it, that is no error: others may replace it.
func (f *fetch) fetchOne(ctx context.Context, b named) error {
	var failed error
	for _, url := range f.urls {
		if slices.Contains(f.broken, url) {
			continue
		}
		w, err := f.download(ctx, url, b)
		if err == nil {
			return f.add(ctx, w)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if refused := (*problem)(nil); errors.As(err, &refused) { // there is no space for it here
			return err
		}
		f.broken = append(f.broken, url)
		failed = errors.Join(failed, fmt.Errorf("%s: %w", url, err))
	}
	return failed
}

// download writes a git bundle of a store to a file in quarantine, after space for it was reserved.
func (f *fetch) download(ctx context.Context, url string, b named) (_ *fetched, err error) {
	s := f.service
	body, size, err := s.config.Fetcher.Open(ctx, url, b.project, b.digest)
	if errors.Is(err, fs.ErrNotExist) && b.project != f.project.id { // it may have been imported for the fork
		body, size, err = s.config.Fetcher.Open(ctx, url, f.project.id, b.digest)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }() // it was only read
	if size <= 0 || size > s.config.MaxUpload {
		return nil, fmt.Errorf("the store has a git bundle of %d bytes, want 1 to %d", size, s.config.MaxUpload)
	}
	if used := s.catalog.fetchedBytes(); used+size > s.config.MaxBytes/diskFactor/fetchShare {
		return nil, denied(codeInsufficientStorage, "fetched content has %d bytes, and may not use more of this service's space", used)
	}
	w := &fetched{upload: &upload{project: f.project, uploader: f.project.owner, digest: b.digest, size: size, fetched: true}}
	if w.release, err = s.reserve(ctx, w.upload); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(s.quarantine(), "")
	if err != nil {
		w.release()
		return nil, err
	}
	w.file = file.Name()
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			f.drop(w)
		}
	}()
	hasher := blake3.New()
	n, err := io.Copy(io.MultiWriter(file, hasher), &pacedReader{ctx: ctx, from: io.LimitReader(body, size), since: time.Now()})
	switch {
	case err != nil:
		return nil, err
	case n != size || ident.Hash(hasher.Sum(nil)) != b.digest:
		return nil, errors.New("the store sent other bytes than those that the digest names")
	}
	return w, nil
}

// A pacedReader reads with at least minFetchRate and at most fetchRate.
type pacedReader struct {
	ctx   context.Context //nolint:containedctx // of one download
	from  io.Reader
	since time.Time
	n     int64
}

func (r *pacedReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.n += int64(n)
	elapsed := time.Since(r.since)
	if err == nil && elapsed > fetchStart && float64(r.n) < minFetchRate*elapsed.Seconds() {
		return n, errors.New("the store sends too slowly")
	}
	if early := time.Duration(float64(r.n)/fetchRate*float64(time.Second)) - elapsed; err == nil && early > 0 {
		err = backoff.Sleep(r.ctx, early)
	}
	return n, err
}

// add adds a git bundle to the repository, and those that wait for it. One that builds on something that is missing waits.
func (f *fetch) add(ctx context.Context, w *fetched) error {
	f.waiting = append(f.waiting, w)
	added, err := f.addFile(ctx, w)
	for i := len(f.waiting) - 1; added && i >= 0; i-- { // the oldest first
		more, failed := f.addFile(ctx, f.waiting[i])
		if err = errors.Join(err, failed); more {
			i = len(f.waiting)
		}
	}
	return err
}

// addFile verifies a git bundle like an upload and adds it. It reports false if it is refused, which can be because something is
// missing that it builds on.
func (f *fetch) addFile(ctx context.Context, w *fetched) (bool, error) {
	s := f.service
	local := netip.IPv6Unspecified() // what is fetched counts as one client
	if err := s.startVerification(ctx, local); err != nil {
		return false, err
	}
	err := s.add(ctx, w.upload, w.file, true, func(ctx context.Context) error { return s.storeFile(ctx, w.digest, w.file) })
	s.endVerification(local)
	if _, refused := errors.AsType[*gitbundle.Error](err); refused {
		w.refused = err
		return false, nil
	}
	f.waiting = slices.DeleteFunc(f.waiting, func(other *fetched) bool { return other == w })
	f.drop(w)
	if err == nil {
		s.config.Log.InfoContext(ctx, "content fetched", "project", f.project.id.String(), "digest", w.digest.String())
	}
	return err == nil, err
}
