package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificateInterval is the shortest time between two checks of whether the files of a certificate have changed.
const certificateInterval = time.Second

// A certificate is a TLS certificate that is loaded again when one of its files changes, so that it can be renewed without a
// restart. While the new files are not a valid pair, the certificate that was loaded before is used.
type certificate struct {
	certFile, keyFile string
	now               func() time.Time
	log               *slog.Logger

	mu      sync.Mutex // guards the fields below
	loaded  *tls.Certificate
	version [2]fileVersion // of the files that were read last, also if they were not valid
	checked time.Time
}

// fileVersion identifies the content of a file: renewals replace the file or write it anew.
type fileVersion struct {
	modified time.Time
	size     int64
}

// loadCertificate loads a certificate and returns an error if the files are not a valid pair.
func loadCertificate(certFile, keyFile string, log *slog.Logger, now func() time.Time) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, now: now, log: log, checked: now()}
	var err error
	if c.version, err = c.readVersion(); err != nil {
		return nil, fmt.Errorf("load the TLS certificate: %w", err)
	}
	return c, c.load()
}

// get returns the certificate for a handshake.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if now.Sub(c.checked) < certificateInterval {
		return c.loaded, nil
	}
	c.checked = now
	version, err := c.readVersion()
	switch {
	case err == nil && version == c.version:
		return c.loaded, nil
	case err == nil:
		c.version = version
		err = c.load()
	}
	if err != nil {
		c.log.Warn("the new TLS certificate cannot be loaded, the previous one is used", "error", err)
	} else {
		c.log.Info("loaded the new TLS certificate", "file", c.certFile)
	}
	return c.loaded, nil
}

// load replaces the certificate if the files are a valid pair. c.mu must be held, or c not be shared yet.
func (c *certificate) load() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("load the TLS certificate: %w", err)
	}
	c.loaded = &pair
	return nil
}

func (c *certificate) readVersion() (version [2]fileVersion, err error) {
	for i, path := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(path)
		if err != nil {
			return version, err
		}
		version[i] = fileVersion{info.ModTime(), info.Size()}
	}
	return version, nil
}
