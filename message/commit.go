package message

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Bounds of a bundle and of its commits (P5).
const (
	MaxCommits    = 1_000 // commits in a bundle
	MaxParents    = 64    // parents of a commit
	MaxTitle      = 200   // bytes
	MaxAuthorName = 100   // bytes
	MaxURL        = 2_048 // bytes
)

// Commit describes one commit. Its hash is declared, not computed from the other fields (P2.7).
type Commit struct {
	Hash            Hash
	Parents         []Hash
	TreeRoot        Hash
	AuthorTimestamp uint32 // Unix seconds
	Title           string
	MessageHash     Hash
	Author          Address
	AuthorName      string // the author's name in git, as claimed; empty when it is not published
}

// Content is the location of a bundle's content. Both fields are optional, but a URL needs a digest.
type Content struct {
	Digest Hash
	URL    string
}

// CommitBundle returns a message that adds commits to a project, parents first.
func CommitBundle(project Hash, content Content, commits ...Commit) *pb.MessageData {
	list := make([]*pb.CommitMeta, len(commits))
	for i, commit := range commits {
		list[i] = commit.proto()
	}
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE,
		Body: &pb.MessageData_CommitBundle{CommitBundle: &pb.CommitBundleBody{
			ProjectId: project[:], Commits: list, ContentDigest: unlessZero(content.Digest), Url: content.URL,
		}},
	}
}

func (c Commit) proto() *pb.CommitMeta {
	return &pb.CommitMeta{
		Hash:            c.Hash[:],
		Parents:         hashList(c.Parents),
		TreeRoot:        c.TreeRoot[:],
		AuthorTimestamp: c.AuthorTimestamp,
		Title:           c.Title,
		MessageHash:     c.MessageHash[:],
		AuthorAddress:   c.Author[:],
		AuthorName:      c.AuthorName,
	}
}

func hashList(hashes []Hash) [][]byte {
	list := make([][]byte, len(hashes))
	for i, h := range hashes {
		list[i] = h[:]
	}
	return list
}

func checkCommitBundle(f *fields, b *pb.CommitBundleBody) {
	f.hash("project_id", b.GetProjectId())
	f.optionalHash("content_digest", b.GetContentDigest())
	f.size("url", len(b.GetUrl()), 0, MaxURL)
	f.noControl("url", b.GetUrl())
	if b.GetUrl() != "" && len(b.GetContentDigest()) == 0 {
		f.refuse("url", "set without content_digest")
	}
	f.count("commits", len(b.GetCommits()), 1, MaxCommits)
	seen := make(map[Hash]struct{}, min(len(b.GetCommits()), MaxCommits))
	for i, commit := range b.GetCommits() {
		f.element("commits", i)
		f.commit(commit)
		f.unique("hash", commit.GetHash(), seen)
		if f.refusal != nil {
			return
		}
	}
}

func (f *fields) commit(c *pb.CommitMeta) {
	f.hash("hash", c.GetHash())
	f.count("parents", len(c.GetParents()), 0, MaxParents)
	for i, parent := range c.GetParents() {
		if len(parent) != ident.HashSize {
			f.refuse(fmt.Sprintf("parents[%d]", i), "%d bytes, want %d", len(parent), ident.HashSize)
		}
	}
	f.hash("tree_root", c.GetTreeRoot())
	f.size("title", len(c.GetTitle()), 0, MaxTitle)
	f.hash("message_hash", c.GetMessageHash())
	f.address("author_address", c.GetAuthorAddress())
	f.size("author_name", len(c.GetAuthorName()), 0, MaxAuthorName)
	f.noControl("author_name", c.GetAuthorName())
}
