package content

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"syscall"

	"makechain/internal/gitbundle"
)

// Codes of problems, as in docs/errors.md.
const (
	codeInvalidArgument     = "invalid_argument"
	codeNotFound            = "not_found"
	codeUnauthenticated     = "unauthenticated"
	codePermissionDenied    = "permission_denied"
	codeFailedPrecondition  = "failed_precondition"
	codeResourceExhausted   = "resource_exhausted"
	codeUnavailable         = "unavailable"
	codeInternal            = "internal"
	codeMethodNotAllowed    = "method_not_allowed"
	codeBodyTooLarge        = "body_too_large"
	codeUnsupportedMedia    = "unsupported_media_type"
	codeRequestTimeout      = "request_timeout"
	codeLengthRequired      = "length_required"
	codeDigestMismatch      = "digest_mismatch"
	codeInvalidBundle       = "invalid_bundle"
	codeContentQuota        = "content_quota_exceeded"
	codeInsufficientStorage = "insufficient_storage"
)

// errBusy is returned when too many requests run at a time.
var errBusy = errors.New("too many requests run at this time, try again later")

// codeOfStatus returns the code of a status with which git requests are refused.
func codeOfStatus(status int) string {
	switch status {
	case http.StatusBadRequest:
		return codeInvalidArgument
	case http.StatusForbidden:
		return codePermissionDenied
	case http.StatusRequestEntityTooLarge:
		return codeBodyTooLarge
	case http.StatusUnsupportedMediaType:
		return codeUnsupportedMedia
	case http.StatusTooManyRequests:
		return codeResourceExhausted
	case http.StatusServiceUnavailable:
		return codeUnavailable
	case http.StatusInsufficientStorage:
		return codeInsufficientStorage
	default:
		return codeInternal
	}
}

// A problem is an error that a client receives.
type problem struct{ code, detail string }

func (p *problem) Error() string { return p.code + ": " + p.detail }

func denied(code, format string, args ...any) *problem {
	return &problem{code, fmt.Sprintf(format, args...)}
}

// notFound is the same for what does not exist and what a client may not see.
func notFound() *problem {
	return denied(codeNotFound, "there is no such content, or it is not public")
}

// handle adapts a function that returns an error to a handler.
func (s *Service) handle(run func(w http.ResponseWriter, r *http.Request) error, methods ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		header.Set("Cache-Control", "no-store")
		allowed := false
		for _, method := range methods {
			allowed = allowed || r.Method == method
			header.Add("Allow", method)
		}
		if !allowed {
			s.fail(w, r, denied(codeMethodNotAllowed, "%s is not supported here", r.Method))
			return
		}
		header.Del("Allow")
		tracked := &trackingWriter{ResponseWriter: w}
		if err := run(tracked, r); err != nil {
			if tracked.started {
				s.config.Log.LogAttrs(r.Context(), slog.LevelInfo, "a content response was interrupted", slog.String("error", err.Error()))
				panic(http.ErrAbortHandler) // invariant: a truncated response must not look complete
			}
			s.fail(tracked, r, err)
		}
	}
}

// fail responds with the problem of an error.
func (s *Service) fail(w http.ResponseWriter, r *http.Request, err error) {
	var p *problem
	var status interface{ HTTPStatus() int }
	var invalid *gitbundle.Error
	var failed storeError
	switch {
	case errors.As(err, &p):
	case errors.As(err, &failed):
		s.logFailure(r, err)
		p = denied(codeOfStatus(failed.StoreStatus()), "the store of this service is not available or full; try again later, or use another store")
	case errors.Is(err, syscall.ENOSPC):
		s.logFailure(r, err)
		p = denied(codeInsufficientStorage, "the disk of this service is full")
	case errors.As(err, &status):
		p = denied(codeOfStatus(status.HTTPStatus()), "%v", err)
	case errors.Is(err, gitbundle.ErrMissing):
		p = denied(codeFailedPrecondition, "%v", err)
	case errors.As(err, &invalid):
		p = denied(codeInvalidBundle, "%v", err)
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		p = denied(codeResourceExhausted, "%v", err)
	case r.Context().Err() != nil:
		p = denied(codeRequestTimeout, "the request ended before it was processed")
	default:
		s.logFailure(r, err)
		p = denied(codeInternal, "the service failed; its log has the error")
	}
	s.config.WriteProblem(w, p.code, p.detail)
}

func (s *Service) logFailure(r *http.Request, err error) {
	s.config.Log.LogAttrs(r.Context(), slog.LevelError, "content request failed", slog.String("path", r.URL.Path), slog.String("error", err.Error()))
}

// A trackingWriter records whether a response was started.
type trackingWriter struct {
	http.ResponseWriter
	started bool
}

func (w *trackingWriter) WriteHeader(status int) {
	w.started = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *trackingWriter) Write(p []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(p)
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *trackingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
