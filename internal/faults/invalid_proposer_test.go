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

// rejectedBlockLog is the log text of a node that rejects a proposed block.
const rejectedBlockLog = "rejected a proposed block"

// mutation makes a valid block invalid. It returns nil if it does not apply to the block.
type mutation func(transactions [][]byte) [][]byte

// invalidProposer wraps an application. It proposes only invalid blocks, with each mutation in turn.
type invalidProposer struct {
	comet.Application

	next   int
	before [][]byte // of its previous valid proposal, which others have committed since
}

// PrepareProposal makes the proposal of the application invalid.
func (l *invalidProposer) PrepareProposal(ctx context.Context, r *abci.RequestPrepareProposal) (*abci.ResponsePrepareProposal, error) {
	response, err := l.Application.PrepareProposal(ctx, r)
	if err == nil {
		response.Txs = l.propose(response.Txs)
	}
	return response, err
}

func (l *invalidProposer) propose(transactions [][]byte) [][]byte {
	mutations := l.mutations()
	for range mutations {
		invalid := mutations[l.next%len(mutations)](transactions)
		l.next++
		if invalid != nil {
			l.before = transactions
			return invalid
		}
	}
	return nil // unreachable: random bytes are always possible
}

func (l *invalidProposer) mutations() []mutation {
	return []mutation{
		reversed,
		repeated,
		func(transactions [][]byte) [][]byte { return with(transactions, l.before...) },
		func(transactions [][]byte) [][]byte { return with(transactions, unknownSigner()) },
		func(transactions [][]byte) [][]byte { return with(transactions, []byte(rand.Text())) },
		func(transactions [][]byte) [][]byte { return with(transactions, make([]byte, message.MaxSize+1)) },
	}
}

// with appends transactions, or returns nil if there are none to append.
func with(transactions [][]byte, more ...[]byte) [][]byte {
	if len(more) == 0 {
		return nil
	}
	return append(slices.Clone(transactions), more...)
}

// reversed reverses the order of the messages.
func reversed(transactions [][]byte) [][]byte {
	if len(transactions) < 2 {
		return nil
	}
	copied := slices.Clone(transactions)
	slices.Reverse(copied)
	return copied
}

// repeated repeats a message.
func repeated(transactions [][]byte) [][]byte {
	if len(transactions) == 0 {
		return nil
	}
	return slices.Insert(slices.Clone(transactions), 0, transactions[0])
}

// unknownSigner returns a well-formed message whose signer is not registered.
func unknownSigner() []byte {
	var seed message.Seed
	_, _ = rand.Read(seed[:]) // never fails
	author := message.NewAuthor(seed, pb.Network_NETWORK_DEVNET, ident.Address(seed[:ident.AddressSize]))
	m, err := author.Sign(uint32(time.Now().Unix()), message.UsernameCreate("unknown"))
	if err != nil {
		return nil
	}
	return m.Transaction()
}

// lie restarts a validator that proposes only invalid blocks, until another node has refused each kind.
func (n *network) lie(validator int) ongoing {
	n.t.Helper()
	observer := (validator + 1) % n.validators
	before := n.logCount(observer, rejectedBlockLog)
	restart := func(about string) {
		n.kill(validator)
		n.nodes[validator].role.Byzantine = about
		n.start(validator)
	}
	restart(invalidBlocksFault)
	return ongoing{
		took: func() bool {
			return n.logCount(observer, rejectedBlockLog) >= before+len(new(invalidProposer).mutations())
		},
		undo: func() { restart("") },
	}
}
