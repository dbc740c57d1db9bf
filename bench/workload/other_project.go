package workload

import (
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// describeProject sets the descriptions of the projects round-robin, each with a later timestamp than before.
func (p *Account) describeProject(at uint32, n int) (*message.Envelope, error) {
	project := p.projects[n%len(p.projects)]
	later := max(at, project.set+1)
	if later > at+maxAhead {
		return nil, nil
	}
	project.set = later
	value := "description " + strconv.Itoa(n)
	return p.author.Sign(later, message.ProjectMetadata(project.id, pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, value))
}

// collaborate adds a collaborator to a project, and removes it next.
func (p *Account) collaborate(at uint32, n int) (*message.Envelope, error) {
	project := p.projects[n/2%len(p.projects)]
	if n%2 == 0 {
		p.made.collaborator = p.address()
		return p.author.Sign(at, message.CollaboratorAdd(project.id, p.made.collaborator, pb.Permission_PERMISSION_WRITE))
	}
	return p.author.Sign(at, message.CollaboratorRemove(project.id, p.made.collaborator))
}

// requestMerge opens a merge request from the fork, and removes it next.
func (p *Account) requestMerge(at uint32, n int) (*message.Envelope, error) {
	target := p.neighbour(0).projects[0]
	if n%2 != 0 {
		return p.author.Sign(at, message.MergeRequestRemove(target.id, p.made.request))
	}
	m, err := p.author.Sign(at, message.MergeRequestAdd(target.id, message.MergeProposal{
		Source: p.fork.id, SourceRef: MainRef, SourceCommit: p.fork.ref, TargetRef: MainRef, Title: "merge request " + strconv.Itoa(n),
	}))
	if err == nil {
		p.made.request = m.Hash
	}
	return m, err
}

// branch creates a branch at the first commit of a project, and deletes it next.
func (p *Account) branch(at uint32, n int) (*message.Envelope, error) {
	project := p.projects[n/2%len(p.projects)]
	if n%2 != 0 {
		return p.author.Sign(at, message.RefDelete(project.id, p.made.branch, project.base[0], 2))
	}
	p.made.branch = "refs/heads/topic-" + strconv.Itoa(n)
	return p.author.Sign(at, message.RefUpdate(project.id, p.made.branch, message.RefMove{New: project.base[0], Nonce: 1}))
}

// experiment creates a project, and removes it next.
func (p *Account) experiment(at uint32, n int) (*message.Envelope, error) {
	if n%2 != 0 {
		return p.author.Sign(at, message.ProjectRemove(p.made.project))
	}
	m, err := p.author.Sign(at, message.ProjectCreate("trial-"+strconv.Itoa(n), pb.Visibility_VISIBILITY_PRIVATE, "", ""))
	if err == nil {
		p.made.project = m.Hash
	}
	return m, err
}

// maxForks is the number of forks of an account, within what Units allows.
const maxForks = 300

// forkAgain forks a project of another account.
func (p *Account) forkAgain(at uint32, n int) (*message.Envelope, error) {
	if n >= maxForks {
		return nil, nil
	}
	source := p.neighbour(n).projects[0]
	return p.author.Sign(at, message.Fork(source.id, source.base[0], "fork-"+strconv.Itoa(n), pb.Visibility_VISIBILITY_PUBLIC))
}

// verify adds a verification of an address on another chain, and removes it next.
func (p *Account) verify(at uint32, n int) (*message.Envelope, error) {
	if n%2 != 0 {
		return p.author.Sign(at, message.VerificationRemove(p.made.verified))
	}
	m, err := p.author.SolVerification(at, p.hash())
	if err == nil {
		p.made.verified = m.Data.GetVerificationAdd().GetAddress()
	}
	return m, err
}

// rotateKey adds a key with agent scope, and removes it next.
func (p *Account) rotateKey(at uint32, n int) (*message.Envelope, error) {
	if n%2 != 0 {
		return p.author.SignerRemove(at, p.made.key, p.permit(at), p.root)
	}
	p.made.key = message.NewAuthor(p.hash(), p.author.Network(), p.Address()).Key()
	grant := message.SignerGrant{Key: p.made.key, Scope: pb.KeyScope_KEY_SCOPE_AGENT}
	return p.author.SignerAdd(at, grant, p.permit(at), p.root, p.root)
}
