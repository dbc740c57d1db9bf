// Package ledgertest is a chain in memory for tests: named people with keys that are the same in every run,
// blocks, and scenarios as text.
//
// Whatever a world executes is checked on the way: changes must be in order, true to the state before them
// and not empty, and what a proposer assembles must execute to the same result.
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

// Start is the time of a world's first block.
const Start = 1_700_000_000

// TB is what a world needs of a test; *testing.T, *testing.F and *rapid.T have it.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Chain is a chain in memory. It has one open block, to which messages are applied one by one. It is for one
// goroutine at a time; parallel tests each take a Branch.
type Chain struct {
	TB
	Ledger *ledger.Ledger
	Params ledger.Params
	Rows   *Rows // as of the last commit; see Commit
	Block  ledger.Block

	session  *ledger.Session
	actors   map[string]*Actor
	payments int
}

// New makes a world at its first block, with three attesters of whom two must vouch.
func New(tb TB) *Chain {
	params := ledger.Params{Network: Network, Threshold: Threshold}
	for i := range Attesters {
		params.Attesters = append(params.Attesters, message.NewAuthor(Attester(i), Network, ident.Address{}).Key())
	}
	return NewWithParams(tb, params)
}

// NewWithParams makes a world of another genesis.
func NewWithParams(tb TB, params ledger.Params) *Chain {
	w := &Chain{
		TB: tb, Ledger: ledger.New(params), Params: params, Rows: NewRows(),
		Block: ledger.Block{Height: 1, Time: Start}, actors: map[string]*Actor{},
	}
	w.session = w.Ledger.Begin(w.Rows, w.Block)
	return w
}

// Branch is a world that goes its own way from here, for another test.
func (w *Chain) Branch(tb TB) *Chain {
	tb.Helper()
	branch := *w
	branch.TB, branch.Rows, branch.actors = tb, w.Rows.Clone(), maps.Clone(w.actors)
	branch.takeOver(w.session.Changes())
	return &branch
}

// Now is the open block's time as a timestamp.
func (w *Chain) Now() uint32 { return uint32(w.Block.Time) }

// Actor is the person of a name, with a secp256k1 root. It need not be on the chain.
func (w *Chain) Actor(name string) *Actor {
	w.Helper()
	return w.ActorOf(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, name)
}

// ActorOf is the person of a name, with a root of a kind when it is met for the first time.
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

// Join puts an actor on the chain: its main key with scope OWNER and, unless units is 0, storage and a
// username like its name.
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

// AddKey registers one of an actor's delegated keys and gives its author.
func (w *Chain) AddKey(a *Actor, key string, scope pb.KeyScope, projects ...ident.Hash) *message.Author {
	w.Helper()
	author := a.With(key)
	grant := message.SignerGrant{Key: author.Key(), Scope: scope, AllowedProjects: projects}
	m, err := a.SignerAdd(w.Now(), grant, w.Permit(a.Address), a.Root, a.Root)
	w.Must(w.made(m, err))
	return author
}

// Fund grants an actor storage that was settled at the open block's time.
func (w *Chain) Fund(a *Actor, units uint32) {
	w.Helper()
	w.payments++
	settlement := message.Settlement{
		Units: units, TxHash: Hash("payment:" + strconv.Itoa(w.payments)), Actor: a.Address, Timestamp: w.Block.Time,
	}
	m, err := a.StorageClaim(w.Now(), settlement, Attester(0), Attester(1))
	w.Must(w.made(m, err))
}

// Permit bounds a custody signature of an account to around now and its next nonce.
func (w *Chain) Permit(owner ident.Address) message.Permit {
	w.Helper()
	var row pb.AccountRow
	w.Load(schema.AccountKey(owner), &row)
	return message.Permit{Nonce: row.GetCustodyNonce(), ValidAfter: w.Block.Time - 60, ValidBefore: w.Block.Time + 600}
}

// Signer makes messages of one account with one key: an Actor or a *message.Author.
type Signer interface {
	Sign(timestamp uint32, data *pb.MessageData) (*message.Envelope, error)
}

// Sign makes a message at the open block's time.
func (w *Chain) Sign(by Signer, data *pb.MessageData) *message.Envelope {
	w.Helper()
	return w.SignAt(by, w.Now(), data)
}

// SignAt makes a message of any time.
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

// Load reads a row as it stands after everything applied so far, and says whether it is there.
func (w *Chain) Load(key []byte, row proto.Message) bool {
	w.Helper()
	w.Commit()
	ok, err := w.Rows.Load(key, row)
	if err != nil {
		w.Fatalf("row %x: %v", key, err)
	}
	return ok
}
