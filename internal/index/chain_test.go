package index_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// chain executes blocks and keeps state and index rows together, as a node does. It also keeps all messages and blocks,
// from which tests compute the expected answers.
type chain struct {
	testing.TB

	ledger *ledger.Ledger
	rows   *ledgertest.Rows
	block  ledger.Block // the next one

	actors   map[string]*ledgertest.Actor
	nonces   map[string]uint64
	payments int

	transactions [][][]byte // by height - 1
	applied      []applied
	refused      []ledger.Refused // by the last block
}

// applied is a message with its position and effects.
type applied struct {
	index.Position
	ledger.Applied
}

func newChain(t testing.TB) *chain {
	t.Helper()
	params := ledger.Params{Network: ledgertest.Network, ChainID: ledgertest.Domain().ChainID, Settlement: ledgertest.Settlement()}
	return &chain{
		TB: t, ledger: ledger.New(params), rows: ledgertest.NewRows(),
		block:  ledger.Block{Height: 1, Time: ledgertest.Start},
		actors: map[string]*ledgertest.Actor{}, nonces: map[string]uint64{},
	}
}

func (c *chain) now() uint32 { return uint32(c.block.Time) }

// actor returns the account of a name, which may not be on the chain yet.
func (c *chain) actor(name string) *ledgertest.Actor {
	c.Helper()
	if a, ok := c.actors[name]; ok {
		return a
	}
	a, err := ledgertest.NewActor(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, name)
	if err != nil {
		c.Fatal(err)
	}
	c.actors[name] = a
	return a
}

// permit returns the validity period and nonce of the next custody signature of an account.
func (c *chain) permit(name string) message.Permit {
	permit := message.Permit{Nonce: c.nonces[name], ValidAfter: c.block.Time - 60, ValidBefore: c.block.Time + 600}
	c.nonces[name]++
	return permit
}

// join returns the messages that register a key, storage and a username for an account.
func (c *chain) join(name string, units uint32) []*message.Envelope {
	c.Helper()
	a := c.actor(name)
	grant := message.SignerGrant{Key: a.Key(), Scope: pb.KeyScope_KEY_SCOPE_OWNER}
	signer, err := a.SignerAdd(c.now(), grant, c.permit(name), a.Root, a.Root)
	if err != nil {
		c.Fatal(err)
	}
	return []*message.Envelope{signer, c.claim(name, units), c.sign(name, message.UsernameCreate(name))}
}

// claim returns a message that grants storage to an account.
func (c *chain) claim(name string, units uint32) *message.Envelope {
	c.Helper()
	a := c.actor(name)
	c.payments++
	settlement := message.Settlement{
		Units: units, TxHash: ledgertest.Hash(strings.Repeat("x", c.payments)), Actor: a.Address, Timestamp: c.block.Time,
	}
	m, err := a.StorageClaim(c.now(), ledgertest.Domain(), settlement, ledgertest.Attester(0), ledgertest.Attester(1))
	if err != nil {
		c.Fatal(err)
	}
	return m
}

func (c *chain) sign(name string, data *pb.MessageData) *message.Envelope {
	c.Helper()
	m, err := c.actor(name).Sign(c.now(), data)
	if err != nil {
		c.Fatal(err)
	}
	return m
}

// commit commits a block of the candidates that apply, with its index rows.
func (c *chain) commit(candidates ...*message.Envelope) {
	c.Helper()
	result, err := c.ledger.Assemble(c.rows, c.block, candidates, nil)
	if err != nil {
		c.Fatal(err)
	}
	block := &ledger.Committed{Block: c.block, Applied: result.Applied, Changes: result.Changes}
	c.refused = result.Refused
	rows, err := index.Rows(c.rows, block, result.Refused)
	if err != nil {
		c.Fatal(err)
	}
	slices.SortFunc(rows, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	if err := c.rows.Apply(append(slices.Clone(result.Changes), rows...)); err != nil {
		c.Fatal(err)
	}
	transactions := make([][]byte, 0, len(result.Applied))
	for i, a := range result.Applied {
		transactions = append(transactions, a.Message.Transaction())
		c.applied = append(c.applied, applied{index.Position{Height: c.block.Height, Index: uint32(i)}, a})
	}
	c.transactions = append(c.transactions, transactions)
	c.block.Height++
	c.block.Time++
}

// must commits a block in which all messages must apply, and compares all answers.
func (c *chain) must(messages ...*message.Envelope) {
	c.Helper()
	c.commit(messages...)
	for _, refused := range c.refused {
		c.Fatalf("%s: %v", refused.Message.Type(), refused.Refusal)
	}
	c.compare()
}

func (c *chain) reader() index.Reader { return index.NewReader(c.rows) }

// Base and Transactions implement index.Blocks.
func (c *chain) Base() uint64 { return 1 }

func (c *chain) Transactions(height uint64) ([][]byte, error) { return c.transactions[height-1], nil }

// check compares the indexes with blocks and state.
func (c *chain) check() *index.Report {
	c.Helper()
	report, err := index.Check(c.rows, c.block.Height-1, c)
	if err != nil {
		c.Fatal(err)
	}
	return report
}
