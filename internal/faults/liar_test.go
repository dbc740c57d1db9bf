package faults_test

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/ident"
	"makechain/message"
)

// refusedBlock is what a node writes when it does not agree to a block.
const refusedBlock = "refused a proposed block"

// deed makes an invalid block of a valid one. It is nil when the one does not lend itself to it.
type deed func(transactions [][]byte) [][]byte

// liar stands before an honest application. It proposes a block of each invalid kind in turn, and never a valid one.
type liar struct {
	comet.Application

	turn   int
	before [][]byte // what it should have proposed the last time, and others have since
}

// PrepareProposal changes what an honest node would propose.
func (l *liar) PrepareProposal(ctx context.Context, r *abci.RequestPrepareProposal) (*abci.ResponsePrepareProposal, error) {
	answer, err := l.Application.PrepareProposal(ctx, r)
	if err == nil {
		answer.Txs = l.propose(answer.Txs)
	}
	return answer, err
}

func (l *liar) propose(transactions [][]byte) [][]byte {
	deeds := l.deeds()
	for range deeds {
		invalid := deeds[l.turn%len(deeds)](transactions)
		l.turn++
		if invalid != nil {
			l.before = transactions
			return invalid
		}
	}
	return nil // cannot be: garbage can always be proposed
}

func (l *liar) deeds() []deed {
	return []deed{
		reversed,
		repeated,
		func(transactions [][]byte) [][]byte { return with(transactions, l.before...) },
		func(transactions [][]byte) [][]byte { return with(transactions, stranger()) },
		func(transactions [][]byte) [][]byte { return with(transactions, []byte(rand.Text())) },
		func(transactions [][]byte) [][]byte { return with(transactions, make([]byte, message.MaxSize+1)) },
	}
}

// with adds transactions to others, unless there are none to add.
func with(transactions [][]byte, more ...[]byte) [][]byte {
	if len(more) == 0 {
		return nil
	}
	return append(slices.Clone(transactions), more...)
}

// reversed puts messages into the wrong order.
func reversed(transactions [][]byte) [][]byte {
	if len(transactions) < 2 {
		return nil
	}
	turned := slices.Clone(transactions)
	slices.Reverse(turned)
	return turned
}

// repeated has a message twice.
func repeated(transactions [][]byte) [][]byte {
	if len(transactions) == 0 {
		return nil
	}
	return slices.Insert(slices.Clone(transactions), 0, transactions[0])
}

// stranger is a well-formed message that cannot apply: its sender has no key on the chain.
func stranger() []byte {
	var seed message.Seed
	_, _ = rand.Read(seed[:]) // never fails
	author := message.NewAuthor(seed, pb.Network_NETWORK_DEVNET, ident.Address(seed[:ident.AddressSize]))
	m, err := author.Sign(uint32(time.Now().Unix()), message.UsernameCreate("stranger"))
	if err != nil {
		return nil
	}
	return m.Transaction()
}

// lie starts a validator anew that proposes nothing but invalid blocks, until another has refused each kind.
func (n *network) lie(validator int) ongoing {
	n.t.Helper()
	witness := (validator + 1) % n.validators
	before := n.wrote(witness, refusedBlock)
	restart := func(about string) {
		n.kill(validator)
		n.nodes[validator].role.Lies = about
		n.start(validator)
	}
	restart(aboutBlocks)
	return ongoing{
		took: func() bool { return n.wrote(witness, refusedBlock) >= before+len(new(liar).deeds()) },
		undo: func() { restart("") },
	}
}
