package workload

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// titles is cut to titles of commits, with typical lengths.
const titles = "store: keep the latest snapshot open while the next one is being written, log it"

// contentURL is the content URL of commit bundles.
const contentURL = "https://git.example/bench/work.git"

// Next returns the next message of the account at a time, or at that of the previous message if it is later: a load without a
// rate has timestamps ahead of the clock when nodes are fast, and the first messages of the next load would be stale writes.
func (p *Account) Next(at uint32) (*message.Envelope, error) {
	at = max(at, p.created+1, p.last) // some rows of the setup can only be overwritten with a later timestamp
	p.last = at
	if p.random.IntN(whole) < otherShare {
		return p.other(at)
	}
	project := p.projects[p.pushes%len(p.projects)]
	p.behind = !p.behind
	if p.behind {
		return p.push(at, project, p.pushSize())
	}
	p.pushes++
	return p.move(at, project)
}

// pushSize returns the number of commits of a push: mostly one, sometimes several.
func (p *Account) pushSize() int {
	switch r := p.random.IntN(10); {
	case r < 7:
		return 1
	case r < 9:
		return 2
	default:
		return 3 + p.random.IntN(3)
	}
}

// push returns a commit bundle, in which each commit is the child of the previous one.
func (p *Account) push(at uint32, project *project, count int) (*message.Envelope, error) {
	commits := make([]message.Commit, count)
	for i := range commits {
		commits[i] = p.commit(at, project.tip)
		project.tip = commits[i].Hash
	}
	return p.author.Sign(at, message.CommitBundle(project.id, message.Content{Digest: p.hash(), URL: contentURL}, commits...))
}

func (p *Account) commit(at uint32, parent ident.Hash) message.Commit {
	commit := message.Commit{
		Hash: p.hash(), TreeRoot: p.hash(), MessageHash: p.hash(), Author: p.Address(), AuthorTimestamp: at,
		Title: titles[:20+p.random.IntN(len(titles)-20)],
	}
	if parent != (ident.Hash{}) {
		commit.Parents = []ident.Hash{parent}
	}
	return commit
}

// move returns an update of main to the latest commit.
func (p *Account) move(at uint32, project *project) (*message.Envelope, error) {
	project.moves++
	move := message.RefMove{Type: pb.RefType_REF_TYPE_BRANCH, Old: project.ref, New: project.tip, Nonce: project.moves}
	project.ref = project.tip
	return p.author.Sign(at, message.RefUpdate(project.id, MainRef, move))
}
