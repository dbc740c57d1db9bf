package workload

import (
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// permitWindow is how many seconds a custody signature is valid before and after its time: in total less than the hour that
// P4.5 allows.
const permitWindow = 1_700

// Setup returns the messages that create the account: its key, username, projects, their first commits and refs. They need
// storage of at least Units.
func (p *Account) Setup(at uint32) ([]*message.Envelope, error) {
	p.created = at
	made, err := p.signAll(at, nil, p.addOwnKey, func(at uint32) (*message.Envelope, error) {
		return p.author.Sign(at, message.UsernameCreate(p.name))
	})
	for i := range p.projects {
		p.projects[i] = &project{}
		made, err = p.signAll(at, made, func(at uint32) (*message.Envelope, error) {
			m, err := p.author.Sign(at, message.ProjectCreate("work-"+strconv.Itoa(i), pb.Visibility_VISIBILITY_PUBLIC, "load test", "MIT"))
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
			func(at uint32) (*message.Envelope, error) { return p.firstCommits(at, project) },
			func(at uint32) (*message.Envelope, error) { return p.move(at, project) })
		if err != nil {
			return nil, err
		}
	}
	return made, err
}

// Fork returns the messages that fork a project of another account, for merge requests. They need the setup of all accounts.
func (p *Account) Fork(at uint32) ([]*message.Envelope, error) {
	p.created = at
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

// signAll appends the messages that the steps return.
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

// addOwnKey adds the key that the account signs with.
func (p *Account) addOwnKey(at uint32) (*message.Envelope, error) {
	grant := message.SignerGrant{Key: p.author.Key(), Scope: pb.KeyScope_KEY_SCOPE_OWNER}
	return p.author.SignerAdd(at, grant, p.permit(at), p.root, p.root)
}

// permit returns the nonce and validity of the next custody signature.
func (p *Account) permit(at uint32) message.Permit {
	permit := message.Permit{Nonce: p.nonce, ValidAfter: uint64(at) - permitWindow, ValidBefore: uint64(at) + permitWindow}
	p.nonce++
	return permit
}

// firstCommits pushes the initial commits of a project.
func (p *Account) firstCommits(at uint32, project *project) (*message.Envelope, error) {
	m, err := p.push(at, project, baseCommits)
	if err == nil {
		for i, commit := range m.Data.GetCommitBundle().GetCommits() {
			copy(project.base[i][:], commit.GetHash())
		}
	}
	return m, err
}
