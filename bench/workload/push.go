package workload

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// titles are what commits say: of the length that such lines have.
const titles = "store: keep the newest snapshot open while the next one is taken, and say so"

// contentURL is where the content of a push would lie.
const contentURL = "https://git.example/bench/work.git"

// Next makes the account's next message, with a timestamp that must not be before those of its earlier ones.
func (p *Account) Next(at uint32) (*message.Envelope, error) {
	at = max(at, p.founded+1) // some of what the founding wrote may only be written again later
	if p.random.IntN(whole) < otherShare {
		return p.other(at)
	}
	project := p.projects[p.turn%len(p.projects)]
	p.undone = !p.undone
	if p.undone {
		return p.push(at, project, p.pushSize())
	}
	p.turn++
	return p.move(at, project)
}

// pushSize is how many commits a push brings: most bring one, few bring several.
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

// push brings commits, each the child of the one before.
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

// move has main point at the latest commit.
func (p *Account) move(at uint32, project *project) (*message.Envelope, error) {
	project.moves++
	move := message.RefMove{Type: pb.RefType_REF_TYPE_BRANCH, Old: project.ref, New: project.tip, Nonce: project.moves}
	project.ref = project.tip
	return p.author.Sign(at, message.RefUpdate(project.id, MainRef, move))
}
