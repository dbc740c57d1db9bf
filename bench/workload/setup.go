package workload

import (
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// permitWindow is how long, in seconds, a custody signature is good before and after its time: together less than the
// hour that P4.5 allows.
const permitWindow = 1_700

// Setup makes the messages that put a account on the chain: its key, username, projects, their first commits and refs.
// They rely on storage of the account, Units or more.
func (p *Account) Setup(at uint32) ([]*message.Envelope, error) {
	p.founded = at
	made, err := p.signAll(at, nil, p.addOwnKey, func(at uint32) (*message.Envelope, error) {
		return p.author.Sign(at, message.UsernameCreate(p.name))
	})
	for i := range p.projects {
		p.projects[i] = &project{}
		made, err = p.signAll(at, made, func(at uint32) (*message.Envelope, error) {
			m, err := p.author.Sign(at, message.ProjectCreate("work-"+strconv.Itoa(i), pb.Visibility_VISIBILITY_PUBLIC, "what is measured", "MIT"))
			if err == nil {
				p.projects[i].id = m.Hash
			}
			return m, err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, project := range p.projects {
		made, err = p.signAll(at, made,
			func(at uint32) (*message.Envelope, error) { return p.begin(at, project) },
			func(at uint32) (*message.Envelope, error) { return p.move(at, project) })
		if err != nil {
			return nil, err
		}
	}
	return made, err
}

// Fork makes the messages by which a account forks a project of another, for merge requests. It relies on the founding of
// all.
func (p *Account) Fork(at uint32) ([]*message.Envelope, error) {
	p.founded = at
	source := p.neighbour(0).projects[0]
	p.fork = &project{tip: source.base[0]}
	return p.signAll(at, nil, func(at uint32) (*message.Envelope, error) {
		m, err := p.author.Sign(at, message.Fork(source.id, source.base[0], "fork", pb.Visibility_VISIBILITY_PUBLIC))
		if err == nil {
			p.fork.id = m.Hash
		}
		return m, err
	}, func(at uint32) (*message.Envelope, error) { return p.move(at, p.fork) })
}

// signAll adds what some steps make.
func (*Account) signAll(at uint32, made []*message.Envelope, steps ...func(uint32) (*message.Envelope, error)) ([]*message.Envelope, error) {
	for _, step := range steps {
		m, err := step(at)
		if err != nil {
			return nil, err
		}
		made = append(made, m)
	}
	return made, nil
}

// addOwnKey registers the key that the account signs with.
func (p *Account) addOwnKey(at uint32) (*message.Envelope, error) {
	grant := message.SignerGrant{Key: p.author.Key(), Scope: pb.KeyScope_KEY_SCOPE_OWNER}
	return p.author.SignerAdd(at, grant, p.permit(at), p.root, p.root)
}

// permit bounds the next custody signature of the account.
func (p *Account) permit(at uint32) message.Permit {
	permit := message.Permit{Nonce: p.nonce, ValidAfter: uint64(at) - permitWindow, ValidBefore: uint64(at) + permitWindow}
	p.nonce++
	return permit
}

// begin brings the first commits of a project.
func (p *Account) begin(at uint32, project *project) (*message.Envelope, error) {
	m, err := p.push(at, project, baseCommits)
	if err == nil {
		for i, commit := range m.Data.GetCommitBundle().GetCommits() {
			copy(project.base[i][:], commit.GetHash())
		}
	}
	return m, err
}
