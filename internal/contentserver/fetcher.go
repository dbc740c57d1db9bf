package contentserver

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"makechain/internal/content"
	"makechain/internal/ident"
	"makechain/internal/storeclient"
)

// storeTTL is how long the kind of a store is remembered, and maxStores of how many stores.
const (
	storeTTL  = 10 * time.Minute
	maxStores = 1000
)

// fetcher reads from the stores that projects name on the chain.
type fetcher struct {
	client *storeclient.Client
	policy storeclient.Policy

	mu     sync.Mutex // guards stores
	stores map[string]*knownStore
}

// knownStore is a store whose kind was found out at some time.
type knownStore struct {
	*storeclient.Store

	at time.Time
}

var _ content.Fetcher = (*fetcher)(nil)

func newFetcher(chainID string, private bool) *fetcher {
	policy := storeclient.PublicOnly
	if private {
		policy = storeclient.Anywhere
	}
	client := storeclient.NewClient(chainID, http.ProxyFromEnvironment, storeclient.DefaultStall)
	return &fetcher{client: client, policy: policy, stores: map[string]*knownStore{}}
}

// Open implements content.Fetcher.
func (f *fetcher) Open(ctx context.Context, url string, project, digest ident.Hash) (io.ReadCloser, int64, error) {
	store, err := f.store(ctx, url)
	if err != nil {
		return nil, 0, err
	}
	body, size, err := store.Open(ctx, project, digest)
	if storeclient.IsNotThere(err) {
		err = fmt.Errorf("%s: %w", store.Name, fs.ErrNotExist)
	}
	return body, size, err
}

// store returns the store at a URL.
func (f *fetcher) store(ctx context.Context, url string) (*storeclient.Store, error) {
	f.mu.Lock()
	known := f.stores[url]
	f.mu.Unlock()
	if known != nil && time.Since(known.at) < storeTTL {
		return known.Store, nil
	}
	store, err := f.client.Open(ctx, url, f.policy)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.stores) >= maxStores {
		clear(f.stores)
	}
	f.stores[url] = &knownStore{store, time.Now()}
	return store, nil
}
