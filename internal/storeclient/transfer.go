package storeclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/blake3"

	"makechain/internal/contentauth"
	"makechain/internal/gitenv"
	"makechain/internal/ident"
)

// Request describes a request that needs an authorization.
type Request struct {
	Purpose contentauth.Purpose
	Host    string
	Project ident.Hash
	Digest  ident.Hash
	Length  int64
}

// ErrDigest is returned for bytes that do not have the digest that they were requested by.
var ErrDigest = errors.New("the bytes do not have the expected digest")

// RefusedError is returned when a content service refuses a request.
type RefusedError struct {
	Status int
	Reason string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("refused with HTTP status %d: %s", e.Status, e.Reason)
}

// authorize adds the Authorization header. A client without a key sends none.
func (s *Store) authorize(request *http.Request, purpose contentauth.Purpose, project, digest ident.Hash, length int64) error {
	if s.client.Authorize == nil || s.Kind != Service {
		return nil
	}
	header, err := s.client.Authorize(request.Context(), Request{
		Purpose: purpose, Host: request.URL.Host, Project: project, Digest: digest, Length: length,
	})
	if err == nil && header != "" {
		request.Header.Set("Authorization", header)
	}
	return err
}

// fileURL returns the URL of a git bundle.
func (s *Store) fileURL(project, digest ident.Hash) *url.URL {
	if s.Kind == Service {
		return s.base.JoinPath("v1", "content", project.String(), digest.String())
	}
	dir, name := filePath(digest)
	return s.base.JoinPath(dir, name)
}

// A download must reach minRate bytes in a second on average, measured after pacedTime: without it a store could keep a client
// busy indefinitely with a byte now and then.
const (
	minRate   = 16 << 10
	pacedTime = time.Minute
)

// errSlow is returned when a store sends slower than minRate.
var errSlow = errors.New("the store sends too slowly")

// pacedWriter fails when it is written to too slowly.
type pacedWriter struct {
	to    io.Writer
	since time.Time
	n     int64
}

func (w *pacedWriter) Write(data []byte) (int, error) {
	n, err := w.to.Write(data)
	w.n += int64(n)
	if elapsed := time.Since(w.since); err == nil && elapsed > pacedTime && float64(w.n) < minRate*elapsed.Seconds() {
		err = errSlow
	}
	return n, err
}

// Get writes a git bundle to a file, at most limit bytes. It returns ErrDigest for other bytes than those that the digest
// names; the file must then be deleted. For a private project, private must be true.
func (s *Store) Get(ctx context.Context, project, digest ident.Hash, private bool, to io.Writer, limit int64) error {
	content, _, err := s.open(ctx, project, digest, private)
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // it was only read
	sum := blake3.New()
	paced := &pacedWriter{to: io.MultiWriter(to, sum), since: time.Now()}
	n, err := io.Copy(paced, io.LimitReader(content, limit+1))
	switch {
	case err != nil:
		return err
	case n > limit:
		return fmt.Errorf("%s is larger than %d bytes", digest, limit)
	case ident.Hash(sum.Sum(nil)) != digest:
		return ErrDigest
	}
	return nil
}

// Open returns the bytes that the store has for a digest of a public project, and their size, -1 if it is unknown. They are not
// verified. The caller closes the reader.
func (s *Store) Open(ctx context.Context, project, digest ident.Hash) (io.ReadCloser, int64, error) {
	if !s.HasFiles() {
		return nil, 0, fmt.Errorf("%s has no git bundles", s.Name)
	}
	return s.open(ctx, project, digest, false)
}

func (s *Store) open(ctx context.Context, project, digest ident.Hash, private bool) (io.ReadCloser, int64, error) {
	if s.Kind == Directory {
		dir, name := filePath(digest)
		file, err := os.Open(filepath.Join(s.path, dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = errNotThere
		}
		if err != nil {
			return nil, 0, err
		}
		info, err := file.Stat()
		if err != nil {
			return nil, 0, errors.Join(err, file.Close())
		}
		return file, info.Size(), nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.fileURL(project, digest).String(), nil)
	if err != nil {
		return nil, 0, err
	}
	if private {
		if err := s.authorize(request, contentauth.Read, project, ident.Hash{}, 0); err != nil {
			return nil, 0, err
		}
	}
	response, err := s.http.Do(request)
	if err != nil {
		return nil, 0, err
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, response.ContentLength, nil
	}
	return nil, 0, statusError(response)
}

// maxProblem is the largest problem document that is read, in bytes.
const maxProblem = 64 << 10

// statusError returns the error of a response without content, and closes it.
func statusError(response *http.Response) error {
	defer response.Body.Close() //nolint:errcheck // the body was only read
	if response.StatusCode == http.StatusNotFound {
		return errNotThere
	}
	var problem struct {
		Title  string `json:"title"`
		Detail string `json:"detail"`
	}
	reason := http.StatusText(response.StatusCode)
	if err := json.NewDecoder(io.LimitReader(response.Body, maxProblem)).Decode(&problem); err == nil {
		for _, text := range []string{problem.Title, problem.Detail} {
			if text != "" {
				reason = text
			}
		}
	}
	return &RefusedError{Status: response.StatusCode, Reason: reason}
}

// CanStore reports whether git bundles can be put into the store.
func (s *Store) CanStore() bool { return s.Kind == Service || s.Kind == Directory }

// Put stores a git bundle. When it returns nil the store has it durably.
func (s *Store) Put(ctx context.Context, project, digest ident.Hash, file string) error {
	content, err := os.Open(file)
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // it was only read
	info, err := content.Stat()
	if err != nil {
		return err
	}
	if s.Kind == Directory {
		return s.putFile(digest, content)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, s.fileURL(project, digest).String(), io.NopCloser(content))
	if err != nil {
		return err
	}
	request.ContentLength = info.Size()
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("Expect", "100-continue") // a refused upload is not sent
	if err := s.authorize(request, contentauth.Upload, project, digest, info.Size()); err != nil {
		return err
	}
	response, err := s.http.Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode == http.StatusCreated || response.StatusCode == http.StatusOK {
		return response.Body.Close()
	}
	return statusError(response)
}

// Permissions of the files of a directory.
const (
	dirMode  = 0o755
	fileMode = 0o644
)

// putFile stores a file in a directory under its digest, durably and only as a whole.
func (s *Store) putFile(digest ident.Hash, content io.Reader) error {
	dir, name := filePath(digest)
	dir = filepath.Join(s.path, dir)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	partial, err := os.CreateTemp(dir, ".partial-*")
	if err != nil {
		return err
	}
	defer os.Remove(partial.Name()) //nolint:errcheck // renamed when it is complete
	_, err = io.Copy(partial, content)
	err = errors.Join(err, partial.Chmod(fileMode), partial.Sync(), partial.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(partial.Name(), filepath.Join(dir, name)); err != nil {
		return err
	}
	return syncDir(dir)
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Has reports whether the store has a git bundle. A content service keeps an upload for some more time when it is asked by
// someone who may upload.
func (s *Store) Has(ctx context.Context, project, digest ident.Hash) (bool, error) {
	if s.Kind == Directory {
		dir, name := filePath(digest)
		_, err := os.Stat(filepath.Join(s.path, dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, s.fileURL(project, digest).String(), nil)
	if err != nil {
		return false, err
	}
	if err := s.authorize(request, contentauth.Upload, project, digest, 0); err != nil {
		return false, err
	}
	return s.isThere(request)
}

// isThere sends a HEAD request and reports whether the store has what it asks for.
func (s *Store) isThere(request *http.Request) (bool, error) {
	response, err := s.http.Do(request)
	if err != nil {
		return false, err
	}
	if response.StatusCode == http.StatusOK {
		return true, response.Body.Close()
	}
	if err := statusError(response); !IsNotThere(err) {
		return false, err
	}
	return false, nil
}

// Size returns the size of a git bundle, -1 if the store does not tell. IsNotThere reports whether an error means that the store
// does not have it. Unlike Has, it asks as a reader. For a private project, private must be true.
func (s *Store) Size(ctx context.Context, project, digest ident.Hash, private bool) (int64, error) {
	if s.Kind == Directory {
		dir, name := filePath(digest)
		info, err := os.Stat(filepath.Join(s.path, dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = errNotThere
		}
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, s.fileURL(project, digest).String(), nil)
	if err != nil {
		return 0, err
	}
	if private {
		if err := s.authorize(request, contentauth.Read, project, ident.Hash{}, 0); err != nil {
			return 0, err
		}
	}
	response, err := s.http.Do(request)
	if err != nil {
		return 0, err
	}
	if response.StatusCode != http.StatusOK {
		return 0, statusError(response)
	}
	return response.ContentLength, response.Body.Close()
}

// UploadPack sends a request of git's protocol version 2 and returns the answer. The store must serve git.
func (s *Store) UploadPack(ctx context.Context, project ident.Hash, private bool, body []byte) (io.ReadCloser, error) {
	if s.Kind == LocalRepository {
		return uploadPackLocal(ctx, s.path, body)
	}
	at := s.base.JoinPath(uploadPack)
	if s.Kind == Service {
		at = s.base.JoinPath("git", project.String(), uploadPack)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-"+uploadPack+"-request")
	request.Header.Set("Accept", "application/x-"+uploadPack+"-result")
	request.Header["Git-Protocol"] = protocolHeader["Git-Protocol"]
	if private {
		if err := s.authorize(request, contentauth.Read, project, ident.Hash{}, 0); err != nil {
			return nil, err
		}
	}
	response, err := s.http.Do(request)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		return nil, statusError(response)
	case response.Header.Get("Content-Type") != "application/x-"+uploadPack+"-result":
		_ = response.Body.Close()
		return nil, fmt.Errorf("the server answered with content of type %.60q", response.Header.Get("Content-Type"))
	default:
		return response.Body, nil
	}
}

// uploadPackLocal runs git upload-pack on a repository of this machine.
func uploadPackLocal(ctx context.Context, path string, body []byte) (io.ReadCloser, error) {
	ctx, stop := context.WithCancel(ctx)
	//nolint:gosec // the path is one that the user has configured
	command := exec.CommandContext(ctx, "git", "-c", "uploadpack.allowFilter=true", "-c", "uploadpack.allowAnySHA1InWant=true",
		"upload-pack", "--stateless-rpc", "--strict", path)
	if _, err := os.Stat(filepath.Join(path, ".git")); err == nil {
		command.Args[len(command.Args)-1] = filepath.Join(path, ".git")
	}
	// The repository may be somebody else's: it must not make git contact its remotes, or run what its configuration names.
	command.Env = append(gitenv.Isolated(withoutRepository(os.Environ()), nil, gitenv.NoProtocol), "GIT_PROTOCOL=version=2", "GIT_NO_LAZY_FETCH=1")
	command.Stdin = bytes.NewReader(body)
	printed, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		stop()
		return nil, err
	}
	return &commandOutput{ReadCloser: printed, wait: func() error { stop(); return command.Wait() }}, nil
}

// withoutRepository removes the variables that name the repository of the git that runs this program.
func withoutRepository(environment []string) []string {
	return slices.DeleteFunc(environment, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE":
			return true
		default:
			return false
		}
	})
}

// commandOutput is the output of a command, which is stopped when it is closed.
type commandOutput struct {
	io.ReadCloser

	wait func() error
}

func (c *commandOutput) Close() error {
	_ = c.ReadCloser.Close()
	_ = c.wait() // it may have been stopped
	return nil
}
