package vectors

import (
	"errors"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
	"makechain/message"
)

// scenarioFile is a chain: its blocks and the root after each.
type scenarioFile struct {
	Name    string          `json:"name"`
	Genesis genesisVector   `json:"genesis"`
	Blocks  []blockVector   `json:"blocks"`
	Rows    []rowVector     `json:"rows"`
	Replays []refusedVector `json:"replays"`
}

type genesisVector struct {
	Network           pb.Network `json:"network"`
	ChainID           string     `json:"chain_id"`
	SettlementChainID uint64     `json:"settlement_chain_id"`
	Contract          hexBytes   `json:"contract"`
	Attesters         []hexBytes `json:"attesters"`
	Threshold         int        `json:"threshold"`
}

// blockVector has the messages that applied, in order. Each refused message was applied alone after them, in the same
// block. Each invalid proposal was executed instead of them.
type blockVector struct {
	Height       uint64          `json:"height"`
	Time         uint64          `json:"time"`
	Transactions []appliedVector `json:"transactions"`
	Invalid      []invalidVector `json:"invalid,omitempty"`
	Refused      []refusedVector `json:"refused,omitempty"`
	Changes      []changeVector  `json:"changes"`
	StateRoot    hexBytes        `json:"state_root"`
}

type appliedVector struct {
	Name        string   `json:"name"`
	Hash        hexBytes `json:"hash"`
	Transaction hexBytes `json:"transaction"`
}

type refusedVector struct {
	Name        string   `json:"name"`
	Hash        hexBytes `json:"hash"`
	Transaction hexBytes `json:"transaction,omitempty"`
	Result      result   `json:"verdict"`
}

// invalidVector is a block that every validator must refuse.
type invalidVector struct {
	Name         string     `json:"name"`
	Reason       string     `json:"reason"`
	Transactions []hexBytes `json:"transactions"`
}

// changeVector is a row that a block wrote, or deleted if it has no value.
type changeVector struct {
	Key   hexBytes `json:"key"`
	Value hexBytes `json:"value,omitempty"`
}

// offer is a message for the open block. It must apply if code is empty.
type offer struct {
	name    string
	message *message.Envelope
	code    message.Code
}

// chain executes a scenario and records it.
type chain struct {
	t       *testing.T
	file    scenarioFile
	ledger  *ledger.Ledger
	block   ledger.Block
	rows    *merkletest.Rows // all rows
	proven  *merkletest.Rows // rows in the state root
	tree    *merkle.Tree
	version *merkle.Version

	offers  []offer
	invalid []invalidVector
	applied []offer
	nonces  map[ident.Address]uint64
}

const threshold = 2

func newChain(t *testing.T, name string) *chain {
	t.Helper()
	domain := settlementDomain(network)
	params := ledger.Params{Network: network, ChainID: domain.ChainID, Settlement: ledger.Settlement{
		ChainID: domain.SettlementChainID, Contract: domain.Contract, Threshold: threshold,
	}}
	genesis := genesisVector{
		Network: network, ChainID: domain.ChainID, SettlementChainID: domain.SettlementChainID, Contract: domain.Contract[:], Threshold: threshold,
	}
	for i := range 3 {
		key := message.NewAuthor(attester(i), network, ident.Address{}).Key()
		params.Settlement.Attesters = append(params.Settlement.Attesters, ledger.Attester{Key: key})
		genesis.Attesters = append(genesis.Attesters, key[:])
	}
	tree := merkle.New(1)
	return &chain{
		t: t, file: scenarioFile{Name: name, Genesis: genesis}, ledger: ledger.New(params),
		block: ledger.Block{Height: 1, Time: now}, rows: merkletest.NewRows(), proven: merkletest.NewRows(),
		tree: tree, version: tree.Empty(), nonces: map[ident.Address]uint64{},
	}
}

func attester(i int) message.Seed { return secret("genesis attester " + string(rune('a'+i))) }

func (c *chain) now() uint32 { return uint32(c.block.Time) }

// apply adds a message that must apply to the open block.
func (c *chain) apply(name string, m *message.Envelope) *message.Envelope {
	c.offers = append(c.offers, offer{name: name, message: m})
	return m
}

// refuse adds a message that must be refused after the open block was applied.
func (c *chain) refuse(name string, code message.Code, m *message.Envelope) {
	c.offers = append(c.offers, offer{name, m, code})
}

// signer is an actor or one of an actor's keys.
type signer interface {
	Sign(timestamp uint32, data *pb.MessageData) (*message.Envelope, error)
}

// sign returns a message with the time of the open block.
func (c *chain) sign(by signer, data *pb.MessageData) *message.Envelope {
	c.t.Helper()
	return must[*message.Envelope](c.t)(by.Sign(c.now(), data))
}

// The reasons for which a proposal is invalid.
const (
	outOfOrder  = "order"   // not in the order of P6.1
	cannotApply = "message" // contains a message that cannot apply (P6.2)
)

// refuseBlock executes a proposal that must be refused instead of the open block.
func (c *chain) refuseBlock(name, reason string, messages ...*message.Envelope) {
	c.t.Helper()
	v := invalidVector{Name: name, Reason: reason}
	for _, m := range messages {
		v.Transactions = append(v.Transactions, m.Transaction())
	}
	c.invalid = append(c.invalid, v)
	var invalid *ledger.InvalidBlockError
	if _, err := c.ledger.Execute(c.rows, c.block, messages); !errors.As(err, &invalid) {
		c.t.Errorf("%s: %s: %v", c.file.Name, name, err)
	} else if (invalid.Refusal != nil) != (reason == cannotApply) {
		c.t.Errorf("%s: %s: refused because of %v, want %s", c.file.Name, name, invalid, reason)
	}
}

// next executes the open block, records it, and opens the next one, seconds later.
func (c *chain) next(seconds uint64) {
	c.t.Helper()
	var candidates []*message.Envelope
	names := map[ident.Hash]string{}
	for _, o := range c.offers {
		if o.code == "" {
			candidates = append(candidates, o.message)
			names[o.message.Hash] = o.name
			c.applied = append(c.applied, o)
		}
	}
	result := must[*ledger.Result](c.t)(c.ledger.Assemble(c.rows, c.block, candidates, nil))
	for _, refused := range result.Refused {
		c.t.Errorf("%s: %s: %v", c.file.Name, names[refused.Message.Hash], refused.Refusal)
	}
	if len(result.Deferred) > 0 {
		c.t.Errorf("%s: block %d leaves messages pending", c.file.Name, c.block.Height)
	}
	block := blockVector{Height: c.block.Height, Time: c.block.Time, Changes: c.write(result.Changes)}
	for _, a := range result.Applied {
		block.Transactions = append(block.Transactions, appliedVector{names[a.Message.Hash], a.Message.Hash[:], a.Message.Transaction()})
	}
	root := c.version.Root()
	block.StateRoot, block.Invalid, block.Refused = root[:], c.invalid, c.refused()
	c.file.Blocks = append(c.file.Blocks, block)
	c.offers, c.invalid = nil, nil
	c.block.Height++
	c.block.Time += seconds
}

// write applies the changes of a block to rows and tree, and returns those of the state root.
func (c *chain) write(changes []schema.Change) []changeVector {
	c.t.Helper()
	list := []changeVector{}
	var proven []schema.Change
	for _, change := range changes {
		if schema.Prefix(change.Key[0]).Merkleized() {
			proven = append(proven, change)
			list = append(list, changeVector{change.Key, change.Value})
		}
	}
	c.version = must[*merkle.Version](c.t)(c.tree.Update(c.version, proven, c.proven))
	c.rows, c.proven = c.rows.Apply(changes), c.proven.Apply(proven)
	return list
}

// refused checks the messages that must be refused, each alone on the state after the block.
func (c *chain) refused() []refusedVector {
	c.t.Helper()
	var list []refusedVector
	for _, o := range c.offers {
		if o.code == "" {
			continue
		}
		got := c.check(o.message)
		if got.Code != o.code {
			c.t.Errorf("%s: block %d: %s: got %+v, want %s", c.file.Name, c.block.Height, o.name, got, o.code)
		}
		list = append(list, refusedVector{o.name, o.message.Hash[:], o.message.Transaction(), got})
	}
	return list
}

// check returns the result of one more message in the open block.
func (c *chain) check(m *message.Envelope) result {
	c.t.Helper()
	if v := check(m.Transaction()); v != (result{}) {
		return v
	}
	_, refusal, err := c.ledger.Begin(c.rows, c.block).Apply(m)
	if err != nil {
		c.t.Fatal(err)
	}
	return resultOf(refusal)
}

// finish executes the last block, replays every message that applied, and compares with the file.
func (c *chain) finish(file string) {
	c.t.Helper()
	c.next(0)
	err := c.proven.All(func(key, value []byte) error {
		c.file.Rows = append(c.file.Rows, rowVector{key, value})
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, o := range c.applied {
		v := c.check(o.message)
		if v == (result{}) {
			c.t.Errorf("%s: %s applies twice", c.file.Name, o.name)
		}
		c.file.Replays = append(c.file.Replays, refusedVector{Name: o.name, Hash: o.message.Hash[:], Result: v})
	}
	golden(c.t, "scenarios/"+file, c.file)
}
