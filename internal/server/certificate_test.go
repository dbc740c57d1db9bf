package server

import (
	"bytes"
	"crypto/tls"
	"os"
	"strings"
	"testing"
	"time"
)

// copyFile replaces a file as a renewal does. Its modification time differs from that of the previous content.
func copyFile(t *testing.T, from, to string, modified time.Time) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(to, modified, modified); err != nil {
		t.Fatal(err)
	}
}

// presented returns the certificate that a server presents.
func (r *running) presented(t *testing.T) []byte {
	t.Helper()
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} // the certificate is compared
	conn, err := dialer.DialContext(t.Context(), "tcp", r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Raw
}

// TestCertificateIsReloaded renews the certificate of a server, first with a key that does not fit.
func TestCertificateIsReloaded(t *testing.T) {
	t.Parallel()
	certFile, keyFile, _ := newCertificate(t)
	newCert, newKey, _ := newCertificate(t)
	r := start(t, Config{CertFile: certFile, KeyFile: keyFile}, &services{})
	first := r.presented(t)

	copyFile(t, newCert, certFile, time.Now().Add(time.Hour))
	const failed = "the new TLS certificate cannot be loaded"
	eventually(t, func() bool {
		if !bytes.Equal(r.presented(t), first) {
			t.Error("a certificate without its key is presented")
		}
		return strings.Contains(r.log.String(), failed)
	}, func() { t.Errorf("the log does not contain %q", failed) })

	copyFile(t, newKey, keyFile, time.Now().Add(time.Hour))
	eventually(t, func() bool { return !bytes.Equal(r.presented(t), first) }, func() { t.Error("the new certificate is not presented") })
	r.wantLog(t, "loaded the new TLS certificate")
}

// TestCertificateChecks checks how often the files are read, and that a missing file is found again.
func TestCertificateChecks(t *testing.T) {
	t.Parallel()
	certFile, keyFile, _ := newCertificate(t)
	newCert, newKey, _ := newCertificate(t)
	now := time.Now()
	r := start(t, Config{}, &services{})
	c, err := loadCertificate(certFile, keyFile, r.interceptor.log, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	get := func() *tls.Certificate {
		got, err := c.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := get()
	if err := os.Remove(certFile); err != nil {
		t.Fatal(err)
	}
	now = now.Add(certificateInterval)
	if get() != first {
		t.Error("the certificate changed when its file was removed")
	}
	copyFile(t, newCert, certFile, now.Add(time.Hour))
	copyFile(t, newKey, keyFile, now.Add(time.Hour))
	if get() != first {
		t.Error("the files were checked twice within the interval")
	}
	now = now.Add(certificateInterval)
	renewed := get()
	if renewed == first {
		t.Error("the new certificate was not loaded")
	}
	now = now.Add(certificateInterval)
	if get() != renewed {
		t.Error("files that did not change were loaded again")
	}
}
