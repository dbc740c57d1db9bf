// Package contentserver constructs the content service from a store, bare repositories and a chain, in a node or in front of
// one.
package contentserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"makechain/internal/content"
	"makechain/internal/gitcache"
	"makechain/internal/rest"
	"makechain/internal/server"
)

// ErrNoGit is returned by Open when git is not installed.
var ErrNoGit = errors.New("git is not installed, or not on the PATH")

// Names in the directory of a service.
const (
	bundleDir     = "bundles"
	repositoryDir = "repositories"
)

// Config configures a content service.
type Config struct {
	// Dir is the directory of all data, except for git bundles if Store is set.
	Dir string
	// Store has the git bundles: a directory or a bucket, as OpenStore describes; "" for a directory in Dir. Others may use
	// it too, so nothing is deleted from it unless Collect is set.
	Store   string
	Collect bool
	// PublicURL is where the service can be reached from everywhere, "" if it cannot.
	PublicURL string
	// MaxBytes is the disk space of content; 0 for a part of the disk. BytesPerUnit is how many bytes of content a storage
	// unit allows; 0 for content.DefaultBytesPerUnit.
	MaxBytes, BytesPerUnit int64
	// MinFree is the free disk space below which uploads stop.
	MinFree int64
	// Follow fetches missing content of public projects from the stores that they name on the chain, except in private
	// networks. FollowPrivate allows these, for tests.
	Follow, FollowPrivate bool
	// LimitLoopback applies the limits of one address to clients on this machine too.
	LimitLoopback bool
	Log           *slog.Logger
	// Registerer receives the metrics. Nil means that they are not exported.
	Registerer prometheus.Registerer
}

// Server is a content service with its directory.
type Server struct {
	*content.Service

	lock io.Closer
}

// Open opens the service of a chain. It returns ErrNoGit without git, and ErrInUse when another process has the directory
// open.
func Open(ctx context.Context, config Config, chainID string, chain content.Chain) (*Server, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, ErrNoGit
	}
	if err := CheckURL(config.PublicURL); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the content directory: %w", err)
	}
	lock, err := LockDir(config.Dir)
	if err != nil {
		return nil, err
	}
	service, err := open(ctx, config, chainID, chain)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	if config.Registerer != nil {
		if err := config.Registerer.Register(newCollector(service)); err != nil {
			return nil, errors.Join(err, lock.Close())
		}
	}
	return &Server{service, lock}, nil
}

func open(ctx context.Context, config Config, chainID string, chain content.Chain) (*content.Service, error) {
	store, err := config.store(ctx)
	if err != nil {
		return nil, err
	}
	limits := gitcache.DefaultLimits()
	repositories, err := gitcache.Open(filepath.Join(config.Dir, repositoryDir), limits)
	if err != nil {
		return nil, err
	}
	var fetcher content.Fetcher
	if config.Follow {
		fetcher = newFetcher(chainID, config.FollowPrivate)
	}
	return content.Open(ctx, content.Config{
		Dir: config.Dir, ChainID: chainID, Chain: chain, Store: store, Repositories: repositories, Fetcher: fetcher,
		PublicURL: config.PublicURL,
		MaxBytes:  config.MaxBytes, BytesPerUnit: config.BytesPerUnit, MinFree: config.MinFree, MaxUpload: limits.BundleBytes,
		FreeDisk:      func() (int64, error) { return content.FreeDisk(config.Dir) },
		ClientAddress: server.ClientAddress, IsConfidential: server.IsConfidential, LimitLoopback: config.LimitLoopback,
		WriteProblem: rest.WriteProblem, Now: time.Now, Log: config.Log,
	})
}

// Close releases the directory. Run must have ended.
func (s *Server) Close() error { return s.lock.Close() }

// Mounts returns the mounts of the service's routes.
func (s *Server) Mounts() []server.Mount {
	handler := s.Handler()
	return []server.Mount{
		server.FromHandler("/v1/content", handler), server.Transfer("/v1/content/", handler), server.Transfer("/git/", handler),
	}
}

// CheckURL checks a URL under which a service can be reached from everywhere. "" is valid.
func CheckURL(text string) error {
	if text == "" {
		return nil
	}
	parsed, err := url.Parse(text)
	if err != nil {
		return err
	}
	host := strings.ToLower(strings.TrimSuffix(parsed.Hostname(), "."))
	switch {
	case parsed.Scheme != "http" && parsed.Scheme != "https" || host == "":
		return fmt.Errorf("%q is not an http or https URL", text)
	case parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "":
		return fmt.Errorf("%q has a user, a query or a fragment", text)
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return fmt.Errorf("%q is this machine: others cannot reach it", text)
	}
	if address, err := netip.ParseAddr(host); err == nil && (address.IsLoopback() || address.IsUnspecified() || address.Unmap().IsLoopback()) {
		return fmt.Errorf("%q is this machine: others cannot reach it", text)
	}
	return nil
}

// RemoveRepositories deletes the repositories of a directory of content. The service builds them again from the git bundles when it
// starts. It returns ErrInUse while the service runs.
func RemoveRepositories(dir string) error {
	lock, err := LockDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(filepath.Join(dir, repositoryDir)), lock.Close())
}
