package index_test

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// everyType is a chain on which a message of every type was committed.
type everyType struct {
	*chain

	project, fork, gone, request ident.Hash
}

// commitEveryType commits messages of every type, a few per block.
func commitEveryType(c *chain) *everyType {
	c.Helper()
	s := &everyType{chain: c}
	s.createAccounts()
	s.changeRefs()
	s.changeSets()
	s.custody()
	s.removeProjects()
	return s
}

func (s *everyType) createAccounts() {
	s.Helper()
	s.must(append(s.join("alice", 3), s.join("bobby", 3)...)...)
	create := s.sign("alice", message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	gone := s.sign("bobby", message.ProjectCreate("gone", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	s.project, s.gone = create.Hash, gone.Hash
	s.must(create, gone, s.sign("alice", message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "hi")))
}

func (s *everyType) bundle(project ident.Hash, by, name string, parents ...ident.Hash) *message.Envelope {
	s.Helper()
	return s.sign(by, message.CommitBundle(project, message.Content{}, ledgertest.NewCommit(ledgertest.Hash(name), parents...)))
}

func (s *everyType) changeRefs() {
	s.Helper()
	one, two := ledgertest.Hash("one"), ledgertest.Hash("two")
	s.must(
		s.bundle(s.project, "alice", "one"), s.bundle(s.project, "alice", "two", one), s.bundle(s.gone, "bobby", "one"),
		s.sign("alice", message.RefUpdate(s.project, "main", message.RefMove{New: one, Nonce: 1})),
		s.sign("alice", message.RefUpdate(s.project, "main", message.RefMove{Old: one, New: two, Nonce: 2})),
		s.sign("alice", message.RefUpdate(s.project, "main2", message.RefMove{New: two, Nonce: 1})),
		s.sign("bobby", message.RefUpdate(s.gone, "main", message.RefMove{New: one, Nonce: 1})),
		s.sign("bobby", message.CollaboratorAdd(s.gone, s.actor("alice").Address, pb.Permission_PERMISSION_WRITE)),
	)
	s.must(
		s.sign("alice", message.RefUpdate(s.project, "main", message.RefMove{New: one, Nonce: 3, Force: true})),
		s.sign("alice", message.RefDelete(s.project, "main2", two, 2)),
		s.sign("alice", message.CollaboratorAdd(s.project, s.actor("bobby").Address, pb.Permission_PERMISSION_WRITE)),
	)
}

func (s *everyType) changeSets() {
	s.Helper()
	one := ledgertest.Hash("one")
	fork := s.sign("bobby", message.Fork(s.project, one, "mine", pb.Visibility_VISIBILITY_PUBLIC))
	s.fork = fork.Hash
	s.must(fork, s.sign("bobby", message.Star(s.project)), s.sign("bobby", message.Follow(s.actor("alice").Address)),
		s.sign("bobby", message.Like(s.project, one)),
		s.sign("bobby", message.RefUpdate(s.fork, "topic", message.RefMove{New: one, Nonce: 1})))
	request := s.sign("bobby", message.MergeRequestAdd(s.project, message.MergeProposal{
		Source: s.fork, SourceRef: "topic", SourceCommit: one, TargetRef: "main", Title: "please",
	}))
	s.request = request.Hash
	s.must(request)
	s.must(s.sign("alice", message.MergeRequestRemove(s.project, s.request)),
		s.sign("bobby", message.Unstar(s.project)), s.sign("bobby", message.Unlike(s.project, one)),
		s.sign("bobby", message.Unfollow(s.actor("alice").Address)),
		s.sign("alice", message.CollaboratorRemove(s.project, s.actor("bobby").Address)))
	s.must(s.sign("bobby", message.Star(s.project)))
}

func (s *everyType) custody() {
	s.Helper()
	a := s.actor("alice")
	wallet, err := ledgertest.NewWallet(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256, "spare")
	if err != nil {
		s.Fatal(err)
	}
	made := func(m *message.Envelope, err error) *message.Envelope {
		s.Helper()
		if err != nil {
			s.Fatal(err)
		}
		return m
	}
	key := message.CustodyKey{Type: wallet.Type(), PublicKey: wallet.PublicKey(), Admin: true}
	second := message.SignerGrant{Key: a.With("second").Key(), Scope: pb.KeyScope_KEY_SCOPE_AGENT}
	eth := made(a.EthVerification(s.now(), a.Root))
	s.must(
		made(a.KeychainAuthorize(s.now(), key, s.permit("alice"), a.Root)),
		made(a.KeychainRevoke(s.now(), wallet.KeyID(), s.permit("alice"), a.Root)),
		made(a.SignerAdd(s.now(), second, s.permit("alice"), a.Root, a.Root)), eth)
	s.must(made(a.SignerRemove(s.now(), second.Key, s.permit("alice"), a.Root)),
		s.sign("alice", message.VerificationRemove(eth.Data.GetVerificationAdd().GetAddress())))
}

func (s *everyType) removeProjects() {
	s.Helper()
	s.block.Time += 8 * 24 * 60 * 60
	s.must(s.sign("alice", message.UsernameUpdate("alicia")),
		s.sign("bobby", message.ProjectRemove(s.gone)),
		s.sign("alice", message.ProjectMetadata(s.project, pb.ProjectMetadataType_PROJECT_METADATA_NAME, "hello2")))
	s.must(s.sign("alice", message.ProjectArchive(s.project)))
	s.must()
}
