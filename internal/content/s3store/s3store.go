// Package s3store keeps git bundles in a bucket of S3-compatible storage, as objects named <prefix><2 hex>/<64 hex> after the
// BLAKE3 digest of their bytes. A public bucket is a store to read from without this package.
//
// The digest is computed before anything is sent, and an object appears only when all of its bytes have arrived. So several
// services can share a bucket, and whoever writes an object last writes the same bytes.
package s3store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/zeebo/blake3"

	"makechain/internal/ident"
)

const (
	// partSize is the size of the parts in which larger objects are sent. The parts of a file are read from it as they are sent.
	partSize = 64 << 20
	// parallelParts is the number of parts that are sent at a time.
	parallelParts = 2
	// defaultEndpoint is where buckets are without an endpoint in the URL.
	defaultEndpoint = "https://s3.amazonaws.com"
)

// Config describes a bucket.
type Config struct {
	Endpoint string // an http or https URL without a path
	Bucket   string
	Prefix   string // of the names of objects; empty, or ends with a slash
	Region   string // empty to ask the server
}

// ParseURL returns the bucket of a URL of the form s3://bucket/prefix?endpoint=https://host&region=name. Both parameters are
// optional.
func ParseURL(text string) (Config, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Config{}, fmt.Errorf("the URL of a bucket: %w", err)
	}
	if u.Scheme != "s3" || u.Host == "" || u.User != nil || u.Fragment != "" || u.Port() != "" {
		return Config{}, fmt.Errorf("%q is not of the form s3://bucket/prefix?endpoint=https://host&region=name", text)
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
			return Config{}, fmt.Errorf("%q: unknown parameter %q; endpoint and region are known", text, name)
		}
	}
	return config, nil
}

// Bucket is a store in a bucket. Its methods may be called concurrently.
type Bucket struct {
	core   minio.Core
	bucket string
	prefix string
}

// Open returns the store in a bucket, which must exist. The keys are those of AWS's tools: the environment variables
// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or else the file ~/.aws/credentials.
func Open(ctx context.Context, config Config) (*Bucket, error) {
	endpoint, err := url.Parse(config.Endpoint)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" || strings.Trim(endpoint.Path, "/") != "" {
		return nil, fmt.Errorf("%q is not the http or https URL of an S3 endpoint", config.Endpoint)
	}
	core, err := minio.NewCore(endpoint.Host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
		}),
		Secure: endpoint.Scheme == "https",
		Region: config.Region,
	})
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", config.Bucket, err)
	}
	exists, err := core.BucketExists(ctx, config.Bucket)
	if err != nil {
		return nil, fmt.Errorf("bucket %s at %s: %w", config.Bucket, config.Endpoint, err)
	}
	if !exists {
		return nil, fmt.Errorf("bucket %s does not exist at %s: create it first", config.Bucket, config.Endpoint)
	}
	return &Bucket{core: *core, bucket: config.Bucket, prefix: config.Prefix}, nil
}

func (b *Bucket) object(digest ident.Hash) string {
	name := digest.String()
	return b.prefix + name[:2] + "/" + name
}

// Has returns the size of the bytes with a digest. The error wraps fs.ErrNotExist if there are none.
func (b *Bucket) Has(ctx context.Context, digest ident.Hash) (int64, error) {
	info, err := b.core.StatObject(ctx, b.bucket, b.object(digest), minio.StatObjectOptions{})
	if err != nil {
		return 0, objectError(digest, err)
	}
	return info.Size, nil
}

// Get returns length bytes from an offset on, all of them from there if length is negative. The error wraps fs.ErrNotExist if
// there are none.
func (b *Bucket) Get(ctx context.Context, digest ident.Hash, offset, length int64) (io.ReadCloser, error) {
	size, err := b.Has(ctx, digest)
	if err != nil {
		return nil, err
	}
	end := size
	if length >= 0 && length < size-offset {
		end = offset + length
	}
	if offset < 0 {
		return nil, fmt.Errorf("content %s: negative offset %d", digest, offset)
	}
	if offset >= end { // a range of no bytes cannot be requested
		return http.NoBody, nil
	}
	var options minio.GetObjectOptions
	if err := options.SetRange(offset, end-1); err != nil {
		return nil, fmt.Errorf("content %s: %w", digest, err)
	}
	body, _, _, err := b.core.GetObject(ctx, b.bucket, b.object(digest), options)
	if err != nil {
		return nil, objectError(digest, err)
	}
	return body, nil
}

// Put stores the bytes of a reader, or returns a *DigestError if they have another digest. It does not read if the bucket has the
// digest already. A reader that is not a file is copied to a temporary one, because its size must be known.
func (b *Bucket) Put(ctx context.Context, digest ident.Hash, r io.Reader) error {
	if _, err := b.Has(ctx, digest); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, isFile := r.(*os.File)
	if !isFile {
		var err error
		if file, err = os.CreateTemp("", "makechain-content-*"); err != nil {
			return fmt.Errorf("store content %s: %w", digest, err)
		}
		defer func() {
			_ = file.Close() // it was only read
			_ = os.Remove(file.Name())
		}()
		if _, err := io.Copy(file, r); err != nil {
			return fmt.Errorf("store content %s: %w", digest, err)
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("store content %s: %w", digest, err)
		}
	}
	if err := b.putFile(ctx, digest, file); err != nil {
		return fmt.Errorf("store content %s: %w", digest, err)
	}
	return nil
}

// putFile stores the bytes from the current offset of a file.
func (b *Bucket) putFile(ctx context.Context, digest ident.Hash, file *os.File) error {
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	hasher := blake3.New()
	size, err := io.Copy(hasher, file)
	if err != nil {
		return err
	}
	if got := ident.Hash(hasher.Sum(nil)); got != digest {
		return &DigestError{Want: digest, Got: got}
	}
	_, err = b.core.Client.PutObject(ctx, b.bucket, b.object(digest), io.NewSectionReader(file, start, size), size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", PartSize: partSize, NumThreads: parallelParts,
	})
	return err
}

// DigestError is returned by Put when the bytes do not have the digest.
type DigestError struct{ Want, Got ident.Hash }

func (e *DigestError) Error() string {
	return fmt.Sprintf("the bytes have the digest %s, not %s", e.Got, e.Want)
}

// objectError returns the error of a request for an object, which wraps fs.ErrNotExist when there is no such object.
func objectError(digest ident.Hash, err error) error {
	if response := minio.ToErrorResponse(err); response.StatusCode == http.StatusNotFound {
		return fmt.Errorf("content %s: %w", digest, fs.ErrNotExist)
	}
	return fmt.Errorf("content %s: %w", digest, err)
}

// Exclusive is a bucket that only one service uses, which may delete from it.
type Exclusive struct{ *Bucket }

// Delete deletes the bytes with a digest. It returns nil if there are none.
func (e Exclusive) Delete(ctx context.Context, digest ident.Hash) error {
	if err := e.core.RemoveObject(ctx, e.bucket, e.object(digest), minio.RemoveObjectOptions{}); err != nil {
		return fmt.Errorf("delete content %s: %w", digest, err)
	}
	return nil
}
