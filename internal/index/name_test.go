package index_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/message"
)

// namedProjects returns a chain with projects of two owners.
func namedProjects(t *testing.T) *chain {
	t.Helper()
	c := newChain(t)
	c.must(append(c.join("alice", 3), c.join("bobby", 3)...)...)
	var messages []*message.Envelope
	for _, name := range []string{"ab", "a", "abc", "b", "a-b", "A", "ab0"} {
		messages = append(messages,
			c.sign("alice", message.ProjectCreate(name, pb.Visibility_VISIBILITY_PUBLIC, "", "")),
			c.sign("bobby", message.ProjectCreate(name, pb.Visibility_VISIBILITY_PRIVATE, "", "")))
	}
	c.must(messages...)
	return c
}

// TestSearchPages checks searches by prefix, for one owner and for all, with all page sizes.
func TestSearchPages(t *testing.T) {
	t.Parallel()
	c := namedProjects(t)
	alice := c.actor("alice").Address
	for _, prefix := range []string{"", "a", "ab", "abc", "abcd", "a-", "A", "z"} {
		for _, owner := range []*ident.Address{nil, &alice} {
			want := slices.DeleteFunc(c.names(), func(n index.ProjectName) bool {
				return !strings.HasPrefix(n.Name, prefix) || owner != nil && n.Owner != *owner
			})
			for limit := 1; limit <= 5; limit++ {
				got := searchPages(t, c, prefix, owner, limit)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("prefix %q in pages of %d, want (-) and got (+):\n%s", prefix, limit, diff)
				}
			}
		}
	}
}

func searchPages(t *testing.T, c *chain, prefix string, owner *ident.Address, limit int) []index.ProjectName {
	t.Helper()
	found := []index.ProjectName{}
	var after []byte
	for {
		page, err := c.reader().SearchProjects(prefix, owner, limit, after)
		if err != nil || len(page) > limit {
			t.Fatalf("a page of %d, want at most %d; %v", len(page), limit, err)
		}
		if len(page) == 0 {
			return found
		}
		found, after = append(found, page...), page[len(page)-1].Cursor()
	}
}

// TestCursorAfterRemoval checks that a cursor stays valid after its project was removed.
func TestCursorAfterRemoval(t *testing.T) {
	t.Parallel()
	c := namedProjects(t)
	page, err := c.reader().SearchProjects("ab", nil, 2, nil)
	if err != nil || len(page) != 2 {
		t.Fatalf("%v, %v", page, err)
	}
	rest := searchPages(t, c, "ab", nil, everything)[2:]
	owner := "alice"
	if page[1].Owner != c.actor(owner).Address {
		owner = "bobby"
	}
	c.must(c.sign(owner, message.ProjectRemove(page[1].Project)))
	got, err := c.reader().SearchProjects("ab", nil, everything, page[1].Cursor())
	if diff := cmp.Diff(rest, got); err != nil || diff != "" {
		t.Errorf("%v, want (-) and got (+):\n%s", err, diff)
	}
}

// TestSearchInvalidCursors checks that invalid cursors are refused and that a prefix with a zero byte finds nothing.
func TestSearchInvalidCursors(t *testing.T) {
	t.Parallel()
	c := namedProjects(t)
	for _, after := range []string{"x", strings.Repeat("x", 40), "\x00" + strings.Repeat("x", 32), "a\x00b\x00" + strings.Repeat("x", 32)} {
		if _, err := c.reader().SearchProjects("", nil, 1, []byte(after)); !errors.Is(err, index.ErrCursor) {
			t.Errorf("cursor %q returns %v, want %v", after, err, index.ErrCursor)
		}
	}
	if names, err := c.reader().SearchProjects("a\x00", nil, 1, nil); len(names) > 0 || err != nil {
		t.Errorf("a zero byte finds %v, %v", names, err)
	}
}

// TestNameMoves checks a name that moves from one project to another within a block.
func TestNameMoves(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	c.must(c.join("alice", 3)...)
	first := c.sign("alice", message.ProjectCreate("first", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	c.must(first)
	c.must(
		c.sign("alice", message.ProjectRemove(first.Hash)),
		c.sign("alice", message.ProjectCreate("first", pb.Visibility_VISIBILITY_PRIVATE, "", "")))
	passing := c.sign("alice", message.ProjectCreate("passing", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	c.must(passing, c.sign("alice", message.ProjectRemove(passing.Hash)))
	names, err := c.reader().SearchProjects("", nil, everything, nil)
	if err != nil || len(names) != 1 || names[0].Name != "first" || names[0].Project == first.Hash {
		t.Errorf("%v, %v; want the second project with the name first", names, err)
	}
	c.check()
}
