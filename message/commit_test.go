package message

import (
	"strings"
	"testing"

	pb "makechain/gen/makechain"
)

// bundleOf returns n different commits.
func bundleOf(n int) []*pb.CommitMeta {
	list := make([]*pb.CommitMeta, n)
	for i := range list {
		commit := testCommit(1)
		commit.Hash[1], commit.Hash[2], commit.Hash[3] = byte(i), byte(i>>8), 1
		list[i] = commit.proto()
	}
	return list
}

// TestCommitBundleBounds checks the limits of COMMIT_BUNDLE's own fields.
//
// Rules: P5/COMMIT_BUNDLE.
func TestCommitBundleBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.CommitBundleBody
	good := func() *pb.MessageData {
		return CommitBundle(projectID, Content{Digest: otherID, URL: "https://example.org"}, testCommit(1), testCommit(2))
	}
	url := func(value string) func(body) { return func(b body) { b.Url = value } }
	checkBounds(t, good, (*pb.MessageData).GetCommitBundle, []bound[body]{
		{"no project", func(b body) { b.ProjectId = nil }, "commit_bundle.project_id: 0 bytes, want 32"},
		{"no commits", func(b body) { b.Commits = nil }, "commit_bundle.commits: 0 elements, at least 1"},
		{"one commit", func(b body) { b.Commits = b.Commits[:1] }, ""},
		{"most commits", func(b body) { b.Commits = bundleOf(1000) }, ""},
		{"too many commits", func(b body) { b.Commits = bundleOf(1001) }, "commit_bundle.commits: 1001 elements, at most 1000"},
		{
			"hash twice", func(b body) { b.Commits = append(bundleOf(9), b.Commits[1], b.Commits[0], b.Commits[1]) },
			"commit_bundle.commits[11].hash: " + testCommit(2).Hash.String() + " is duplicated",
		},
		{"no digest and no url", func(b body) { b.ContentDigest, b.Url = nil, "" }, ""},
		{"url without digest", func(b body) { b.ContentDigest = nil }, "commit_bundle.url: set without content_digest"},
		{"short digest", func(b body) { b.ContentDigest = otherID[:16] }, "commit_bundle.content_digest: 16 bytes, want 0 or 32"},
		{"no url", url(""), ""},
		{"longest url", url(zeros(2048)), ""},
		{"url too long", url(zeros(2049)), "commit_bundle.url: 2049 bytes, at most 2048"},
		{"url beyond ASCII", url("https://example.org/é\u00a0\u2028"), ""},
		{"zero in url", url("a\x00"), "commit_bundle.url: control character U+0000 at byte 1"},
		{"newline in url", url("a\nb"), "commit_bundle.url: control character U+000A at byte 1"},
		{"last of C0 in url", url("\x1f"), "commit_bundle.url: control character U+001F at byte 0"},
		{"delete in url", url("\x7f"), "commit_bundle.url: control character U+007F at byte 0"},
		{"first of C1 in url", url("é\u0080"), "commit_bundle.url: control character U+0080 at byte 2"},
		{"last of C1 in url", url("\u009f"), "commit_bundle.url: control character U+009F at byte 0"},
	})
}

// TestCommitBounds checks the limits of the commits in a COMMIT_BUNDLE.
//
// Rules: P5/COMMIT_BUNDLE.
func TestCommitBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.CommitBundleBody
	good := func() *pb.MessageData { return CommitBundle(projectID, Content{}, testCommit(1), testCommit(2)) }
	second := func(change func(*pb.CommitMeta)) func(body) { return func(b body) { change(b.Commits[1]) } }
	parents := func(n int) func(*pb.CommitMeta) {
		return func(c *pb.CommitMeta) { c.Parents = hashList(make([]Hash, n)) }
	}
	checkBounds(t, good, (*pb.MessageData).GetCommitBundle, []bound[body]{
		{"no hash", second(func(c *pb.CommitMeta) { c.Hash = nil }), "commit_bundle.commits[1].hash: 0 bytes, want 32"},
		{"no parents", second(parents(0)), ""},
		{"most parents", second(parents(64)), ""},
		{"too many parents", second(parents(65)), "commit_bundle.commits[1].parents: 65 elements, at most 64"},
		{
			"short parent", second(func(c *pb.CommitMeta) { c.Parents = [][]byte{commitID[:], commitID[1:]} }),
			"commit_bundle.commits[1].parents[1]: 31 bytes, want 32",
		},
		{"empty parent", second(func(c *pb.CommitMeta) { c.Parents = [][]byte{nil} }), "commit_bundle.commits[1].parents[0]: 0 bytes, want 32"},
		{"no tree", second(func(c *pb.CommitMeta) { c.TreeRoot = nil }), "commit_bundle.commits[1].tree_root: 0 bytes, want 32"},
		{"no time", second(func(c *pb.CommitMeta) { c.AuthorTimestamp = 0 }), ""},
		{"no title", second(func(c *pb.CommitMeta) { c.Title = "" }), ""},
		{"longest title", second(func(c *pb.CommitMeta) { c.Title = zeros(200) }), ""},
		{"title too long", second(func(c *pb.CommitMeta) { c.Title = zeros(201) }), "commit_bundle.commits[1].title: 201 bytes, at most 200"},
		{"title counts bytes", second(func(c *pb.CommitMeta) { c.Title = strings.Repeat("é", 101) }), "commit_bundle.commits[1].title: 202 bytes, at most 200"},
		{"no message hash", second(func(c *pb.CommitMeta) { c.MessageHash = nil }), "commit_bundle.commits[1].message_hash: 0 bytes, want 32"},
		{"no author", second(func(c *pb.CommitMeta) { c.AuthorAddress = nil }), "commit_bundle.commits[1].author_address: 0 bytes, want 20"},
		{"no author name", second(func(c *pb.CommitMeta) { c.AuthorName = "" }), ""},
		{"longest author name", second(func(c *pb.CommitMeta) { c.AuthorName = strings.Repeat("é", 50) }), ""},
		{
			"author name too long", second(func(c *pb.CommitMeta) { c.AuthorName = strings.Repeat("a", 101) }),
			"commit_bundle.commits[1].author_name: 101 bytes, at most 100",
		},
		{
			"line feed in author name", second(func(c *pb.CommitMeta) { c.AuthorName = "a\nb" }),
			"commit_bundle.commits[1].author_name: control character U+000A at byte 1",
		},
		{"long author", second(func(c *pb.CommitMeta) { c.AuthorAddress = make([]byte, 32) }), "commit_bundle.commits[1].author_address: 32 bytes, want 20"},
	})
}
