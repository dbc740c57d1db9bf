package push

import (
	"math"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/encoding/protowire"

	"makechain/internal/gitrepo"
	"makechain/message"
)

// maxBundleSize is how many bytes the commits of a bundle may take: the 1 MiB of a message (P2.8) without room for
// the envelope and the content's URL.
const maxBundleSize = 1<<20 - 16<<10

// Describe makes of a git commit what the chain keeps of it. The author is an account: git's own names and addresses of
// people stay in the commit.
func CommitMetadata(commit *gitrepo.Commit, author message.Address) message.Commit {
	return message.Commit{
		Hash:            commit.Hash,
		Parents:         commit.Parents,
		TreeRoot:        commit.Tree,
		AuthorTimestamp: uint32(min(max(commit.Author.Seconds, 0), math.MaxUint32)),
		Title:           commit.Title(message.MaxTitle),
		MessageHash:     blake3.Sum256(commit.Message),
		Author:          author,
	}
}

// bundle collects commits until no more fit into a message.
type bundle struct {
	commits []message.Commit
	size    int
}

// add takes a commit, unless the bundle is full.
func (b *bundle) add(commit message.Commit) bool {
	size := sizeOf(&commit)
	if len(b.commits) == message.MaxCommits || b.size+size > maxBundleSize {
		return false
	}
	b.commits, b.size = append(b.commits, commit), b.size+size
	return true
}

// sizeOf is the most that a commit takes in a bundle, in bytes.
func sizeOf(commit *message.Commit) int {
	const hash, address = len(message.Hash{}), len(message.Address{})
	field := func(length int) int { return 1 + protowire.SizeBytes(length) }
	size := field(hash)*(3+len(commit.Parents)) + field(address) + field(len(commit.Title)) + 1 + protowire.SizeVarint(math.MaxUint32)
	return field(size)
}
