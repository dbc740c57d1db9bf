package push

import (
	"math"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/encoding/protowire"

	"makechain/internal/gitrepo"
	"makechain/message"
)

// maxBundleSize is the maximum size of the commits of a bundle in bytes: the 1 MiB of a message (P2.8), less a reserve
// for the envelope and the URL of the content.
const maxBundleSize = 1<<20 - 16<<10

// CommitMetadata returns the metadata of a git commit that the chain stores. The author is an account, next to the name of the
// author in the git commit. Email addresses are not sent.
func CommitMetadata(commit *gitrepo.Commit, author message.Address) message.Commit {
	return message.Commit{
		Hash:            commit.Hash,
		Parents:         commit.Parents,
		TreeRoot:        commit.Tree,
		AuthorTimestamp: uint32(min(max(commit.Author.Seconds, 0), math.MaxUint32)),
		Title:           commit.Title(message.MaxTitle),
		MessageHash:     blake3.Sum256(commit.Message),
		Author:          author,
		AuthorName:      commit.AuthorName(message.MaxAuthorName),
	}
}

// bundle is a list of commits that fits into one message.
type bundle struct {
	commits []message.Commit
	size    int
}

// add adds a commit. It returns false when the bundle is full.
func (b *bundle) add(commit message.Commit) bool {
	size := sizeOf(&commit)
	if len(b.commits) == message.MaxCommits || b.size+size > maxBundleSize {
		return false
	}
	b.commits, b.size = append(b.commits, commit), b.size+size
	return true
}

// sizeOf returns an upper bound for the encoded size of a commit in a bundle.
func sizeOf(commit *message.Commit) int {
	const hash, address = len(message.Hash{}), len(message.Address{})
	field := func(length int) int { return 1 + protowire.SizeBytes(length) }
	size := field(hash)*(3+len(commit.Parents)) + field(address) + field(len(commit.Title)) + 1 + protowire.SizeVarint(math.MaxUint32) +
		1 + field(len(commit.AuthorName)) // its field number takes two bytes
	return field(size)
}
