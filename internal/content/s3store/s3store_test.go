package s3store_test

import (
	"testing"

	"makechain/internal/content/s3store"
)

// TestParseURL checks the URLs of buckets. The store itself is tested against a server in tools/s3.
func TestParseURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]s3store.Config{
		"s3://bundles":            {Endpoint: "https://s3.amazonaws.com", Bucket: "bundles"},
		"s3://bundles/":           {Endpoint: "https://s3.amazonaws.com", Bucket: "bundles"},
		"s3://bundles/makechain/": {Endpoint: "https://s3.amazonaws.com", Bucket: "bundles", Prefix: "makechain/"},
		"s3://bundles/a/b?endpoint=http://localhost:7070&region=eu-1": {
			Endpoint: "http://localhost:7070", Bucket: "bundles", Prefix: "a/b/", Region: "eu-1",
		},
	} {
		if got, err := s3store.ParseURL(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "bundles", "https://bundles", "s3://", "s3:///prefix", "s3://key:secret@bundles", "s3://bundles:80/", "s3://bundles/#part",
		"s3://bundles?secret=x", "s3://bundles?%zz",
	} {
		if got, err := s3store.ParseURL(text); err == nil {
			t.Errorf("%q was accepted as %+v", text, got)
		}
	}
}

// TestOpenEndpoint checks that an endpoint is validated before it is used.
func TestOpenEndpoint(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"", "localhost:7070", "ftp://localhost", "http://localhost/path", "http://"} {
		if _, err := s3store.Open(s3store.Config{Endpoint: endpoint, Bucket: "bundles"}); err == nil {
			t.Errorf("%q was accepted", endpoint)
		}
	}
}
