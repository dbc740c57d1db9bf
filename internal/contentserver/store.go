package contentserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"makechain/internal/content"
	"makechain/internal/content/dirstore"
	"makechain/internal/content/s3store"
)

// bucketScheme is the beginning of the URL of a bucket.
const bucketScheme = "s3://"

// OpenStore opens a store for copies of git bundles: a directory, which is created, or a bucket, which must exist, as
// s3://bucket/prefix?endpoint=https://host&region=name. A service that shares the store does not delete the copies.
func OpenStore(ctx context.Context, text string) (content.Store, error) {
	if !IsBucket(text) {
		return openDir(text)
	}
	bucket, err := openBucket(text, "")
	if err != nil {
		return nil, err
	}
	return bucket, bucket.Check(ctx)
}

// IsBucket reports whether the text of a store is the URL of a bucket.
func IsBucket(text string) bool { return strings.HasPrefix(text, bucketScheme) }

// OpenStoreOf opens the store of the service of a directory for reading, which may be running. The text is "" if it is the
// directory itself.
func OpenStoreOf(ctx context.Context, dir, text string) (content.Store, error) {
	if _, err := readBinding(dir, text); err != nil {
		return nil, err
	}
	if text == "" {
		return dirstore.Open(filepath.Join(dir, bundleDir))
	}
	return OpenStore(ctx, text)
}

// CheckStore checks the form of the text of a store.
func CheckStore(text string) error {
	if IsBucket(text) {
		_, err := openBucket(text, "")
		return err
	}
	_, err := dirOf(text)
	return err
}

// dirOf returns the directory of a path or file URL.
func dirOf(text string) (string, error) {
	path := strings.TrimPrefix(text, "file://")
	if path == "" || strings.Contains(path, "://") {
		return "", fmt.Errorf("%q is neither a directory nor s3://bucket/prefix?endpoint=https://host&region=name", text)
	}
	return path, nil
}

func openDir(text string) (*dirstore.Dir, error) {
	path, err := dirOf(text)
	if err != nil {
		return nil, err
	}
	return dirstore.Open(path)
}

func openBucket(text, service string) (*s3store.Bucket, error) {
	config, err := s3store.ParseURL(text)
	if err != nil {
		return nil, err
	}
	config.Service = service
	return s3store.Open(config)
}

// store opens the store of a service. A bucket that cannot be reached now is opened too: the service reports it to clients until
// it can be.
func (c *Config) store(ctx context.Context) (store content.Store, err error) {
	bound, err := readBinding(c.Dir, c.Store)
	switch {
	case err != nil:
		return nil, err
	case c.Store == "":
		store, err = dirstore.Open(filepath.Join(c.Dir, bundleDir))
	case IsBucket(c.Store):
		store, err = c.bucket(ctx, bound.Service)
	default:
		store, err = openDir(c.Store)
	}
	if err != nil {
		return nil, err
	}
	if c.Store != "" && !c.Collect {
		store = struct{ content.Store }{store} // without its method Delete
	}
	return store, bound.write(c.Dir)
}

func (c *Config) bucket(ctx context.Context, service string) (*s3store.Bucket, error) {
	bucket, err := openBucket(c.Store, service)
	if err != nil {
		return nil, err
	}
	err = bucket.Check(ctx)
	if unavailable, ok := errors.AsType[*s3store.Error](err); ok {
		c.Log.WarnContext(ctx, "the content store is not available", "error", unavailable)
		err = nil
	}
	return bucket, err
}

// storeFile in the directory of a service has its binding.
const storeFile = "store.json"

// nameBytes is the size of the name of a service.
const nameBytes = 16

// A binding is the store that has the git bundles of a directory, and the random name of the service in shared buckets.
type binding struct {
	Store   string `json:"store"`
	Service string `json:"service"`
}

// readBinding returns the binding of a directory to a store, a new one if there is none. Once the directory has records it refuses
// another store than before, which does not have their bytes.
func readBinding(dir, store string) (*binding, error) {
	store, _, _ = strings.Cut(store, "?") // the endpoint of a bucket may change
	store = strings.TrimRight(store, "/")
	path := filepath.Join(dir, storeFile)
	bound := &binding{}
	encoded, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(encoded, bound)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the store of the content: %s: %w", path, err)
	}
	if bound.Store == store && bound.Service != "" {
		return bound, nil
	}
	hasRecords, err := content.HasRecords(dir)
	switch {
	case err != nil:
		return nil, err
	case !hasRecords || bound.Store == store:
		return newBinding(store)
	case bound.Store == "":
		own := filepath.Join(dir, bundleDir)
		return nil, fmt.Errorf(`the git bundles of %s are in %s: copy them to %s, then write {"store":%q} to %s`, dir, own, store, store, path)
	default:
		return nil, fmt.Errorf(`the git bundles of %s are in %s: start with --content-store, or copy them to another store and change %s`,
			dir, bound.Store, path)
	}
}

func newBinding(store string) (*binding, error) {
	random := make([]byte, nameBytes)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	return &binding{Store: store, Service: hex.EncodeToString(random)}, nil
}

// write writes the binding to its file, which is complete after a crash or does not exist.
func (b *binding) write(dir string) error {
	encoded, err := json.Marshal(b)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, storeFile+".*.tmp")
	if err != nil {
		return err
	}
	_, err = file.Write(append(encoded, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, storeFile))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
