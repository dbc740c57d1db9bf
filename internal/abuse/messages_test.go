//go:build linux

package abuse_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/limit"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	// chainLength is the number of commits that a slow search visits, almost the most that one may visit.
	chainLength = 9_900
	// searchedRefs is the number of refs whose updates search, of one project.
	searchedRefs = 100
	bundleSize   = 1_000
)

// searched is a project with a graph that is slow to search: base is an ancestor of tip only by the second parent of the first
// commit of a long chain. stranger is a commit that is not an ancestor of tip.
type searched struct {
	project             ident.Hash
	base, tip, stranger ident.Hash
}

// messageAttacks use accounts with storage.
func messageAttacks() []attack {
	return []attack{
		{name: "2 slow searches of one account", prepare: func(a *attackers) { a.prepareSearches(1) }, run: func(a *attackers) { a.search(a.accounts[0], a.targets[0]) }},
		{name: "2 slow searches of three accounts", prepare: func(a *attackers) { a.prepareSearches(3) }, run: func(a *attackers) {
			for i := range a.accounts {
				a.group.Go(func() { a.search(a.accounts[i], a.targets[i]) })
			}
		}},
		{name: "4 refused searches", prepare: func(a *attackers) { a.prepareSearches(1) }, run: func(a *attackers) {
			a.repeat(4, func(worker int) error {
				var batch []*message.Envelope
				for i := range limit.MaxBatch {
					// Each message differs from all others by its expected hash or time.
					move := message.RefMove{Type: pb.RefType_REF_TYPE_BRANCH, New: a.targets[0].tip, Nonce: 2}
					batch = append(batch, a.sign(a.accounts[0], uint32(worker*limit.MaxBatch+i), message.RefUpdate(a.targets[0].project, "refs/heads/stranger", move)))
				}
				return a.submit(batch...)
			})
		}},
		{name: "4 dry runs by a stranger", prepare: func(a *attackers) { a.register(2) }, run: func(a *attackers) {
			owner, stranger := a.accounts[0], a.accounts[1]
			a.group.Go(func() { a.flood(owner) })
			author := message.NewAuthor(nodetest.Random(a.t), stranger.Network(), owner.Address())
			a.repeat(8, func(int) error {
				m, err := author.Sign(uint32(time.Now().Unix()), message.Follow(randomAddress()))
				if err != nil {
					return err
				}
				_, err = a.DryRunMessage(a.ctx, connect.NewRequest(&pb.DryRunMessageRequest{Message: m.Proto()}))
				return err
			})
		}},
		{name: "5 flood of one sender", prepare: func(a *attackers) { a.register(1) }, run: func(a *attackers) { a.flood(a.accounts[0]) }},
		{name: "6 storage claims", prepare: func(a *attackers) { a.register(1) }, run: func(a *attackers) {
			owner := a.accounts[0].Address()
			a.repeat(16, func(int) error { return a.claim(owner) })
		}},
		{name: "6 large pushes", prepare: func(a *attackers) { a.register(1); a.createProject(a.accounts[0]) }, run: func(a *attackers) { a.pushLarge(a.accounts[0]) }},
		{name: "8 projects created and removed", prepare: func(a *attackers) { a.register(1) }, run: func(a *attackers) { a.churn(a.accounts[0]) }},
	}
}

// createProject creates a project of an account.
func (a *attackers) createProject(account *nodetest.Account) ident.Hash {
	a.t.Helper()
	create := account.Sign(message.ProjectCreate("graph", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	a.commit(create)
	a.projects = append(a.projects, create.Hash)
	return create.Hash
}

// prepareSearches creates accounts with one project each that is slow to search.
func (a *attackers) prepareSearches(count int) {
	a.t.Helper()
	a.register(count)
	for _, account := range a.accounts {
		s := searched{project: a.createProject(account)}
		base, stranger, root := newCommit(a.t, account), newCommit(a.t, account), newCommit(a.t, account)
		first := newCommit(a.t, account, root.Hash, base.Hash)
		chain := []message.Commit{base, stranger, root, first}
		for len(chain) < chainLength {
			chain = append(chain, newCommit(a.t, account, chain[len(chain)-1].Hash))
		}
		s.base, s.stranger, s.tip = base.Hash, stranger.Hash, chain[len(chain)-1].Hash
		var messages []*message.Envelope
		for start := 0; start < len(chain); start += bundleSize {
			messages = append(messages, account.Sign(message.CommitBundle(s.project, message.Content{}, chain[start:min(start+bundleSize, len(chain))]...)))
		}
		create := func(name string, at ident.Hash) {
			messages = append(messages, account.Sign(message.RefUpdate(s.project, name, message.RefMove{Type: pb.RefType_REF_TYPE_BRANCH, New: at, Nonce: 1})))
		}
		create("refs/heads/stranger", s.stranger)
		for i := range searchedRefs {
			create(searchedRef(i), s.base)
		}
		a.commit(messages...)
		a.targets = append(a.targets, s)
	}
}

func searchedRef(i int) string { return fmt.Sprintf("refs/heads/%03d", i) }

// search updates refs to the tip, each of which is a slow search, and back.
func (a *attackers) search(account *nodetest.Account, s searched) {
	for nonce := uint64(2); a.ctx.Err() == nil; nonce += 2 {
		for i := 0; i < searchedRefs && a.ctx.Err() == nil; i += setupBatch {
			var batch []*message.Envelope
			for ref := i; ref < i+setupBatch; ref++ {
				forward := message.RefMove{Type: pb.RefType_REF_TYPE_BRANCH, New: s.tip, Nonce: nonce}
				back := message.RefMove{Type: pb.RefType_REF_TYPE_BRANCH, New: s.base, Nonce: nonce + 1, Force: true}
				batch = append(batch, a.sign(account, 0, message.RefUpdate(s.project, searchedRef(ref), forward)),
					a.sign(account, 0, message.RefUpdate(s.project, searchedRef(ref), back)))
			}
			for a.submit(batch...) != nil && a.ctx.Err() == nil { // it is part of the attack to repeat what the rate limit refuses
				a.wait(refusalPause)
			}
		}
	}
}

// flood sends as many messages of one account as it can. Each follows another account.
func (a *attackers) flood(account *nodetest.Account) {
	a.repeat(4, func(int) error {
		var batch []*message.Envelope
		for range limit.MaxBatch {
			batch = append(batch, a.sign(account, 0, message.Follow(randomAddress())))
		}
		return a.submit(batch...)
	})
}

// pushLarge sends bundles of as many commits as a message may have.
func (a *attackers) pushLarge(account *nodetest.Account) {
	commits := make([]message.Commit, bundleSize)
	for i := range commits {
		commits[i] = newCommit(a.t, account)
	}
	a.repeat(1, func(int) error {
		for i := range commits {
			commits[i].Hash = randomHash()
		}
		return a.submit(a.sign(account, 0, message.CommitBundle(a.projects[0], message.Content{}, commits...)))
	})
}

// churn creates projects and removes them.
func (a *attackers) churn(account *nodetest.Account) {
	a.repeat(4, func(int) error {
		var batch []*message.Envelope
		for range 10 {
			create := a.sign(account, 0, message.ProjectCreate(randomName(), pb.Visibility_VISIBILITY_PUBLIC, "", ""))
			batch = append(batch, create, a.sign(account, 0, message.ProjectRemove(create.Hash)))
		}
		return a.submit(batch...)
	})
}

// sign returns a message of an account, dated back by a number of seconds. Its body was made here, so signing cannot fail.
func (a *attackers) sign(account *nodetest.Account, ago uint32, data *pb.MessageData) *message.Envelope {
	m, err := account.Author.Sign(uint32(time.Now().Unix())-ago, data)
	if err != nil {
		panic(err)
	}
	return m
}

func randomHash() (hash ident.Hash) {
	for i := range hash {
		hash[i] = byte(rand.Uint32())
	}
	return hash
}

func randomAddress() (address ident.Address) {
	for i := range address {
		address[i] = byte(rand.Uint32())
	}
	return address
}

func randomName() string { return fmt.Sprintf("p%016x", rand.Uint64()) }
