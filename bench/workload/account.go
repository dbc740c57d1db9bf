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
	// Units is the number of storage units that each account claims from the faucet: enough for 1,000 projects.
	Units = 100
	// MaxProjects is the maximum number of initial projects: what Units allows, less the projects and forks of the load.
	MaxProjects = 500
	// baseCommits is the number of initial commits of a project, to which other accounts react.
	baseCommits = 8

	// MainRef is the ref that pushes update, in every project.
	MainRef = "refs/heads/main"
)

// Options are the parameters of a population.
type Options struct {
	Seed     uint64
	Network  pb.Network
	Accounts int
	Projects int // per account
}

// Population is the set of accounts that send messages.
type Population struct {
	Accounts []*Account
}

// Account is an account with projects, and the state that its messages so far lead to.
type Account struct {
	author *message.Author
	root   *custody.Secp256k1Wallet
	random *rand.Rand
	bytes  *rand.ChaCha8
	name   string
	others *Population // whose setup messages may depend on
	index  int         // in others

	projects []*project
	fork     *project // of the first project of the next account
	pushes   int      // to all projects, round-robin
	behind   bool     // the ref of the current project has to be updated
	created  uint32   // timestamp of its setup
	last     uint32   // time of the last message of a load

	acts   [kindCount]int    // messages of each kind so far
	fresh  [kindCount]uint32 // time of the last pass over the targets of a kind
	made   undo
	nonce  uint64 // of its next custody signature
	filled int    // projects that Fill created
}

// project is the state of a project.
type project struct {
	id    ident.Hash
	base  [baseCommits]ident.Hash
	tip   ident.Hash // latest commit
	ref   ident.Hash // target of main
	moves uint64     // updates of main
	set   uint32     // timestamp of its metadata
}

// New returns a population. Equal options give equal accounts.
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

// Clone returns a copy, which can be used independently.
func (p *Population) Clone() *Population {
	clone := &Population{Accounts: make([]*Account, len(p.Accounts))}
	for i, account := range p.Accounts {
		copied, bytes := *account, *account.bytes
		copied.others, copied.bytes = clone, &bytes
		copied.random = rand.New(copied.bytes) //nolint:gosec // messages are reproducible
		copied.projects = make([]*project, len(account.projects))
		for k, original := range account.projects {
			work := *original
			copied.projects[k] = &work
		}
		clone.Accounts[i] = &copied // forks do not change
	}
	return clone
}

func newAccount(options Options, index int) (*Account, error) {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[0:], options.Seed)
	binary.LittleEndian.PutUint64(seed[8:], uint64(index))
	bytes := rand.NewChaCha8(seed)
	p := &Account{
		bytes: bytes, random: rand.New(bytes), //nolint:gosec // messages are reproducible
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

// Address returns the owner address.
func (p *Account) Address() ident.Address { return p.author.Owner() }

// Project returns the id of an initial project, by its number.
func (p *Account) Project(number int) ident.Hash { return p.projects[number%len(p.projects)].id }

// Commit returns an initial commit of a project, by its number.
func (p *Account) Commit(number int) ident.Hash {
	return p.projects[number%len(p.projects)].base[number%baseCommits]
}

// hash returns a random hash or secret.
func (p *Account) hash() (made [32]byte) {
	_, _ = p.bytes.Read(made[:]) // never fails
	return made
}

// address returns a random address. Every address is an account (P1.1).
func (p *Account) address() ident.Address {
	made := p.hash()
	return ident.Address(made[:ident.AddressSize])
}

// neighbour returns another account, by its distance.
func (p *Account) neighbour(distance int) *Account {
	others := p.others.Accounts
	return others[(p.index+1+distance%(len(others)-1))%len(others)]
}
