package rpc_test

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// populated is a node whose chain has rows of every kind.
type populated struct {
	*node

	alice, bobby *ledgertest.Actor

	hello, secret, mine, gone ident.Hash // projects; mine is a fork of hello, gone is removed
	one, two, three, four     ident.Hash // commits of hello

	joined, created, secretly, filed, branched, forked       *message.Envelope
	moved, tagged                                            *message.Envelope
	request, replaced, merged, merging                       *message.Envelope // merge requests of bobby, of which one is open
	followed, starred, liked, collaborator                   *message.Envelope
	agent, phone, revoked, ethereum, solana, pending, pushed *message.Envelope

	agentKey        ident.PublicKey
	phoneKey, watch ledgertest.CustodyWallet
}

func newPopulated(t testing.TB) *populated {
	t.Helper()
	n := newNode(t, setup{snapshots: fixedSnapshot{}})
	s := &populated{node: n, alice: n.actor("alice"), bobby: n.actor("bobby")}
	joins := s.join(s.alice, 3)
	s.joined = joins[0]
	s.must(append(joins, s.join(s.bobby, 2)...)...)
	s.begin()
	s.write()
	s.meet()
	s.custody()
	s.pending = s.sign(s.bobby, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "waits"))
	s.pushed = s.push(s.bobby, s.mine, "five", s.one)
	s.submit(s.pending, s.pushed)
	return s
}

// fixedSnapshot is a snapshot for state sync.
type fixedSnapshot struct{}

func (fixedSnapshot) Newest() *pb.GetSnapshotInfoResponse {
	root := ledgertest.Hash("root")
	return &pb.GetSnapshotInfoResponse{BlockNumber: 3, StateRoot: root[:], EntryCount: 40, EstimatedSizeBytes: 5000}
}

func (s *populated) begin() {
	s.Helper()
	s.created = s.sign(s.alice, message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "says hello", "MIT"))
	s.secretly = s.sign(s.alice, message.ProjectCreate("secret", pb.Visibility_VISIBILITY_PRIVATE, "", ""))
	gone := s.create(s.alice, "gone")
	s.hello, s.secret, s.gone = s.created.Hash, s.secretly.Hash, gone.Hash
	s.must(s.created, s.secretly, gone,
		s.sign(s.alice, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, "Alice")),
		s.sign(s.alice, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_AVATAR, "ipfs://face")),
		s.sign(s.alice, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "likes trees")),
		s.sign(s.alice, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_WEBSITE, "https://alice.example")))
}

// content returns the content of the commits of hello.
func content() message.Content {
	return message.Content{Digest: ledgertest.Hash("pack"), URL: "https://packs.example/1"}
}

// commit returns a commit of hello.
func (s *populated) commit(name string, parents ...ident.Hash) message.Commit {
	return message.Commit{
		Hash: ledgertest.Hash(name), Parents: parents, TreeRoot: ledgertest.Hash("tree " + name), AuthorTimestamp: 1_600_000_000,
		Title: "commit " + name, MessageHash: ledgertest.Hash("message " + name), Author: s.alice.Address, AuthorName: "Alice of " + name,
	}
}

// write adds a history with a merge, a tag and two branches, one of which is deleted.
func (s *populated) write() {
	s.Helper()
	s.one, s.two, s.three, s.four = ledgertest.Hash("one"), ledgertest.Hash("two"), ledgertest.Hash("three"), ledgertest.Hash("four")
	s.filed = s.sign(s.alice, message.CommitBundle(s.hello, content(),
		s.commit("one"), s.commit("two", s.one), s.commit("three", s.one), s.commit("four", s.two, s.three)))
	s.must(s.filed, s.push(s.alice, s.gone, "one"))
	s.branched = s.sign(s.alice, message.RefUpdate(s.hello, "main", message.RefMove{New: s.two, Nonce: 1}))
	s.must(s.branched)
	s.moved = s.sign(s.alice, message.RefUpdate(s.hello, "main", message.RefMove{Old: s.two, New: s.four, Nonce: 2, Force: true}))
	s.tagged = s.sign(s.alice, message.RefUpdate(s.hello, "v1", message.RefMove{
		Type: pb.RefType_REF_TYPE_TAG, New: s.one, Nonce: 1, TagObject: ledgertest.Hash("tag object"),
	}))
	s.must(s.moved, s.tagged,
		s.sign(s.alice, message.ProjectMetadata(s.hello, pb.ProjectMetadataType_PROJECT_METADATA_CONTENT, "https://a.example\nhttps://b.example/x")),
		s.sign(s.alice, message.ProjectMetadata(s.hello, pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH, "main")),
		s.sign(s.alice, message.RefUpdate(s.hello, "old", message.RefMove{New: s.one, Nonce: 1})),
		s.sign(s.alice, message.RefUpdate(s.gone, "main", message.RefMove{New: s.one, Nonce: 1})))
	s.collaborator = s.sign(s.alice, message.CollaboratorAdd(s.hello, s.bobby.Address, pb.Permission_PERMISSION_WRITE))
	s.must(s.collaborator, s.sign(s.alice, message.RefDelete(s.hello, "old", s.one, 2)),
		s.sign(s.alice, message.CollaboratorAdd(s.gone, s.bobby.Address, pb.Permission_PERMISSION_WRITE)))
}

func (s *populated) meet() {
	s.Helper()
	s.forked = s.sign(s.bobby, message.Fork(s.hello, s.one, "mine", pb.Visibility_VISIBILITY_PUBLIC))
	s.mine = s.forked.Hash
	s.followed, s.starred = s.sign(s.bobby, message.Follow(s.alice.Address)), s.sign(s.bobby, message.Star(s.hello))
	s.liked = s.sign(s.bobby, message.Like(s.hello, s.one))
	s.must(s.forked, s.followed, s.starred, s.liked,
		s.sign(s.bobby, message.RefUpdate(s.mine, "topic", message.RefMove{New: s.one, Nonce: 1})))
	s.replaced, s.merged = s.propose("take it", ident.Hash{}), s.propose("take this", ident.Hash{})
	s.must(s.replaced, s.merged, s.sign(s.alice, message.ProjectRemove(s.gone)), s.sign(s.bobby, message.Star(s.secret)))
	s.request = s.propose("take mine", s.replaced.Hash)
	s.must(s.sign(s.bobby, message.Unstar(s.secret)), s.request)
	s.merging = s.sign(s.alice, message.MergeRequestClose(s.hello, s.merged.Hash, pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED, s.two))
	s.must(s.merging)
}

// propose returns a merge request of bobby.
func (s *populated) propose(title string, replaces ident.Hash) *message.Envelope {
	s.Helper()
	return s.sign(s.bobby, message.MergeRequestAdd(s.hello, message.MergeProposal{
		Source: s.mine, SourceRef: "topic", SourceCommit: s.one, TargetRef: "main", Title: title, Replaces: replaces,
	}))
}

// custody adds a key of alice that bobby requested, a custody key that expires, a revoked one, and two verified
// addresses.
func (s *populated) custody() {
	s.Helper()
	s.agentKey = s.alice.With("agent").Key()
	grant := message.SignerGrant{
		Key: s.agentKey, Scope: pb.KeyScope_KEY_SCOPE_AGENT, AllowedProjects: []ident.Hash{s.hello}, Requester: s.bobby.Address,
	}
	s.agent = s.made(s.alice.SignerAdd(s.stamp(), grant, s.permit(s.alice), s.alice.Root, s.bobby.Root))
	var err error
	if s.phoneKey, err = ledgertest.NewWallet(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256, "phone"); err != nil {
		s.Fatal(err)
	}
	if s.watch, err = ledgertest.NewWallet(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256, "watch"); err != nil {
		s.Fatal(err)
	}
	phone := message.CustodyKey{Type: s.phoneKey.Type(), PublicKey: s.phoneKey.PublicKey(), ExpiresAt: ledgertest.Start + 1_000}
	watch := message.CustodyKey{Type: s.watch.Type(), PublicKey: s.watch.PublicKey(), Admin: true}
	s.phone = s.made(s.alice.KeychainAuthorize(s.stamp(), phone, s.permit(s.alice), s.alice.Root))
	authorized := s.made(s.alice.KeychainAuthorize(s.stamp(), watch, s.permit(s.alice), s.alice.Root))
	s.must(s.agent, s.phone, authorized)
	s.revoked = s.made(s.alice.KeychainRevoke(s.stamp(), s.watch.KeyID(), s.permit(s.alice), s.alice.Root))
	s.ethereum = s.made(s.alice.EthVerification(s.stamp(), s.alice.Root))
	s.solana = s.made(s.alice.SolVerification(s.stamp(), ledgertest.Secret("solana")))
	s.must(s.revoked, s.ethereum, s.solana)
}

// at returns the timestamp of a message.
func at(m *message.Envelope) uint32 { return m.Data.GetTimestamp() }

// committedAt returns the time of the block of a message: the clock advances by a second before each block.
func committedAt(m *message.Envelope) uint32 { return at(m) + 1 }

// entry returns a committed message with its position.
func (s *populated) entry(m *message.Envelope) *pb.MessageEntry {
	s.Helper()
	for height, txs := range s.blocks.txs {
		for i, tx := range txs {
			if string(tx) == string(m.Transaction()) {
				served := m.Proto()
				served.BlockNumber, served.Index = uint64(height), uint32(i)
				return &pb.MessageEntry{Message: served, BlockNumber: uint64(height)}
			}
		}
	}
	s.Fatalf("%s is not committed", m.Type())
	return nil
}
