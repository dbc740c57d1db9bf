package fill

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"makechain/internal/ident"
)

// Rows of an account and its projects.
const (
	projectsPerAccount = 2 // the second one is a fork of the first one of the next account
	keysPerAccount     = 2
	unitsPerAccount    = 100
	closedPerProject   = 2
	contentsPerProject = 4
	minCommits         = 20 // of a project
	maxCommits         = 100
	meanCommits        = (minCommits + maxCommits) / 2

	// rowsPerAccount is the mean number of rows in the state tree for each account: its own rows, and those of its projects.
	rowsPerAccount = 54 + projectsPerAccount*(meanCommits+contentsPerProject+8)
	// minAccounts is greater than the distance between accounts that refer to each other.
	minAccounts = 16

	// startTime is the first timestamp of rows, and timeSpan the range of timestamps in seconds.
	startTime = 1_750_000_000
	timeSpan  = 1_000_000
	// expiry is the end of all storage grants.
	expiry = math.MaxUint32
	// block is the block that added commits, contents and closed merge requests.
	block = 1
)

// Accounts refer to others at these distances.
//
// read-only: the definition of the state.
var (
	followDistances = []int{1, 2, 3, 4, 5, 6, 7, 9, 11, 13}
	starDistances   = []int{3, 6}
	reactDistances  = []int{1, 2, 3, 4}
)

// collaboratorDistance is that of the collaborator of a project from its owner.
const collaboratorDistance = 3

// shape determines all rows. Accounts and projects have numbers in the order of their keys: account i owns the projects i and
// accounts+i.
type shape struct {
	seed     uint64
	accounts int
}

func newShape(seed, rows uint64) shape {
	return shape{seed, max(minAccounts, int(rows/rowsPerAccount))}
}

func (s shape) projects() int { return projectsPerAccount * s.accounts }

// Domains of random bytes.
const (
	domainAccount = iota + 1
	domainKey
	domainClaim
	domainProject
	domainCommit
	domainTree
	domainMessage
	domainRequest
	domainClosed
	domainContent
	domainAddress
	domainCount
	domainTime
)

// random returns the random number of a thing, which is derived from the seed with the mixing function of SplitMix64.
func (s shape) random(domain, number, part int) uint64 {
	const step = 0x9e3779b97f4a7c15
	x := s.seed
	for _, n := range [...]int{domain, number, part} {
		x += step * (uint64(n) + 1)
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}

// hash returns the random hash of a thing.
func (s shape) hash(domain, number, part int) (h ident.Hash) {
	for i := range len(h) / 8 {
		binary.BigEndian.PutUint64(h[8*i:], s.random(domain, number, 8*part+i))
	}
	return h
}

// ordered returns the random hash of one of total things whose hashes ascend with their positions.
func (s shape) ordered(domain, number, position, total int) ident.Hash {
	h := s.hash(domain, number, position)
	width := uint64(math.MaxUint64) / uint64(total)
	offset, _ := bits.Mul64(binary.BigEndian.Uint64(h[:]), width)
	binary.BigEndian.PutUint64(h[:], uint64(position)*width+offset)
	return h
}

func (s shape) address(i int) ident.Address {
	h := s.ordered(domainAccount, 0, i, s.accounts)
	return ident.Address(h[:ident.AddressSize])
}

// other returns the account at a distance, which may be negative.
func (s shape) other(i, distance int) int { return (i + distance + s.accounts) % s.accounts }

// key returns a key by its number: account i has the keys i and accounts+i.
func (s shape) key(number int) ident.PublicKey {
	return ident.PublicKey(s.ordered(domainKey, 0, number, keysPerAccount*s.accounts))
}

func (s shape) claim(i int) ident.Hash { return s.ordered(domainClaim, 0, i, s.accounts) }

func (s shape) projectID(number int) ident.Hash {
	return s.ordered(domainProject, 0, number, s.projects())
}

// owner returns the account that owns a project.
func (s shape) owner(project int) int { return project % s.accounts }

// isFork reports whether a project is a fork.
func (s shape) isFork(project int) bool { return project >= s.accounts }

// forkSource returns the project from which a fork was made.
func (s shape) forkSource(fork int) int { return s.other(s.owner(fork), 1) }

// commitCount returns the number of commits that were added to a project. A fork has one more, from its source.
func (s shape) commitCount(project int) int {
	return minCommits + int(s.random(domainCount, project, 0)%(maxCommits-minCommits+1))
}

// commit returns a commit of a project, by its position.
func (s shape) commit(project, position int) ident.Hash {
	return s.ordered(domainCommit, project, position, s.commitCount(project))
}

// reacted returns the position of the commit to which an account reacts, in the project at a distance.
func (s shape) reacted(account, distance int) int {
	project := s.other(account, distance)
	return int(s.random(domainCommit, account, -distance) % uint64(s.commitCount(project)))
}

// time returns the timestamp of the rows of an account.
func (s shape) time(account int) uint32 {
	return startTime + uint32(s.random(domainTime, account, 0)%timeSpan)
}

// username returns the name of an account. Names ascend with the numbers of accounts.
func username(i int) string { return fmt.Sprintf("fill-%08x", i) }

// projectName returns the name of a project under its owner.
func (s shape) projectName(project int) string {
	if s.isFork(project) {
		return fmt.Sprintf("fork-%x", project)
	}
	return fmt.Sprintf("work-%x", project)
}
