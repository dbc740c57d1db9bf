package content

import "testing"

// TestFreeDisk checks that running uploads count as used disk space, whether or not they have been written.
func TestFreeDisk(t *testing.T) {
	t.Parallel()
	c, err := openCatalog(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const size, plenty = 100, 1 << 40
	allowed := allowance{total: plenty, owner: plenty, uploader: plenty, minFree: 1_000, free: 1_000 + 2*diskFactor*size}
	var releases []func()
	for range 2 {
		release, refused := c.reserve(&reservation{owner: "alice", uploader: "alice", size: size}, allowed)
		if refused != nil {
			t.Fatalf("an upload that fits was refused: %v", refused)
		}
		releases = append(releases, release)
	}
	bob := &reservation{owner: "bob", uploader: "bob", size: 1}
	if _, refused := c.reserve(bob, allowed); refused == nil || refused.code != codeInsufficientStorage {
		t.Errorf("with two running uploads another one got %v, want %s", refused, codeInsufficientStorage)
	}
	releases[0]()
	if _, refused := c.reserve(bob, allowed); refused != nil {
		t.Errorf("after one has ended it was refused: %v", refused)
	}
}
