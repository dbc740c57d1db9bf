package gitcache

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"time"

	"makechain/internal/ident"
	"makechain/internal/limit"
)

// Content types of git's smart HTTP protocol.
const (
	advertisementType = "application/x-git-upload-pack-advertisement"
	requestType       = "application/x-git-upload-pack-request"
	resultType        = "application/x-git-upload-pack-result"
)

// RequestError refuses a request before anything of the response was written.
type RequestError struct {
	Status int // of HTTP
	Reason string
	cause  error // nil for none; not for the client
}

func (e *RequestError) Error() string { return e.Reason }

// HTTPStatus returns the status to respond with.
func (e *RequestError) HTTPStatus() int { return e.Status }

func (e *RequestError) Unwrap() error { return e.cause }

func refuseRequest(status int, reason string, cause error) error {
	return &RequestError{Status: status, Reason: reason, cause: cause}
}

// InfoRefs serves GET .../info/refs?service=git-upload-pack for a project, which has no refs if it has no repository.
// client is the address that the limits count. A *RequestError is returned before anything was written; another error
// after the response began, which the client notices.
func (c *Cache) InfoRefs(w http.ResponseWriter, r *http.Request, project ident.Hash, client netip.Addr) error {
	if r.URL.Query().Get("service") != "git-upload-pack" {
		return refuseRequest(http.StatusForbidden, "only git-upload-pack is served", nil)
	}
	service := &service{cache: c, kind: advertisementType, args: []string{"--http-backend-info-refs"}, protocol: protocolOf(r)}
	if service.protocol != "version=2" {
		service.prefix = "001e# service=git-upload-pack\n0000"
	}
	return service.serve(w, r, project, client)
}

// UploadPack serves POST .../git-upload-pack for a project. See InfoRefs for the client and the errors.
func (c *Cache) UploadPack(w http.ResponseWriter, r *http.Request, project ident.Hash, client netip.Addr) error {
	if r.Header.Get("Content-Type") != requestType {
		return refuseRequest(http.StatusUnsupportedMediaType, "the content type must be "+requestType, nil)
	}
	body, err := c.receive(w, r, client)
	if err != nil {
		return err
	}
	defer discard(body)
	service := &service{cache: c, kind: resultType, protocol: protocolOf(r), body: body}
	return service.serve(w, r, project, client)
}

// receive reads a body into a file, decompressed, so that git does not run while a slow client sends it. The caller closes
// and removes the file.
func (c *Cache) receive(w http.ResponseWriter, r *http.Request, client netip.Addr) (_ *os.File, err error) {
	if !c.receiving.enter(r.Context(), client) {
		return nil, busy(w)
	}
	defer c.receiving.leave(client)
	timer := time.AfterFunc(c.limits.ServeTime, func() { _ = http.NewResponseController(w).SetReadDeadline(time.Now()) })
	defer timer.Stop()
	body, err := c.decompress(r)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(c.temporary(), "request")
	if err != nil {
		return nil, refuseRequest(http.StatusServiceUnavailable, "the request cannot be stored", err)
	}
	defer func() {
		if err != nil {
			discard(file)
		}
	}()
	size, err := io.Copy(file, io.LimitReader(body, c.limits.RequestBytes+1))
	switch {
	case size > c.limits.RequestBytes:
		return nil, c.tooLarge()
	case err != nil:
		return nil, refuseRequest(http.StatusBadRequest, "the body cannot be read", err)
	}
	_, err = file.Seek(0, io.SeekStart)
	return file, err
}

// discard closes and removes a file whose content is not needed any more. What cannot be removed, Open removes.
func discard(file *os.File) {
	_ = file.Close()
	_ = os.Remove(file.Name())
}

// decompress returns the decompressed body of a request.
func (c *Cache) decompress(r *http.Request) (io.Reader, error) {
	if r.ContentLength > c.limits.RequestBytes {
		return nil, c.tooLarge()
	}
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		return r.Body, nil
	case "gzip", "x-gzip":
		inflated, err := gzip.NewReader(io.LimitReader(r.Body, c.limits.RequestBytes))
		if err != nil {
			return nil, refuseRequest(http.StatusBadRequest, "the body is not compressed with gzip", err)
		}
		return inflated, nil
	default:
		return nil, refuseRequest(http.StatusUnsupportedMediaType, "the content encoding must be gzip or identity", nil)
	}
}

func (c *Cache) tooLarge() error {
	return refuseRequest(http.StatusRequestEntityTooLarge,
		fmt.Sprintf("the decompressed request has more than %d bytes", c.limits.RequestBytes), nil)
}

func busy(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "10")
	return refuseRequest(http.StatusTooManyRequests, "too many git requests at the same time; try again", nil)
}

// protocolOf returns the protocol version that a client asks for, in git's form. Other parameters are not passed to git.
func protocolOf(r *http.Request) string {
	switch asked := r.Header.Get("Git-Protocol"); asked {
	case "version=0", "version=1", "version=2":
		return asked
	default:
		return ""
	}
}

// service is one run of git upload-pack.
type service struct {
	cache    *Cache
	kind     string // content type of the response
	args     []string
	prefix   string // of the response
	protocol string
	body     *os.File // nil for none
}

// serve waits until the request may run and runs it.
func (s *service) serve(w http.ResponseWriter, r *http.Request, project ident.Hash, client netip.Addr) error {
	limits := s.cache.limits
	waiting, stopWaiting := context.WithTimeout(r.Context(), limits.WaitTime)
	defer stopWaiting()
	if !s.cache.serving.enter(waiting, client) {
		return busy(w)
	}
	defer s.cache.serving.leave(client)

	repository := s.cache.path(project)
	if format, err := s.cache.format(project); err != nil {
		return refuseRequest(http.StatusInternalServerError, "the repository is damaged", err)
	} else if format == "" {
		repository = s.cache.empty()
	}
	ctx, stop := context.WithTimeout(r.Context(), limits.ServeTime)
	defer stop()
	control := http.NewResponseController(w)
	// The deadline ends a write that waits for the client when the time is over.
	defer context.AfterFunc(ctx, func() { _ = control.SetWriteDeadline(time.Now()) })()

	command := s.cache.command(ctx, repository, append(append([]string{"upload-pack", "--stateless-rpc", "--strict"}, s.args...), repository)...)
	if s.protocol != "" {
		command.Env = append(command.Env, "GIT_PROTOCOL="+s.protocol)
	}
	err := s.pipe(command, stop, &response{writer: w, control: control, kind: s.kind, prefix: s.prefix})
	if command.ProcessState != nil { // with that of the processes it has started
		limit.Charge(r.Context(), command.ProcessState.UserTime()+command.ProcessState.SystemTime())
	}
	return err
}

// pipe runs git with the body as input and the response as output. stop kills git.
func (s *service) pipe(command *exec.Cmd, stop func(), out *response) error {
	var stderr tail
	command.Stderr = &stderr
	if s.body != nil {
		command.Stdin = s.body
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return refuseRequest(http.StatusServiceUnavailable, "git cannot be started", err)
	}
	if err := s.cache.start(command, s.cache.limits.ServeTime, s.cache.limits.RequestBytes); err != nil {
		return refuseRequest(http.StatusServiceUnavailable, "git cannot be started", err)
	}
	_, copyErr := io.Copy(out, output)
	if copyErr != nil {
		stop()
	}
	waitErr := command.Wait()
	switch {
	case copyErr != nil:
		return fmt.Errorf("the client is gone: %w", copyErr)
	case waitErr == nil:
		return nil
	}
	failed := &Error{Command: "upload-pack", Stderr: stderr.reason(), cause: waitErr}
	switch {
	case out.begun:
		return failed
	case s.body != nil:
		return refuseRequest(http.StatusBadRequest, "git upload-pack refused the request", failed)
	default:
		return refuseRequest(http.StatusInternalServerError, "git upload-pack failed", failed)
	}
}

// response writes what git prints. The status is written with the first byte, so a failure before that can be reported.
type response struct {
	writer  http.ResponseWriter
	control *http.ResponseController
	kind    string
	prefix  string
	begun   bool
}

func (o *response) Write(p []byte) (int, error) {
	if !o.begun {
		o.begun = true
		o.writer.Header().Set("Content-Type", o.kind)
		o.writer.Header().Set("Cache-Control", "no-cache")
		if _, err := io.WriteString(o.writer, o.prefix); err != nil {
			return 0, err
		}
	}
	n, err := o.writer.Write(p)
	if err == nil {
		err = o.control.Flush()
	}
	return n, err
}
