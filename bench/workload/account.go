package workload

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/message"
)

const (
	// Units is the storage each account needs, from the faucet: room for 1,000 projects.
	Units = 100
	// MaxProjects is how many a account may begin with: what Units allows, less what it makes and forks on the way.
	MaxProjects = 500
	// baseCommits is how many commits a project has from the beginning, for others to react to.
	baseCommits = 8

	// MainRef is what pushes move, in every project.
	MainRef = "refs/heads/main"
)

// Options say how many people there are, and what they are like.
type Options struct {
	Seed     uint64
	Network  pb.Network
	Accounts int
	Projects int // of each account
}

// Population is everybody who sends messages.
type Population struct {
	Accounts []*Account
}

// Account is an account with projects, and what it has done so far.
type Account struct {
	author *message.Author
	root   *custody.Secp256k1Wallet
	random *rand.Rand
	bytes  *rand.ChaCha8
	name   string
	others *Population // whose founding everybody may rely on
	index  int         // among them

	projects []*project
	fork     *project // of the next account's first project
	turn     int      // which project is pushed to
	undone   bool     // it has commits that its ref does not point at yet
	founded  uint32   // when it was put on the chain

	acts   [kindCount]int    // how often it has done each of the rest
	fresh  [kindCount]uint32 // from when on the targets of a kind can be gone through again
	made   undo
	nonce  uint64 // of its next custody signature
	filled int    // projects that only fill the state
}

// project is a project as its owner knows it.
type project struct {
	id    ident.Hash
	base  [baseCommits]ident.Hash
	tip   ident.Hash // the latest commit
	ref   ident.Hash // where main points
	moves uint64     // of main
	set   uint32     // when its metadata was last set
}

// New makes a population. The same options give the same people.
func New(options Options) (*Population, error) {
	if options.Accounts < 2 || options.Projects < 1 || options.Projects > MaxProjects {
		return nil, fmt.Errorf("%d accounts with %d projects each: want at least 2, with 1 to %d", options.Accounts, options.Projects, MaxProjects)
	}
	population := &Population{}
	for i := range options.Accounts {
		account, err := newAccount(options, i)
		if err != nil {
			return nil, err
		}
		account.others, account.index = population, i
		population.Accounts = append(population.Accounts, account)
	}
	return population, nil
}

// Clone is the same people, who can go another way from here.
func (p *Population) Clone() *Population {
	clone := &Population{Accounts: make([]*Account, len(p.Accounts))}
	for i, account := range p.Accounts {
		copied, bytes := *account, *account.bytes
		copied.others, copied.bytes = clone, &bytes
		copied.random = rand.New(copied.bytes) //nolint:gosec // what is measured must be the same again
		copied.projects = make([]*project, len(account.projects))
		for k, original := range account.projects {
			work := *original
			copied.projects[k] = &work
		}
		clone.Accounts[i] = &copied // nothing changes a fork
	}
	return clone
}

func newAccount(options Options, index int) (*Account, error) {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[0:], options.Seed)
	binary.LittleEndian.PutUint64(seed[8:], uint64(index))
	bytes := rand.NewChaCha8(seed)
	p := &Account{
		bytes: bytes, random: rand.New(bytes), //nolint:gosec // what is measured must be the same again
		projects: make([]*project, options.Projects),
		name:     fmt.Sprintf("bench-%x-%d", uint32(options.Seed), index),
	}
	root, err := custody.NewSecp256k1Wallet(p.hash())
	if err != nil {
		return nil, err
	}
	p.root = root
	p.author = message.NewAuthor(p.hash(), options.Network, root.KeyID())
	return p, nil
}

// Address is the account of the account.
func (p *Account) Address() ident.Address { return p.author.Owner() }

// Project is the id of one of the projects that the account began with, by its number.
func (p *Account) Project(number int) ident.Hash { return p.projects[number%len(p.projects)].id }

// Commit is one of the commits that a project of the account began with.
func (p *Account) Commit(number int) ident.Hash {
	return p.projects[number%len(p.projects)].base[number%baseCommits]
}

// hash makes a hash or a secret up.
func (p *Account) hash() (made [32]byte) {
	_, _ = p.bytes.Read(made[:]) // never fails
	return made
}

// address makes an address up. Any is that of an account (P1.1).
func (p *Account) address() ident.Address {
	made := p.hash()
	return ident.Address(made[:ident.AddressSize])
}

// neighbour is one of the other people.
func (p *Account) neighbour(distance int) *Account {
	others := p.others.Accounts
	return others[(p.index+1+distance%(len(others)-1))%len(others)]
}
