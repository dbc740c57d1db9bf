// Package s3store keeps git bundles in a bucket of S3-compatible storage, as objects named <prefix><2 hex>/<64 hex> after the
// BLAKE3 digest of their bytes. A public bucket is a store to read from without this package.
//
// The digest is computed before anything is sent, and an object appears only when all of its bytes have arrived. So several
// services can share a bucket, and whoever writes an object last writes the same bytes. None of them deletes what another one
// needs: see reference.go.
package s3store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/zeebo/blake3"

	"makechain/internal/content/digest"
	"makechain/internal/ident"
)

const (
	// partSize is the size of the parts in which larger objects are sent. The parts of a file are read from it as they are sent.
	partSize = 64 << 20
	// parallelParts is the number of parts that are sent at a time.
	parallelParts = 2
	// retries is the number of attempts of a request. A client of the service waits meanwhile.
	retries = 3
	// dialTimeout is the time limit of establishing a connection, and stallTimeout that of a connection which transfers nothing.
	dialTimeout  = 5 * time.Second
	stallTimeout = 2 * time.Minute
	// roleTimeout is the time limit of asking the machine for the keys of its role.
	roleTimeout = 5 * time.Second
	// defaultEndpoint is where buckets are without an endpoint in the URL.
	defaultEndpoint = "https://s3.amazonaws.com"
)

// Config describes a bucket.
type Config struct {
	Endpoint string // an http or https URL without a path
	Bucket   string
	Prefix   string // of the names of objects; empty, or ends with a slash
	Region   string // empty to ask the server
	// Service is the name of the service in references, which is of lower-case hex digits. Empty is for copies that no service
	// has a record of: they are never deleted.
	Service string
}

// ParseURL returns the bucket of a URL of the form s3://bucket/prefix?endpoint=https://host&region=name. Both parameters are
// optional.
func ParseURL(text string) (Config, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Config{}, fmt.Errorf("the URL of a bucket: %w", err)
	}
	if u.Scheme != "s3" || u.Host == "" || u.User != nil || u.Fragment != "" || u.Port() != "" {
		return Config{}, fmt.Errorf("%q is not of the form s3://bucket/prefix?endpoint=https://host&region=name", u.Redacted())
	}
	config := Config{Endpoint: defaultEndpoint, Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
	if config.Prefix != "" {
		config.Prefix += "/"
	}
	parameters, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Config{}, fmt.Errorf("the URL of a bucket: %w", err)
	}
	for name := range parameters { // order: the error names one of the unknown parameters
		switch name {
		case "endpoint":
			config.Endpoint = parameters.Get(name)
		case "region":
			config.Region = parameters.Get(name)
		default:
			return Config{}, fmt.Errorf("unknown parameter %q of a bucket; endpoint and region are known", name)
		}
	}
	return config, nil
}

// Bucket is a store in a bucket. Its methods may be called concurrently.
type Bucket struct {
	core    minio.Core
	config  Config
	service string
}

// Open returns the store in a bucket, without a request to it. The keys are those of AWS's tools: the environment variables
// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or else the file ~/.aws/credentials, or else the role of the machine.
func Open(config Config) (*Bucket, error) {
	endpoint, err := url.Parse(config.Endpoint)
	secure := endpoint != nil && endpoint.Scheme == "https"
	if err != nil || endpoint.Host == "" || !secure && endpoint.Scheme != "http" || endpoint.User != nil || strings.Trim(endpoint.Path, "/") != "" {
		return nil, errors.New("the endpoint of a bucket must be an http or https URL without a path and without keys")
	}
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", config.Bucket, err)
	}
	transport.DialContext = dial
	core, err := minio.NewCore(endpoint.Host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: &http.Client{Timeout: roleTimeout}},
		}),
		Secure:     secure,
		Region:     config.Region,
		Transport:  transport,
		MaxRetries: retries,
	})
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", config.Bucket, err)
	}
	return &Bucket{core: *core, config: config, service: cmp.Or(config.Service, copies)}, nil
}

// Check returns an error if the bucket does not exist or cannot be used. The error is an *Error unless another attempt is
// pointless.
func (b *Bucket) Check(ctx context.Context) error {
	exists, err := b.core.BucketExists(ctx, b.config.Bucket)
	switch {
	case err == nil && exists:
		return nil
	case err == nil:
		return fmt.Errorf("bucket %s does not exist at %s: create it first", b.config.Bucket, b.config.Endpoint)
	case responseOf(err).StatusCode == http.StatusForbidden:
		return fmt.Errorf("bucket %s at %s: access denied; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: %w",
			b.config.Bucket, b.config.Endpoint, err)
	default:
		return failure(fmt.Errorf("bucket %s at %s: %w", b.config.Bucket, b.config.Endpoint, err))
	}
}

// dial connects to a server. The connection fails when nothing is transferred for a while.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return stallingConn{conn}, nil
}

// A stallingConn is a connection with a time limit that every transfer extends, in both directions: a response is awaited
// while a request is sent.
type stallingConn struct{ net.Conn }

func (c stallingConn) Read(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(stallTimeout)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c stallingConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(stallTimeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (b *Bucket) object(hash ident.Hash) string { return b.config.Prefix + digest.Path(hash) }

// Has returns the size of the bytes with a digest. The error wraps fs.ErrNotExist if there are none.
func (b *Bucket) Has(ctx context.Context, hash ident.Hash) (int64, error) {
	info, err := b.core.StatObject(ctx, b.config.Bucket, b.object(hash), minio.StatObjectOptions{})
	if err != nil {
		return 0, objectError(hash, err)
	}
	return info.Size, nil
}

// Get returns length bytes from an offset on, all of them from there if length is negative. The error wraps fs.ErrNotExist if
// there are none.
func (b *Bucket) Get(ctx context.Context, hash ident.Hash, offset, length int64) (io.ReadCloser, error) {
	if offset < 0 {
		return nil, fmt.Errorf("content %s: negative offset %d", hash, offset)
	}
	if length == 0 { // a range of no bytes cannot be requested
		_, err := b.Has(ctx, hash)
		return http.NoBody, err
	}
	var options minio.GetObjectOptions
	switch {
	case length > 0:
		options.Set("Range", fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))
	case offset > 0:
		options.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	body, _, _, err := b.core.GetObject(ctx, b.config.Bucket, b.object(hash), options)
	if responseOf(err).StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return http.NoBody, nil // the offset is the end or after it
	}
	if err != nil {
		return nil, objectError(hash, err)
	}
	return body, nil
}

// Put stores the bytes of a reader, or returns a *digest.Error if they have another digest. It does not send what the bucket has
// already. A reader that is not a file is copied to a temporary one, because its size must be known.
func (b *Bucket) Put(ctx context.Context, hash ident.Hash, r io.Reader) error {
	file, isFile := r.(*os.File)
	if !isFile {
		var err error
		if file, err = os.CreateTemp("", "makechain-content-*"); err != nil {
			return fmt.Errorf("store content %s: %w", hash, err)
		}
		defer func() {
			_ = file.Close() // it was only read
			_ = os.Remove(file.Name())
		}()
		if _, err := io.Copy(file, r); err != nil {
			return fmt.Errorf("store content %s: %w", hash, err)
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("store content %s: %w", hash, err)
		}
	}
	if err := b.putFile(ctx, hash, file); err != nil {
		return fmt.Errorf("store content %s: %w", hash, err)
	}
	return nil
}

// putFile stores the bytes from the current offset of a file.
func (b *Bucket) putFile(ctx context.Context, hash ident.Hash, file *os.File) error {
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	hasher := blake3.New()
	size, err := io.Copy(hasher, file)
	if err != nil {
		return err
	}
	if err := digest.Check(hash, hasher); err != nil {
		return err
	}
	if err := b.refer(ctx, hash); err != nil {
		return err
	}
	// An object of another size is damaged, and is replaced.
	stored, err := b.Has(ctx, hash)
	if err == nil && stored == size || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err = b.core.Client.PutObject(ctx, b.config.Bucket, b.object(hash), io.NewSectionReader(file, start, size), size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", PartSize: partSize, NumThreads: parallelParts,
	})
	return failure(err)
}

// Error is returned when the server cannot be reached or does not do what it is asked to, except for objects that do not exist.
type Error struct{ err error }

// responseOf returns the response with an error of the server, which is empty if there was none.
func responseOf(err error) minio.ErrorResponse {
	response, _ := errors.AsType[minio.ErrorResponse](err)
	return response
}

// failure returns the *Error of an error of a request, nil for nil.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return &Error{err}
}

func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the error of the request.
func (e *Error) Unwrap() error { return e.err }

// StoreStatus returns the HTTP status with which a service reports the error to its clients.
func (e *Error) StoreStatus() int {
	response := responseOf(e.err)
	if response.StatusCode == http.StatusInsufficientStorage || response.Code == "QuotaExceeded" {
		return http.StatusInsufficientStorage
	}
	return http.StatusServiceUnavailable
}

// objectError returns the error of a request for an object, which wraps fs.ErrNotExist when there is no such object.
func objectError(hash ident.Hash, err error) error {
	if response := responseOf(err); response.StatusCode == http.StatusNotFound && response.Code != minio.NoSuchBucket {
		return fmt.Errorf("content %s: %w", hash, fs.ErrNotExist)
	}
	return failure(fmt.Errorf("content %s: %w", hash, err))
}
