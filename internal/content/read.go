package content

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"time"

	"makechain/internal/gitbundle"
	"makechain/internal/ident"
)

// octetStream is the content type of everything that is not JSON or the git protocol, so that browsers never interpret it.
const octetStream = "application/octet-stream"

// isPublic reports whether a digest is stored for a public project.
func (s *Service) isPublic(view View, digest ident.Hash) (bool, error) {
	if s.blocked.has(digest) {
		return false, nil
	}
	for _, id := range s.catalog.projectsWith(digest) {
		p, err := readProject(view, id)
		if err != nil {
			return false, err
		}
		if p != nil && !p.private && !s.blocked.has(id) {
			return true, nil
		}
	}
	return false, nil
}

// download serves the bytes of a digest, or a range of them, if allowed reports that the client may read them.
func (s *Service) download(w http.ResponseWriter, r *http.Request, allowed func(View) (bool, error), digest ident.Hash) error {
	err := s.view(r.Context(), func(view View) error {
		ok, err := allowed(view)
		if err == nil && !ok {
			err = notFound()
		}
		return err
	})
	if err != nil {
		return err
	}
	size, err := s.config.Store.Has(r.Context(), digest)
	if errors.Is(err, fs.ErrNotExist) {
		return notFound()
	}
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", octetStream)
	header.Set("ETag", `"`+digest.String()+`"`)
	if r.Header.Get(authorizationHeader) == "" {
		header.Set("Cache-Control", "public, max-age=3600")
	}
	reader := &storeReader{ctx: r.Context(), store: s.config.Store, digest: digest, size: size}
	http.ServeContent(w, r, "", time.Time{}, reader)
	return reader.close()
}

// A storeReader reads bytes of a store from any offset.
type storeReader struct {
	ctx    context.Context //nolint:containedctx // of one request
	store  Store
	digest ident.Hash
	size   int64
	offset int64
	open   io.ReadCloser // from offset on, nil before the first read and after a seek
	failed error
}

func (r *storeReader) Read(p []byte) (n int, err error) {
	if r.open == nil {
		if r.open, err = r.store.Get(r.ctx, r.digest, r.offset, -1); err != nil {
			r.failed = err
			return 0, err
		}
	}
	n, err = r.open.Read(p)
	r.offset += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		r.failed = err
	}
	return n, err
}

// Seek is part of io.Seeker.
func (r *storeReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.offset
	case io.SeekEnd:
		offset += r.size
	}
	if offset != r.offset {
		if err := r.close(); err != nil {
			return 0, err
		}
		r.offset = offset
	}
	return offset, nil
}

// close closes what is open. It returns the error of an earlier read, which http.ServeContent does not report.
func (r *storeReader) close() error {
	err := r.failed
	if r.open != nil {
		err = errors.Join(err, r.open.Close())
		r.open = nil
	}
	return err
}

// object serves one object of a repository.
func (s *Service) object(w http.ResponseWriter, r *http.Request) error {
	id, err := pathHash(r, "project")
	if err != nil {
		return err
	}
	object, err := objectID(r, "id")
	if err != nil {
		return err
	}
	if err := s.readable(r, id); err != nil {
		return err
	}
	client := s.config.ClientAddress(r.Context())
	if !s.startObject(r.Context(), client) {
		return errBusy
	}
	defer s.endObject(client)
	kind, content, err := s.config.Repositories.Object(r.Context(), id, object, maxObject)
	switch {
	case errors.Is(err, gitbundle.ErrMissing):
		return notFound()
	case errors.Is(err, gitbundle.ErrLimit):
		return denied(codeBodyTooLarge, "the object is larger than %d bytes, use the git protocol", maxObject)
	case err != nil:
		return err
	}
	w.Header().Set("Content-Type", octetStream)
	w.Header().Set("Makechain-Object-Type", kind)
	w.Header().Set("ETag", `"`+object+`"`)
	if r.Header.Get(authorizationHeader) == "" {
		w.Header().Set("Cache-Control", "public, max-age=3600")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	return nil
}

// Limits of requests for objects, which are in memory while they are sent, of all clients and of one address.
const (
	maxObject        = 8 << 20
	maxObjects       = 8
	maxClientObjects = 4

	// Requests that wait, and how long they do.
	maxWaitingObjects       = 512
	maxClientWaitingObjects = 128
	objectWait              = 10 * time.Second
)

// startObject waits until a request for an object may run. A page requests many objects over several connections. It reports
// whether it may: not when too many wait already, or the time is over.
func (s *Service) startObject(ctx context.Context, client netip.Addr) bool {
	ctx, stop := context.WithTimeout(ctx, objectWait)
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok, _ := s.objects.Take(client); ok {
		return true
	}
	if ok, _ := s.waiting.Take(client); !ok {
		return false
	}
	defer s.waiting.Give(client)
	for ctx.Err() == nil {
		ended := s.objectEnded
		s.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ok, _ := s.objects.Take(client); ok {
			return true
		}
	}
	return false
}

func (s *Service) endObject(client netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects.Give(client)
	close(s.objectEnded)
	s.objectEnded = make(chan struct{})
}

// readable returns an error unless the client may read a project for which content is stored.
func (s *Service) readable(r *http.Request, id ident.Hash) error {
	return s.view(r.Context(), func(view View) error { return s.requireRead(view, r, id) })
}
