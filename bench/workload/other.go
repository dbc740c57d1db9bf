package workload

import (
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// kind is a kind of message other than pushes.
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
	// whole stands for all messages, and otherShare for those that are neither commit bundles nor updates of main.
	whole      = 1_000
	otherShare = 200

	// maxAhead is how many seconds a timestamp may be ahead if it must be later than another one: less than the 300 of
	// P6.4.
	maxAhead = 60
)

// shares divides otherShare among the kinds.
//
// read-only: the definition of the mix.
var shares = [kindCount]int{50, 30, 40, 25, 20, 10, 8, 6, 4, 3, 2, 2}

// undo is what an account has added and removes next, where adding alone would reach a quota.
type undo struct {
	collaborator ident.Address
	request      ident.Hash
	branch       string
	verified     []byte
	project      ident.Hash
	key          ident.PublicKey
}

// other returns a message that is neither a commit bundle nor an update of main. One that is not possible at this time,
// because its target changed in the same second, is replaced by a follow of a new address, which always is.
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

// act returns a message of a kind, or nil if it is not possible at this time.
func (p *Account) act(choice kind, at uint32) (*message.Envelope, error) {
	n := p.acts[choice]
	p.acts[choice]++
	switch choice {
	case likes:
		return p.like(at, n)
	case stars:
		return p.star(at, n)
	case follows:
		return p.follow(at, n)
	case profiles:
		return p.describeSelf(at, n)
	case metadata:
		return p.describeProject(at, n)
	case collaborators:
		return p.collaborate(at, n)
	case mergeRequests:
		return p.requestMerge(at, n)
	case branches:
		return p.branch(at, n)
	case verifications:
		return p.verify(at, n)
	case projects:
		return p.experiment(at, n)
	case forks:
		return p.forkAgain(at, n)
	default:
		return p.rotateKey(at, n)
	}
}

// pass reports whether message n of a kind adds or removes its target. The first pass over the list of targets adds, the
// second removes, and so on. Each pass must have a later timestamp than the previous one; otherwise ok is false.
func (p *Account) pass(choice kind, at uint32, n, targets int) (adds, ok bool) {
	if n%targets == 0 && n > 0 && at <= p.fresh[choice] {
		p.acts[choice]-- // repeat it later
		return false, false
	}
	p.fresh[choice] = at
	return n/targets%2 == 0, true
}

// like adds and removes likes of the first commits of all other accounts' projects.
func (p *Account) like(at uint32, n int) (*message.Envelope, error) {
	targets := (len(p.others.Accounts) - 1) * len(p.projects) * baseCommits
	adds, ok := p.pass(likes, at, n, targets)
	if !ok {
		return nil, nil
	}
	target := n % targets
	project := p.neighbour(target / (len(p.projects) * baseCommits)).projects[target/baseCommits%len(p.projects)]
	commit := project.base[target%baseCommits]
	if adds {
		return p.author.Sign(at, message.Like(project.id, commit))
	}
	return p.author.Sign(at, message.Unlike(project.id, commit))
}

// star adds and removes stars of all other accounts' projects.
func (p *Account) star(at uint32, n int) (*message.Envelope, error) {
	targets := (len(p.others.Accounts) - 1) * len(p.projects)
	adds, ok := p.pass(stars, at, n, targets)
	if !ok {
		return nil, nil
	}
	project := p.neighbour(n % targets / len(p.projects)).projects[n%len(p.projects)]
	if adds {
		return p.author.Sign(at, message.Star(project.id))
	}
	return p.author.Sign(at, message.Unstar(project.id))
}

// follow follows a new address: every address is an account.
func (p *Account) follow(at uint32, _ int) (*message.Envelope, error) {
	return p.author.Sign(at, message.Follow(p.address()))
}

// FollowMessage returns a message that is valid without any state of the account's projects.
func (p *Account) FollowMessage(at uint32) (*message.Envelope, error) { return p.follow(at, 0) }

// describeSelf sets the fields of the profile round-robin. Each pass must have a later timestamp than the previous one.
func (p *Account) describeSelf(at uint32, n int) (*message.Envelope, error) {
	fields := []pb.AccountDataType{
		pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, pb.AccountDataType_ACCOUNT_DATA_AVATAR,
		pb.AccountDataType_ACCOUNT_DATA_BIO, pb.AccountDataType_ACCOUNT_DATA_WEBSITE,
	}
	if n%len(fields) == 0 {
		later := max(at, p.fresh[profiles]+1)
		if later > at+maxAhead {
			p.acts[profiles]--
			return nil, nil
		}
		p.fresh[profiles] = later
	}
	value := "bench " + strconv.Itoa(n)
	return p.author.Sign(p.fresh[profiles], message.AccountData(fields[n%len(fields)], value))
}
