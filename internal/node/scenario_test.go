package node_test

import (
	"strconv"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/custody/custodytest"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	storageUnits = 3
	commitCount  = 50
	bundleSize   = 10
)

// scenario is the activity of three accounts on a chain, with the values that must be read back.
type scenario struct {
	*nodetest.Node

	alice, bob, carol *nodetest.Account

	hello, private, archived, removed, fork ident.Hash // projects
	license                                 string     // of hello
	commits                                 []message.Commit
	forked                                  message.Commit // made by bob in the fork
	request, withdrawn                      ident.Hash     // merge requests

	agent     *message.Author // alice's key for one project
	helper    ident.PublicKey // alice's key that a custody key added
	custodies []custodyKey    // authorized in this order; the first is revoked again
	ethereum  *custody.Secp256k1Wallet
	solana    *message.Author

	sent []ident.Hash // every accepted message, in the order it was sent
}

// custodyKey is a wallet that can be authorized.
type custodyKey interface {
	custody.Wallet
	Type() pb.CustodySignatureType
	PublicKey() []byte
}

// runScenario submits the messages of the scenario. It waits only where one account depends on another (P10.1).
func runScenario(t *testing.T, n *nodetest.Node) *scenario {
	t.Helper()
	s := &scenario{Node: n, alice: nodetest.NewAccount(t), bob: nodetest.NewAccount(t), carol: nodetest.NewAccount(t)}
	s.sent = append(s.sent, n.Register(s.alice, storageUnits, "alice")...)
	s.writeProject(t)
	s.writeRefs(t)
	s.writeProfile(t)
	s.writeCustody(t)
	s.sent = append(s.sent, n.Register(s.bob, storageUnits, "bob")...)
	s.settle(t)
	s.writeFork(t)
	s.settle(t)
	s.writeSocial(t)
	s.settle(t)
	return s
}

// send submits messages of an account and returns the hash of the first.
func (s *scenario) send(t *testing.T, by *nodetest.Account, data ...*pb.MessageData) ident.Hash {
	t.Helper()
	var first ident.Hash
	for i, d := range data {
		m := by.Sign(d)
		s.submit(t, m)
		if i == 0 {
			first = m.Hash
		}
	}
	return first
}

func (s *scenario) submit(t *testing.T, messages ...*message.Envelope) {
	t.Helper()
	s.Submit(t, messages...)
	for _, m := range messages {
		s.sent = append(s.sent, m.Hash)
	}
}

// settle waits until all messages are committed.
func (s *scenario) settle(t *testing.T) {
	t.Helper()
	for _, hash := range s.sent {
		if status := s.AwaitStatus(t, hash); status.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
			t.Fatalf("message %s: %v", hash, status)
		}
	}
}

// writeProject creates projects, one of them with commits in batches.
func (s *scenario) writeProject(t *testing.T) {
	t.Helper()
	public, private := pb.Visibility_VISIBILITY_PUBLIC, pb.Visibility_VISIBILITY_PRIVATE
	s.hello = s.send(t, s.alice, message.ProjectCreate("hello", public, "A greeting", "MIT"))
	s.private = s.send(t, s.alice, message.ProjectCreate("hello-private", private, "", ""))
	s.archived = s.send(t, s.alice, message.ProjectCreate("old", public, "", ""))
	s.removed = s.send(t, s.alice, message.ProjectCreate("gone", public, "", ""))
	s.send(t, s.alice, message.ProjectArchive(s.archived))
	s.send(t, s.alice, message.ProjectRemove(s.removed))
	s.commits = newCommits(t, s.alice.Address())
	var bundles []*pb.Message
	for begin := 0; begin < len(s.commits); begin += bundleSize {
		content := message.Content{Digest: nodetest.Random(t), URL: "https://example.org/pack/" + strconv.Itoa(begin)}
		bundle := s.alice.Sign(message.CommitBundle(s.hello, content, s.commits[begin:begin+bundleSize]...))
		bundles = append(bundles, bundle.Proto())
		s.sent = append(s.sent, bundle.Hash)
	}
	answer := nodetest.Call(t, s.BatchSubmitMessages, &pb.BatchSubmitRequest{Messages: bundles})
	if answer.GetAcceptedCount() != uint32(len(bundles)) {
		t.Fatalf("of %d bundles: %v", len(bundles), answer)
	}
	s.alice.AdvanceClock()
	s.license = "Apache-2.0"
	license := s.alice.Sign(message.ProjectMetadata(s.hello, pb.ProjectMetadataType_PROJECT_METADATA_LICENSE, s.license))
	if dry := nodetest.Call(t, s.DryRunMessage, &pb.DryRunMessageRequest{Message: license.Proto()}); !dry.GetWouldAccept() {
		t.Fatalf("the license would be refused: %v", dry)
	}
	s.submit(t, license)
}

// newCommits returns a history: a line of commits whose last one merges an earlier one.
func newCommits(t *testing.T, author ident.Address) []message.Commit {
	t.Helper()
	commits := make([]message.Commit, commitCount)
	for i := range commits {
		commits[i] = message.Commit{
			Hash: nodetest.Random(t), TreeRoot: nodetest.Random(t), MessageHash: nodetest.Random(t),
			Author: author, AuthorTimestamp: uint32(1_700_000_000 + i), Title: "commit " + strconv.Itoa(i),
		}
		if i > 0 {
			commits[i].Parents = []ident.Hash{commits[i-1].Hash}
		}
	}
	last := &commits[commitCount-1]
	last.Parents = append(last.Parents, commits[0].Hash)
	return commits
}

// writeRefs creates branches and a tag, moves main and deletes a branch.
func (s *scenario) writeRefs(t *testing.T) {
	t.Helper()
	early, middle, last := s.commits[9].Hash, s.commits[29].Hash, s.commits[commitCount-1].Hash
	s.send(t, s.alice,
		message.RefUpdate(s.hello, "main", message.RefMove{New: early, Nonce: 1}),
		message.RefUpdate(s.hello, "main", message.RefMove{Old: early, New: last, Nonce: 2}),
		message.RefUpdate(s.hello, "topic", message.RefMove{New: middle, Nonce: 1}),
		message.RefUpdate(s.hello, "wrong", message.RefMove{New: middle, Nonce: 1}),
		message.RefDelete(s.hello, "wrong", middle, 2),
		message.RefUpdate(s.hello, "v1", message.RefMove{Type: pb.RefType_REF_TYPE_TAG, New: last, Nonce: 1}),
	)
}

func (s *scenario) writeProfile(t *testing.T) {
	t.Helper()
	s.send(t, s.alice,
		message.AccountData(pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, "Alice"),
		message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "writes greetings"),
	)
	var err error
	if s.ethereum, err = custody.NewSecp256k1Wallet(nodetest.Random(t)); err != nil {
		t.Fatal(err)
	}
	seed := nodetest.Random(t)
	s.solana = message.NewAuthor(seed, s.Network(), ident.Address{})
	s.submit(t,
		s.alice.Must(s.alice.EthVerification(s.alice.Now(), s.ethereum)),
		s.alice.Must(s.alice.SolVerification(s.alice.Now(), seed)),
	)
}

// writeCustody authorizes a custody key of each type; the later ones are signed by earlier ones.
func (s *scenario) writeCustody(t *testing.T) {
	t.Helper()
	secp, err := custody.NewSecp256k1Wallet(nodetest.Random(t))
	if err != nil {
		t.Fatal(err)
	}
	p256, err := custody.NewP256Wallet(nodetest.Random(t))
	if err != nil {
		t.Fatal(err)
	}
	passkey, err := custodytest.NewWebAuthnWallet(nodetest.Random(t))
	if err != nil {
		t.Fatal(err)
	}
	a := s.alice
	s.custodies = []custodyKey{secp, p256, passkey}
	for _, wallet := range s.custodies {
		key := message.CustodyKey{Type: wallet.Type(), PublicKey: wallet.PublicKey(), Admin: true}
		s.submit(t, a.Must(a.KeychainAuthorize(a.Now(), key, a.Permit(), a.Root)))
	}
	wrapped := func(w custody.Wallet) custody.WrappedWallet {
		return custody.WrappedWallet{Wallet: w, Account: a.Address()}
	}
	s.agent = message.NewAuthor(nodetest.Random(t), a.Network(), a.Address())
	helper := message.NewAuthor(nodetest.Random(t), a.Network(), a.Address())
	s.helper = helper.Key()
	agent := message.SignerGrant{Key: s.agent.Key(), Scope: pb.KeyScope_KEY_SCOPE_AGENT, AllowedProjects: []ident.Hash{s.hello}}
	signing := message.SignerGrant{Key: s.helper, Scope: pb.KeyScope_KEY_SCOPE_SIGNING}
	s.submit(t,
		a.Must(a.SignerAdd(a.Now(), agent, a.Permit(), wrapped(secp), wrapped(secp))),
		a.Must(a.SignerAdd(a.Now(), signing, a.Permit(), wrapped(p256), wrapped(p256))),
		a.Must(a.KeychainRevoke(a.Now(), secp.KeyID(), a.Permit(), wrapped(passkey))),
	)
}

// writeFork forks a project for bob, who opens two merge requests and withdraws one. Alice adds him as a collaborator, and her
// agent moves a branch.
func (s *scenario) writeFork(t *testing.T) {
	t.Helper()
	base := s.commits[commitCount-1].Hash
	s.fork = s.send(t, s.bob, message.Fork(s.hello, base, "hello-fork", pb.Visibility_VISIBILITY_PUBLIC))
	s.forked = message.Commit{
		Hash: nodetest.Random(t), Parents: []ident.Hash{base}, TreeRoot: nodetest.Random(t), MessageHash: nodetest.Random(t),
		Author: s.bob.Address(), AuthorTimestamp: 1_700_001_000, Title: "louder",
	}
	proposal := message.MergeProposal{Source: s.fork, SourceRef: "loud", SourceCommit: s.forked.Hash, TargetRef: "main", Title: "Louder"}
	quieter := proposal
	quieter.Title = "Quieter"
	s.send(t, s.bob,
		message.CommitBundle(s.fork, message.Content{}, s.forked),
		message.RefUpdate(s.fork, "loud", message.RefMove{New: s.forked.Hash, Nonce: 1}),
	)
	s.request = s.send(t, s.bob, message.MergeRequestAdd(s.hello, proposal))
	s.withdrawn = s.send(t, s.bob, message.MergeRequestAdd(s.hello, quieter))
	s.send(t, s.bob, message.MergeRequestRemove(s.hello, s.withdrawn))
	s.send(t, s.alice,
		message.CollaboratorAdd(s.hello, s.bob.Address(), pb.Permission_PERMISSION_WRITE),
		message.CollaboratorAdd(s.hello, s.carol.Address(), pb.Permission_PERMISSION_READ),
		message.CollaboratorRemove(s.hello, s.carol.Address()),
	)
	move := message.RefMove{Old: s.commits[29].Hash, New: s.commits[39].Hash, Nonce: 2}
	s.submit(t, s.alice.Must(s.agent.Sign(s.alice.Now(), message.RefUpdate(s.hello, "topic", move))))
}

func (s *scenario) writeSocial(t *testing.T) {
	t.Helper()
	s.send(t, s.alice,
		message.Follow(s.bob.Address()),
		message.Follow(s.carol.Address()),
		message.Unfollow(s.carol.Address()),
		message.Star(s.fork),
	)
	s.send(t, s.bob,
		message.Follow(s.alice.Address()),
		message.Star(s.hello),
		message.Like(s.hello, s.commits[0].Hash),
		message.Like(s.hello, s.commits[1].Hash),
		message.Unlike(s.hello, s.commits[1].Hash),
	)
}
