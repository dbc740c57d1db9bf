package workload

import (
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// kind is one of the things people do beside pushing.
type kind int

const (
	likes kind = iota
	stars
	follows
	profiles
	metadata
	collaborators
	mergeRequests
	branches
	verifications
	projects
	forks
	keys
	kindCount
)

const (
	// whole is all messages, and otherShare how many of them are neither commits nor moves of refs.
	whole      = 1_000
	otherShare = 200

	// maxAhead is how far, in seconds, a timestamp may be ahead where one has to be later than another: less than the 300
	// of P6.4.
	maxAhead = 60
)

// shares are the parts of otherShare, in the order of the kinds.
//
// read-only: it is the definition of the mix.
var shares = [kindCount]int{50, 30, 40, 25, 20, 10, 8, 6, 4, 3, 2, 2}

// undo is what a account has added and will take back next, where adding alone would run into a quota.
type undo struct {
	collaborator ident.Address
	request      ident.Hash
	branch       string
	verified     []byte
	project      ident.Hash
	key          ident.PublicKey
}

// rest makes a message that neither brings commits nor moves main. What cannot be done at this time, because it was
// done a moment ago, is replaced by a link to somebody new, which always can.
func (p *Account) other(at uint32) (*message.Envelope, error) {
	choice, drawn := kind(0), p.random.IntN(otherShare)
	for drawn >= shares[choice] {
		drawn -= shares[choice]
		choice++
	}
	m, err := p.act(choice, at)
	if m == nil && err == nil {
		m, err = p.follow(at, 0)
	}
	return m, err
}

// act does something of a kind. There is no message when it has to wait.
func (p *Account) act(choice kind, at uint32) (*message.Envelope, error) {
	turn := p.acts[choice]
	p.acts[choice]++
	switch choice {
	case likes:
		return p.like(at, turn)
	case stars:
		return p.star(at, turn)
	case follows:
		return p.follow(at, turn)
	case profiles:
		return p.describeSelf(at, turn)
	case metadata:
		return p.describeProject(at, turn)
	case collaborators:
		return p.collaborate(at, turn)
	case mergeRequests:
		return p.requestMerge(at, turn)
	case branches:
		return p.branch(at, turn)
	case verifications:
		return p.verify(at, turn)
	case projects:
		return p.experiment(at, turn)
	case forks:
		return p.forkAgain(at, turn)
	default:
		return p.rotateKey(at, turn)
	}
}

// round says how often a list of targets has been gone through before a turn. The second time round what was added is
// taken back, and so on; each time has to be later than the one before, else there is no round.
func (p *Account) round(choice kind, at uint32, turn, targets int) (adds, ok bool) {
	if turn%targets == 0 && turn > 0 && at <= p.fresh[choice] {
		p.acts[choice]-- // the same turn comes again
		return false, false
	}
	p.fresh[choice] = at
	return turn/targets%2 == 0, true
}

// like reacts to the first commits of everybody's projects.
func (p *Account) like(at uint32, turn int) (*message.Envelope, error) {
	targets := (len(p.others.Accounts) - 1) * len(p.projects) * baseCommits
	adds, ok := p.round(likes, at, turn, targets)
	if !ok {
		return nil, nil
	}
	target := turn % targets
	project := p.neighbour(target / (len(p.projects) * baseCommits)).projects[target/baseCommits%len(p.projects)]
	commit := project.base[target%baseCommits]
	if adds {
		return p.author.Sign(at, message.Like(project.id, commit))
	}
	return p.author.Sign(at, message.Unlike(project.id, commit))
}

// star links to everybody's projects.
func (p *Account) star(at uint32, turn int) (*message.Envelope, error) {
	targets := (len(p.others.Accounts) - 1) * len(p.projects)
	adds, ok := p.round(stars, at, turn, targets)
	if !ok {
		return nil, nil
	}
	project := p.neighbour(turn % targets / len(p.projects)).projects[turn%len(p.projects)]
	if adds {
		return p.author.Sign(at, message.Star(project.id))
	}
	return p.author.Sign(at, message.Unstar(project.id))
}

// follow links to somebody new: any address is an account.
func (p *Account) follow(at uint32, _ int) (*message.Envelope, error) {
	return p.author.Sign(at, message.Follow(p.address()))
}

// Greet makes a message that says nothing new, and that any chain may judge without a state.
func (p *Account) FollowMessage(at uint32) (*message.Envelope, error) { return p.follow(at, 0) }

// describeSelf sets the fields of the profile in turn. Each time has to be later than the one before.
func (p *Account) describeSelf(at uint32, turn int) (*message.Envelope, error) {
	fields := []pb.AccountDataType{
		pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, pb.AccountDataType_ACCOUNT_DATA_AVATAR,
		pb.AccountDataType_ACCOUNT_DATA_BIO, pb.AccountDataType_ACCOUNT_DATA_WEBSITE,
	}
	if turn%len(fields) == 0 {
		later := max(at, p.fresh[profiles]+1)
		if later > at+maxAhead {
			p.acts[profiles]--
			return nil, nil
		}
		p.fresh[profiles] = later
	}
	value := "bench " + strconv.Itoa(turn)
	return p.author.Sign(p.fresh[profiles], message.AccountData(fields[turn%len(fields)], value))
}
