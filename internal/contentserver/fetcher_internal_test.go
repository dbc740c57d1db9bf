package contentserver

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"makechain/internal/ident"
)

// TestFetchPrivate checks that URLs on the chain are not followed into private networks, unless that is allowed.
func TestFetchPrivate(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for _, url := range []string{server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1), "http://10.0.0.1/", "http://[::1]/", "http://169.254.1.1"} {
		_, _, err := newFetcher("test", false).Open(t.Context(), url, ident.Hash{1}, ident.Hash{2})
		if err == nil || !strings.Contains(err.Error(), "private network") {
			t.Errorf("%s: %v", url, err)
		}
	}
	_, _, err := newFetcher("test", true).Open(t.Context(), server.URL, ident.Hash{1}, ident.Hash{2})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a store without content: %v", err)
	}
}
