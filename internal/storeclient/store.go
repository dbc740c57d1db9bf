package storeclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"makechain/internal/ident"
)

// Kind is the kind of a store.
type Kind int

// The kinds.
const (
	// Service is a content service: it accepts uploads, and serves files and git repositories.
	Service Kind = iota
	// Repository is one git repository on a server.
	Repository
	// Static is a server of files.
	Static
	// Directory has the files of a store on this machine.
	Directory
	// LocalRepository is a git repository on this machine.
	LocalRepository
)

// Store is a store whose kind is known.
type Store struct {
	// Name is the URL or path of the store, without credentials.
	Name string
	Kind Kind
	// CanFilter reports whether a git server omits objects when it is asked to (partial clones).
	CanFilter bool

	client *Client
	http   *http.Client
	base   *url.URL // of the kinds over HTTP
	path   string   // of the kinds on this machine
}

// Client opens stores.
type Client struct {
	// ChainID is the chain that content services must serve.
	ChainID string
	// Authorize returns the Authorization header of a request; nil when there is no key. See Authorization.
	Authorize func(ctx context.Context, r Request) (string, error)

	anywhere, public *http.Client
}

// NewClient returns a client. The proxy function is as in http.Transport; stall is the time without bytes after which a
// request fails.
func NewClient(chainID string, proxy func(*http.Request) (*url.URL, error), stall time.Duration) *Client {
	return &Client{ChainID: chainID, anywhere: newHTTP(Anywhere, proxy, stall), public: newHTTP(PublicOnly, proxy, stall)}
}

// UseRootCAs makes the client accept certificates of servers that these authorities have signed, instead of those of the system. It
// must be called before the first request.
func (c *Client) UseRootCAs(roots *x509.CertPool) {
	for _, each := range []*http.Client{c.anywhere, c.public} {
		if watched, isWatched := each.Transport.(*stallTransport); isWatched {
			watched.next.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
		}
	}
}

// maxDescription is the largest description of a service or git server that is read, in bytes.
const maxDescription = 1 << 20

// errNotThere is returned for content that a store does not have.
var errNotThere = errors.New("not in this store")

// IsNotThere reports whether an error means that a store does not have the content.
func IsNotThere(err error) bool { return errors.Is(err, errNotThere) }

// Open finds out the kind of a store. The location is an http or https URL; with the policy Anywhere, which is for what the
// user has configured, it may also be a path or a file URL.
func (c *Client) Open(ctx context.Context, location string, policy Policy) (*Store, error) {
	base, err := url.Parse(location)
	isHTTP := err == nil && (base.Scheme == schemeHTTP || base.Scheme == schemeHTTPS) && base.Host != ""
	if !isHTTP {
		if policy != Anywhere {
			return nil, fmt.Errorf("%q is not an http or https URL", location)
		}
		return c.openPath(strings.TrimPrefix(location, "file://"))
	}
	base.Path, base.RawPath = strings.TrimRight(base.Path, "/"), ""
	base.RawQuery, base.Fragment = "", ""
	s := &Store{Name: base.Redacted(), client: c, base: base, http: c.anywhere}
	if policy == PublicOnly {
		s.http = c.public
	}
	isService, err := s.probeService(ctx)
	if err != nil || isService {
		return s, err
	}
	if err := s.probeRepository(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func (c *Client) openPath(path string) (*Store, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", path)
	}
	s := &Store{Name: path, Kind: Directory, path: path, client: c, CanFilter: true}
	for _, objects := range []string{"objects", ".git"} {
		if _, err := os.Stat(filepath.Join(path, objects)); err == nil {
			s.Kind = LocalRepository
		}
	}
	return s, nil
}

// probeService reports whether the store is a content service. It fails for a service of another chain.
func (s *Store) probeService(ctx context.Context) (bool, error) {
	response, err := s.get(ctx, s.base.JoinPath("v1", "content"), nil)
	if err != nil {
		return false, err
	}
	defer response.Body.Close() //nolint:errcheck // the body was only read
	if response.StatusCode != http.StatusOK {
		return false, nil
	}
	var description struct {
		Content int    `json:"content"`
		ChainID string `json:"chain_id"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxDescription)).Decode(&description); err != nil || description.Content != 1 {
		return false, nil // some other server
	}
	if description.ChainID != s.client.ChainID {
		return false, fmt.Errorf("the content service is of the chain %q, not of %q", description.ChainID, s.client.ChainID)
	}
	s.Kind, s.CanFilter = Service, true
	return true, nil
}

// uploadPack is the service of a git server that sends objects.
const uploadPack = "git-upload-pack"

// protocolHeader asks for version 2 of git's protocol.
var protocolHeader = http.Header{"Git-Protocol": {"version=2"}} // read-only: sent with requests of git

// probeRepository sets the kind to Repository or Static.
func (s *Store) probeRepository(ctx context.Context) error {
	at := s.base.JoinPath("info", "refs")
	at.RawQuery = "service=" + uploadPack
	response, err := s.get(ctx, at, protocolHeader)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // the body was only read
	s.Kind = Static
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/x-"+uploadPack+"-advertisement" {
		return nil
	}
	advertised, err := io.ReadAll(io.LimitReader(response.Body, maxDescription))
	if err != nil {
		return err
	}
	if !strings.Contains(string(advertised), "version 2\n") {
		return errors.New("the git server does not support protocol version 2")
	}
	s.Kind = Repository
	for line := range strings.Lines(string(advertised)) {
		if _, features, found := strings.Cut(line, "fetch="); found && strings.Contains(" "+strings.TrimSpace(features)+" ", " filter ") {
			s.CanFilter = true
		}
	}
	// The repository may have been found by a redirect, which POST does not follow.
	if moved := response.Request.URL; moved.String() != at.String() {
		moved.Path, moved.RawQuery = strings.TrimSuffix(moved.Path, "/info/refs"), ""
		s.base = moved
	}
	return nil
}

// get sends a GET request.
func (s *Store) get(ctx context.Context, at *url.URL, header http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, header)
	return s.http.Do(request)
}

// HasFiles reports whether git bundles can be read from the store by their digests.
func (s *Store) HasFiles() bool { return s.Kind == Service || s.Kind == Static || s.Kind == Directory }

// ServesGit reports whether the store answers requests of git's protocol.
func (s *Store) ServesGit() bool {
	return s.Kind == Service || s.Kind == Repository || s.Kind == LocalRepository
}

// filePath returns where a git bundle is below the base of a store.
func filePath(digest ident.Hash) (dir, name string) {
	name = hex.EncodeToString(digest[:])
	return name[:2], name
}
