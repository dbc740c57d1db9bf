// Package ledgertest provides an in-memory chain for tests: named actors with the same keys in every run, blocks, and
// scenarios as text.
//
// A test chain checks everything it executes: changes must be in order, consistent with the previous state and not
// empty, and a proposal must execute to the same result as when it was assembled.
package ledgertest

import (
	"maps"
	"strconv"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// Start is the time of the first block of a test chain.
const Start = 1_700_000_000

// TB is the part of testing.TB that a test chain needs; *testing.T, *testing.F and *rapid.T implement it.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Chain is an in-memory chain. It has one open block, to which messages are applied one by one. It is not safe for
// concurrent use; parallel tests use a Branch each.
type Chain struct {
	TB
	Ledger *ledger.Ledger
	Params ledger.Params
	Rows   *Rows // as of the last commit; see Commit
	Block  ledger.Block

	session  *ledger.Session
	applied  bool // the open block has messages
	actors   map[string]*Actor
	payments int
}

// New returns a chain at its first block, with three attesters of which two must sign a claim.
func New(tb TB) *Chain {
	return NewWithParams(tb, ledger.Params{Network: Network, ChainID: Domain().ChainID, Settlement: Settlement()})
}

// NewWithParams returns a chain with other genesis parameters.
func NewWithParams(tb TB, params ledger.Params) *Chain {
	w := &Chain{
		TB: tb, Ledger: ledger.New(params), Params: params, Rows: NewRows(),
		Block: ledger.Block{Height: 1, Time: Start}, actors: map[string]*Actor{},
	}
	w.session = w.Ledger.Begin(w.Rows, w.Block)
	return w
}

// Branch returns an independent copy of the chain, for another test.
func (w *Chain) Branch(tb TB) *Chain {
	tb.Helper()
	branch := *w
	branch.TB, branch.Rows, branch.actors = tb, w.Rows.Clone(), maps.Clone(w.actors)
	branch.applyChanges(w.session.Changes())
	return &branch
}

// Now returns the open block's time as a timestamp.
func (w *Chain) Now() uint32 { return uint32(w.Block.Time) }

// Actor returns the actor with a name and a secp256k1 root. It need not be on the chain.
func (w *Chain) Actor(name string) *Actor {
	w.Helper()
	return w.ActorOf(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, name)
}

// ActorOf returns the actor with a name. The first call for a name decides the kind of the root.
func (w *Chain) ActorOf(kind pb.CustodySignatureType, name string) *Actor {
	w.Helper()
	if a, ok := w.actors[name]; ok {
		return a
	}
	a, err := NewActor(kind, name)
	if err != nil {
		w.Fatalf("actor %s: %v", name, err)
	}
	w.actors[name] = a
	return a
}

// Join registers an actor: its main key with scope OWNER and, unless units is 0, storage and its name as username.
func (w *Chain) Join(name string, units uint32) *Actor {
	w.Helper()
	a := w.Actor(name)
	w.AddKey(a, MainKey, pb.KeyScope_KEY_SCOPE_OWNER)
	if units > 0 {
		w.Fund(a, units)
		w.Must(w.Sign(a, message.UsernameCreate(name)))
	}
	return a
}

// AddKey registers one of an actor's delegated keys and returns its author.
func (w *Chain) AddKey(a *Actor, key string, scope pb.KeyScope, projects ...ident.Hash) *message.Author {
	w.Helper()
	author := a.With(key)
	grant := message.SignerGrant{Key: author.Key(), Scope: scope, AllowedProjects: projects}
	m, err := a.SignerAdd(w.Now(), grant, w.Permit(a.Address), a.Root, a.Root)
	w.Must(w.made(m, err))
	return author
}

// Fund grants an actor storage, settled at the open block's time.
func (w *Chain) Fund(a *Actor, units uint32) {
	w.Helper()
	w.payments++
	settlement := message.Settlement{
		Units: units, TxHash: Hash("payment:" + strconv.Itoa(w.payments)), Actor: a.Address, Timestamp: w.Block.Time,
	}
	m, err := a.StorageClaim(w.Now(), Domain(), settlement, Attester(0), Attester(1))
	w.Must(w.made(m, err))
}

// Permit returns a permit around the current time with the account's next nonce.
func (w *Chain) Permit(owner ident.Address) message.Permit {
	w.Helper()
	var row pb.AccountRow
	w.Load(schema.AccountKey(owner), &row)
	return message.Permit{Nonce: row.GetCustodyNonce(), ValidAfter: w.Block.Time - 60, ValidBefore: w.Block.Time + 600}
}

// Signer signs messages of one account with one key: an Actor or a *message.Author.
type Signer interface {
	Sign(timestamp uint32, data *pb.MessageData) (*message.Envelope, error)
}

// Sign returns a message with the open block's time.
func (w *Chain) Sign(by Signer, data *pb.MessageData) *message.Envelope {
	w.Helper()
	return w.SignAt(by, w.Now(), data)
}

// SignAt returns a message with any time.
func (w *Chain) SignAt(by Signer, timestamp uint32, data *pb.MessageData) *message.Envelope {
	w.Helper()
	m, err := by.Sign(timestamp, data)
	return w.made(m, err)
}

func (w *Chain) made(m *message.Envelope, err error) *message.Envelope {
	w.Helper()
	if err != nil {
		w.Fatalf("make a message: %v", err)
	}
	return m
}

// Load reads a row, including the changes of the open block, and reports whether it exists.
func (w *Chain) Load(key []byte, row proto.Message) bool {
	w.Helper()
	w.Commit()
	ok, err := w.Rows.Load(key, row)
	if err != nil {
		w.Fatalf("row %x: %v", key, err)
	}
	return ok
}
