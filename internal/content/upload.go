package content

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/zeebo/blake3"

	"makechain/internal/contentauth"
	"makechain/internal/gitbundle"
	"makechain/internal/ident"
	"makechain/internal/limit"
)

// An upload is a git bundle that a client sends.
type upload struct {
	project  *project
	uploader ident.Address
	digest   ident.Hash
	size     int64
	fetched  bool       // from a store that the project names, not uploaded
	source   ident.Hash // the project that it is imported from; zero for none
}

// bundle serves one git bundle: of a project, or by two digits and the digest of public content.
func (s *Service) bundle(w http.ResponseWriter, r *http.Request) error {
	digest, err := pathHash(r, "digest")
	if err != nil {
		return err
	}
	if directory := r.PathValue("project"); directory == digest.String()[:2] && r.Method != http.MethodPut {
		return s.download(w, r, func(view View) (bool, error) { return s.isPublic(view, digest) }, digest)
	}
	project, err := pathHash(r, "project")
	if err != nil {
		return err
	}
	if r.Method == http.MethodPut {
		return s.put(w, r, project, digest)
	}
	if r.Method == http.MethodHead && s.renew(r, project, digest) {
		return s.download(w, r, func(View) (bool, error) { return true, nil }, digest)
	}
	return s.download(w, r, func(view View) (bool, error) {
		if err := s.requireRead(view, r, project); err != nil {
			return false, err
		}
		return s.catalog.contains(project, digest) && !s.blocked.has(digest), nil
	}, digest)
}

// put stores an upload.
func (s *Service) put(w http.ResponseWriter, r *http.Request, id, digest ident.Hash) error {
	u, err := s.admit(r, id, digest)
	if err != nil {
		return err
	}
	description := map[string]any{"project": id.String(), "digest": digest.String(), "size": u.size}
	if s.renewRecord(r.Context(), id, digest) {
		_, err := s.config.Store.Has(r.Context(), digest)
		if err == nil {
			return writeJSON(w, http.StatusOK, description)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		// The store has lost them, or a crash interrupted the upload: they are stored again.
	}
	release, err := s.reserve(r.Context(), u)
	if err != nil {
		return err
	}
	defer release()
	client := s.config.ClientAddress(r.Context())
	if !s.startUpload(client) {
		return errBusy
	}
	defer s.endUpload(client)
	file, err := s.receive(r, u)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file) }() // Open deletes what is left
	if err := s.startVerification(r.Context(), client); err != nil {
		return err
	}
	defer s.endVerification(client)
	if err := s.add(r.Context(), u, file, false, func(ctx context.Context) error { return s.storeFile(ctx, digest, file) }); err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, description)
}

// admit checks an upload before its body is read.
func (s *Service) admit(r *http.Request, id, digest ident.Hash) (*upload, error) {
	switch {
	case r.ContentLength < 0:
		return nil, denied(codeLengthRequired, "an upload needs a Content-Length")
	case r.ContentLength == 0:
		return nil, denied(codeInvalidArgument, "the body is empty")
	case r.ContentLength > s.config.MaxUpload:
		return nil, denied(codeBodyTooLarge, "the body has %d bytes, the limit is %d", r.ContentLength, s.config.MaxUpload)
	case r.Header.Get("Content-Encoding") != "" && r.Header.Get("Content-Encoding") != "identity":
		return nil, denied(codeUnsupportedMedia, "an upload must not have a Content-Encoding")
	case r.Header.Get("Content-Range") != "":
		return nil, denied(codeInvalidArgument, "an upload must have all bytes, not a Content-Range")
	}
	key, err := s.signer(r, contentauth.Upload, id, digest, r.ContentLength)
	if err != nil {
		return nil, err
	}
	u := &upload{digest: digest, size: r.ContentLength}
	if err := s.view(r.Context(), func(view View) (err error) {
		u.project, u.uploader, err = s.requireWrite(view, r, id, key)
		return err
	}); err != nil {
		return nil, err
	}
	if s.blocked.has(id) || s.blocked.has(digest) {
		return nil, denied(codePermissionDenied, "the operator of this service has blocked this content")
	}
	return u, nil
}

// reserve reserves the space for an upload.
func (s *Service) reserve(ctx context.Context, u *upload) (release func(), err error) {
	free, err := s.config.FreeDisk()
	if err != nil {
		return nil, err
	}
	allowed := allowance{total: s.config.MaxBytes, free: free, minFree: s.config.MinFree}
	err = s.view(ctx, func(view View) error {
		units, err := usableUnits(view, u.project.owner, s.config.Now())
		if err != nil {
			return err
		}
		allowed.owner = bytesOf(units, s.config.BytesPerUnit)
		units, err = usableUnits(view, u.uploader, s.config.Now())
		// A collaborator may have no units of its own.
		allowed.uploader = bytesOf(max(units, 1), s.config.BytesPerUnit)
		return err
	})
	if err != nil {
		return nil, err
	}
	release, refused := s.catalog.reserve(&reservation{owner: u.project.owner.String(), uploader: u.uploader.String(), size: u.size}, allowed)
	if refused != nil {
		return nil, refused
	}
	return release, nil
}

// bytesOf returns the bytes that storage units allow, at most the largest int64.
func bytesOf(units, perUnit int64) int64 {
	if units > 0 && perUnit > math.MaxInt64/units {
		return math.MaxInt64
	}
	return units * perUnit
}

func (s *Service) startUpload(client netip.Addr) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ok, _ := s.uploads.Take(client)
	return ok
}

func (s *Service) endUpload(client netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uploads.Give(client)
}

// receive writes the body to a file in quarantine and checks its digest. It returns the path of the file.
func (s *Service) receive(r *http.Request, u *upload) (path string, err error) {
	file, err := os.CreateTemp(s.quarantine(), "")
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(file.Name()) // Open deletes what is left
		}
	}()
	hasher := blake3.New()
	n, err := io.Copy(io.MultiWriter(file, hasher), io.LimitReader(r.Body, u.size))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", denied(codeRequestTimeout, "the body arrived too slowly: %d of %d bytes", n, u.size)
	case errors.Is(err, io.ErrUnexpectedEOF) || err == nil && n < u.size:
		return "", denied(codeInvalidArgument, "the body ended after %d of %d bytes", n, u.size)
	case err != nil:
		return "", err
	}
	if got := ident.Hash(hasher.Sum(nil)); got != u.digest {
		return "", denied(codeDigestMismatch, "the body has the BLAKE3 digest %s, not %s", got, u.digest)
	}
	limit.Charge(r.Context(), time.Duration(n)*time.Nanosecond)
	return filepath.Join(s.quarantine(), filepath.Base(file.Name())), nil
}

// startVerification waits until an upload of a client may be verified: one address has one verification at a time.
func (s *Service) startVerification(ctx context.Context, client netip.Addr) error {
	for {
		s.mu.Lock()
		ok, _ := s.verifying.Take(client)
		ended := s.verified
		s.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Service) endVerification(client netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verifying.Give(client)
	close(s.verified)
	s.verified = make(chan struct{})
}

// add verifies a git bundle, stores it and adds it to the repository. When it returns nil, the upload is durable. kept is
// for content that the chain need not name.
func (s *Service) add(ctx context.Context, u *upload, file string, kept bool, store func(context.Context) error) error {
	id := u.project.id
	end := func(bool) {}
	report, err := s.config.Repositories.Add(ctx, id, u.source, file, func(report gitbundle.Report) (err error) {
		ctx := context.WithoutCancel(ctx) // what has been verified is stored even if the client disconnects
		if end, err = s.marks.begin(id); err != nil {
			return err
		}
		now := s.config.Now()
		return s.catalog.add(ctx, id, u.digest, record{
			Size: u.size, Owner: u.project.owner.String(), Uploader: u.uploader.String(), Added: now.UnixNano(), Renewed: now.Unix(), Kept: kept,
			Fetched: u.fetched, Complete: len(report.Prerequisites) == 0,
		}, func() error { return store(ctx) })
	})
	end(err == nil)
	limit.Charge(ctx, time.Duration(report.InflatedBytes)*limit.CostByte)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.changed[id] = true
	s.mu.Unlock()
	return s.sync(context.WithoutCancel(ctx), id)
}

func (s *Service) storeFile(ctx context.Context, digest ident.Hash, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(s.config.Store.Put(ctx, digest, file), file.Close())
}

// renew renews an upload if a HEAD request has the statement of an account that may upload.
func (s *Service) renew(r *http.Request, id, digest ident.Hash) bool {
	key, err := s.signer(r, contentauth.Upload, id, digest, 0)
	if err != nil {
		return false
	}
	err = s.view(r.Context(), func(view View) error {
		_, _, err := s.requireWrite(view, r, id, key)
		return err
	})
	return err == nil && !s.blocked.has(id) && !s.blocked.has(digest) && s.renewRecord(r.Context(), id, digest)
}

// renewRecord reports whether a digest is stored for a project, and extends the time until it is deleted.
func (s *Service) renewRecord(ctx context.Context, id, digest ident.Hash) bool {
	removing := false
	found, err := s.catalog.modify(id, digest, func(value *record) bool {
		now := s.config.Now().Unix()
		if removing = value.removing; removing {
			return false
		}
		if value.Replaced != 0 { // a push may rely on it
			value.Replaced, value.Renewed = 0, now
			return true
		}
		if value.Kept || value.Renewed+renewInterval >= now {
			return false
		}
		value.Renewed = now
		return true
	})
	if err != nil {
		s.config.Log.ErrorContext(ctx, "cannot renew an upload", "project", id.String(), "digest", digest.String(), "error", err)
	}
	return found && !removing && err == nil
}

// renewInterval is the number of seconds in which a record is written at most once because it is renewed.
const renewInterval = 60
