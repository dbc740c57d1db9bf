package ledger_test

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// stage is a chain on which a message of every type can apply. The owner has the project "hub" with a ref, a collaborator
// of each permission, a merge request against it and an entry in every set; the other accounts have a username and
// storage.
type stage struct {
	*ledgertest.Chain

	owner   *ledgertest.Actor
	guests  map[string]*ledgertest.Actor // by role
	hub     ident.Hash                   // public
	vault   ident.Hash                   // private
	fork    ident.Hash                   // of hub, with a ref at commit one
	request ident.Hash                   // against hub, of the stranger
	one     ident.Hash                   // commits of hub; one is in vault too
	two     ident.Hash
	phone   ledgertest.CustodyWallet // authorized by the owner
}

// Roles of an account in a project. A stranger has none.
const (
	roleOwner    = "owner"
	roleGranted  = "granted owner"
	roleAdmin    = "admin"
	roleWrite    = "write"
	roleRead     = "read"
	roleStranger = "stranger"
)

func newStage(tb testing.TB) *stage {
	tb.Helper()
	w := ledgertest.New(tb)
	s := &stage{Chain: w, owner: w.Join("owner", 5), one: ledgertest.Hash("one"), two: ledgertest.Hash("two")}
	s.guests = map[string]*ledgertest.Actor{roleOwner: s.owner}
	phone, err := ledgertest.NewWallet(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256, "phone")
	if err != nil {
		tb.Fatal(err)
	}
	s.phone = phone
	s.hub = s.must(s.owner, message.ProjectCreate("hub", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	s.vault = s.must(s.owner, message.ProjectCreate("vault", pb.Visibility_VISIBILITY_PRIVATE, "", ""))
	s.must(s.owner, message.CommitBundle(s.hub, message.Content{}, ledgertest.NewCommit(s.one), ledgertest.NewCommit(s.two, s.one)))
	s.must(s.owner, message.CommitBundle(s.vault, message.Content{}, ledgertest.NewCommit(s.one)))
	s.must(s.owner, message.RefUpdate(s.hub, "main", message.RefMove{New: s.one, Nonce: 1}))
	s.invite()
	s.fill()
	w.Next(60)
	return s
}

// invite adds the collaborators.
func (s *stage) invite() {
	for _, guest := range []struct {
		name, role string
		permission pb.Permission
	}{
		{"olga", roleGranted, pb.Permission_PERMISSION_OWNER},
		{"adam", roleAdmin, pb.Permission_PERMISSION_ADMIN},
		{"will", roleWrite, pb.Permission_PERMISSION_WRITE},
		{"rita", roleRead, pb.Permission_PERMISSION_READ},
	} {
		a := s.Join(guest.name, 1)
		s.guests[guest.role] = a
		s.must(s.owner, message.CollaboratorAdd(s.hub, a.Address, guest.permission))
		s.must(s.owner, message.CollaboratorAdd(s.vault, a.Address, guest.permission))
	}
	s.guests[roleStranger] = s.Join("stan", 1)
}

// fill adds an entry to every set and opens a merge request.
func (s *stage) fill() {
	stranger := s.guests[roleStranger]
	s.must(s.owner, message.CollaboratorAdd(s.hub, s.Actor("target").Address, pb.Permission_PERMISSION_READ))
	s.must(s.owner, message.Star(s.hub))
	s.must(s.owner, message.Like(s.hub, s.one))
	s.Must(made(s.owner.SolVerification(s.Now(), ledgertest.Secret("sol"))))
	s.AddKey(s.owner, "spare", pb.KeyScope_KEY_SCOPE_AGENT)
	key := message.CustodyKey{Type: s.phone.Type(), PublicKey: s.phone.PublicKey()}
	s.Must(made(s.owner.KeychainAuthorize(s.Now(), key, s.Permit(s.owner.Address), s.owner.Root)))
	s.fork = s.must(stranger, message.Fork(s.hub, s.one, "fork", pb.Visibility_VISIBILITY_PUBLIC))
	s.must(stranger, message.RefUpdate(s.fork, "main", message.RefMove{New: s.one, Nonce: 1}))
	s.request = s.must(stranger, message.MergeRequestAdd(s.hub, s.proposal("first")))
}

func (s *stage) proposal(title string) message.MergeProposal {
	return message.MergeProposal{Source: s.fork, SourceRef: "main", SourceCommit: s.one, TargetRef: "main", Title: title}
}

// must applies a message and returns its hash.
func (s *stage) must(by ledgertest.Signer, data *pb.MessageData) ident.Hash {
	s.Helper()
	m := s.Sign(by, data)
	s.Must(m)
	return m.Hash
}

// branch returns an independent copy of the stage.
func (s *stage) branch(tb testing.TB) *stage {
	tb.Helper()
	branch := *s
	branch.Chain = s.Branch(tb)
	return &branch
}

// made returns a message whose construction cannot fail with valid keys.
func made(m *message.Envelope, _ error) *message.Envelope { return m }

// kindOfMessage is a row of the table of P3 and a message of that type that applies to a stage.
type kindOfMessage struct {
	name      string
	kind      pb.MessageType
	phase     message.Phase
	sensitive bool
	scope     int      // the weakest scope that may sign it; anyKey for all keys
	roles     []string // in the project it is about; nil for all
	make      func(s *stage, a *ledgertest.Actor, by *message.Author) *message.Envelope
}

// anyKey is the scope of types whose authority does not come from the signer of the envelope.
const anyKey = 99

const (
	signing = int(pb.KeyScope_KEY_SCOPE_SIGNING)
	agent   = int(pb.KeyScope_KEY_SCOPE_AGENT)
)

// data returns a constructor of messages whose body does not depend on the author.
func data(body func(s *stage) *pb.MessageData) func(*stage, *ledgertest.Actor, *message.Author) *message.Envelope {
	return func(s *stage, _ *ledgertest.Actor, by *message.Author) *message.Envelope { return s.Sign(by, body(s)) }
}

// kindsOfMessages returns the table of P3, with more than one row where the permission depends on the body.
func kindsOfMessages() []kindOfMessage {
	return append(append(projectKinds(), accountKinds()...), custodyKinds()...)
}
