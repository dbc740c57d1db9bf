package workload

import (
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// describeProject sets the description of the projects in turn. Each time has to be later than the one before.
func (p *Account) describeProject(at uint32, turn int) (*message.Envelope, error) {
	project := p.projects[turn%len(p.projects)]
	later := max(at, project.set+1)
	if later > at+maxAhead {
		return nil, nil
	}
	project.set = later
	value := "measured for the time number " + strconv.Itoa(turn)
	return p.author.Sign(later, message.ProjectMetadata(project.id, pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, value))
}

// collaborate lets somebody new write to a project, and next not any more.
func (p *Account) collaborate(at uint32, turn int) (*message.Envelope, error) {
	project := p.projects[turn/2%len(p.projects)]
	if turn%2 == 0 {
		p.made.collaborator = p.address()
		return p.author.Sign(at, message.CollaboratorAdd(project.id, p.made.collaborator, pb.Permission_PERMISSION_WRITE))
	}
	return p.author.Sign(at, message.CollaboratorRemove(project.id, p.made.collaborator))
}

// requestMerge offers the fork to the project it came from, and next withdraws that.
func (p *Account) requestMerge(at uint32, turn int) (*message.Envelope, error) {
	target := p.neighbour(0).projects[0]
	if turn%2 != 0 {
		return p.author.Sign(at, message.MergeRequestRemove(target.id, p.made.request))
	}
	m, err := p.author.Sign(at, message.MergeRequestAdd(target.id, message.MergeProposal{
		Source: p.fork.id, SourceRef: MainRef, SourceCommit: p.fork.ref, TargetRef: MainRef, Title: "merge number " + strconv.Itoa(turn),
	}))
	if err == nil {
		p.made.request = m.Hash
	}
	return m, err
}

// branch makes a branch at the first commit of a project, and next deletes it.
func (p *Account) branch(at uint32, turn int) (*message.Envelope, error) {
	project := p.projects[turn/2%len(p.projects)]
	if turn%2 != 0 {
		return p.author.Sign(at, message.RefDelete(project.id, p.made.branch, project.base[0], 2))
	}
	p.made.branch = "refs/heads/topic-" + strconv.Itoa(turn)
	return p.author.Sign(at, message.RefUpdate(project.id, p.made.branch, message.RefMove{New: project.base[0], Nonce: 1}))
}

// experiment makes a project, and next removes it.
func (p *Account) experiment(at uint32, turn int) (*message.Envelope, error) {
	if turn%2 != 0 {
		return p.author.Sign(at, message.ProjectRemove(p.made.project))
	}
	m, err := p.author.Sign(at, message.ProjectCreate("trial-"+strconv.Itoa(turn), pb.Visibility_VISIBILITY_PRIVATE, "", ""))
	if err == nil {
		p.made.project = m.Hash
	}
	return m, err
}

// maxForks is how many forks a account makes on the way, within what Units allows.
const maxForks = 300

// forkAgain forks a project of somebody else.
func (p *Account) forkAgain(at uint32, turn int) (*message.Envelope, error) {
	if turn >= maxForks {
		return nil, nil
	}
	source := p.neighbour(turn).projects[0]
	return p.author.Sign(at, message.Fork(source.id, source.base[0], "fork-"+strconv.Itoa(turn), pb.Visibility_VISIBILITY_PUBLIC))
}

// verify claims an address of another chain, and next gives it up.
func (p *Account) verify(at uint32, turn int) (*message.Envelope, error) {
	if turn%2 != 0 {
		return p.author.Sign(at, message.VerificationRemove(p.made.verified))
	}
	m, err := p.author.SolVerification(at, p.hash())
	if err == nil {
		p.made.verified = m.Data.GetVerificationAdd().GetAddress()
	}
	return m, err
}

// rotateKey adds a key for agents, and next removes it.
func (p *Account) rotateKey(at uint32, turn int) (*message.Envelope, error) {
	if turn%2 != 0 {
		return p.author.SignerRemove(at, p.made.key, p.permit(at), p.root)
	}
	p.made.key = message.NewAuthor(p.hash(), p.author.Network(), p.Address()).Key()
	grant := message.SignerGrant{Key: p.made.key, Scope: pb.KeyScope_KEY_SCOPE_AGENT}
	return p.author.SignerAdd(at, grant, p.permit(at), p.root, p.root)
}
