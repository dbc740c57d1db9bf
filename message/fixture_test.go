package message

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/custody/custodytest"
)

// testTime is the timestamp of the test messages.
const testTime = 1_700_000_000

// Ids used in test messages. They differ in more than one byte.
var (
	projectID = Hash{0: 0x11, 31: 0x01}
	otherID   = Hash{0: 0x22, 31: 0x02}
	commitID  = Hash{0: 0x33, 31: 0x03}
	treeID    = Hash{0: 0x44, 31: 0x04}
	stranger  = Address{0: 0x55, 19: 0x05}
)

// rootWallet returns the root custody key of the test account.
func rootWallet(tb testing.TB) *custody.Secp256k1Wallet {
	tb.Helper()
	wallet, err := custody.NewSecp256k1Wallet([32]byte{31: 7})
	if err != nil {
		tb.Fatal(err)
	}
	return wallet
}

// passkey returns a custody key that is not the root.
func passkey(tb testing.TB) *custodytest.WebAuthnWallet {
	tb.Helper()
	wallet, err := custodytest.NewWebAuthnWallet([32]byte{31: 9})
	if err != nil {
		tb.Fatal(err)
	}
	return wallet
}

func testAuthor(tb testing.TB) *Author {
	tb.Helper()
	return NewAuthor(Seed{1}, pb.Network_NETWORK_DEVNET, rootWallet(tb).KeyID())
}

func mustSign(tb testing.TB, data *pb.MessageData) *Envelope {
	tb.Helper()
	return must(testAuthor(tb).Sign(testTime, data))(tb)
}

// must returns a function that returns the envelope or fails the test.
func must(e *Envelope, err error) func(testing.TB) *Envelope {
	return func(tb testing.TB) *Envelope {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return e
	}
}

func testPermit() Permit {
	return Permit{Nonce: 4, ValidAfter: testTime - 60, ValidBefore: testTime + 600, Witness: []byte("device")}
}

func testCommit(n byte) Commit {
	return Commit{
		Hash:            Hash{0: 0xc0, 31: n},
		Parents:         []Hash{commitID},
		TreeRoot:        treeID,
		AuthorTimestamp: testTime - 5,
		Title:           "Say hello",
		MessageHash:     otherID,
		Author:          stranger,
	}
}

// goodMessages returns a valid message from every builder, and so of every type.
func goodMessages(tb testing.TB) []*Envelope {
	tb.Helper()
	var list []*Envelope
	for _, data := range []*pb.MessageData{
		ProjectCreate("hello", pb.Visibility_VISIBILITY_PRIVATE, "a project", "MIT"),
		ProjectMetadata(projectID, pb.ProjectMetadataType_PROJECT_METADATA_NAME, "hello-2"),
		ProjectArchive(projectID),
		Fork(projectID, commitID, "hello-fork", pb.Visibility_VISIBILITY_PUBLIC),
		ProjectRemove(projectID),
		RefUpdate(projectID, "refs/heads/main", RefMove{Old: commitID, New: otherID, Force: true, Nonce: 300}),
		RefUpdate(projectID, "refs/tags/v1", RefMove{Type: pb.RefType_REF_TYPE_TAG, New: otherID, Nonce: 1}),
		RefDelete(projectID, "refs/heads/main", commitID, 301),
		CommitBundle(projectID, Content{Digest: otherID, URL: "https://example.org/pack"}, testCommit(1), testCommit(2)),
		CollaboratorAdd(projectID, stranger, pb.Permission_PERMISSION_ADMIN),
		CollaboratorRemove(projectID, stranger),
		AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "writes code"),
		UsernameCreate("ada-1"),
		UsernameUpdate("ada-2"),
		VerificationRemove(stranger[:]),
		Follow(stranger),
		Unfollow(stranger),
		Star(projectID),
		Unstar(projectID),
		Like(projectID, commitID),
		Unlike(projectID, commitID),
		MergeRequestAdd(projectID, MergeProposal{
			Source: otherID, SourceRef: "refs/heads/fix", SourceCommit: commitID, TargetRef: "refs/heads/main", Title: "Fix",
		}),
		MergeRequestRemove(projectID, otherID),
	} {
		list = append(list, mustSign(tb, data))
	}
	return append(list, goodProofMessages(tb)...)
}

// goodProofMessages returns the valid messages that carry a second signature.
func goodProofMessages(tb testing.TB) []*Envelope {
	tb.Helper()
	author, root, key := testAuthor(tb), rootWallet(tb), passkey(tb)
	agent := SignerGrant{
		Key: PublicKey{6}, Scope: pb.KeyScope_KEY_SCOPE_AGENT, AllowedProjects: []Hash{projectID, otherID}, Requester: key.KeyID(),
	}
	custodyKey := CustodyKey{Type: key.Type(), PublicKey: key.PublicKey(), Admin: true}
	settlement := Settlement{Units: 3, TxHash: otherID, LogIndex: 1, Actor: stranger, Timestamp: testTime - 10}
	return []*Envelope{
		must(author.EthVerification(testTime, key))(tb),
		must(author.SolVerification(testTime, Seed{8}))(tb),
		must(author.StorageClaim(testTime, testDomain(), settlement, Seed{21}, Seed{22}))(tb),
		must(author.SignerAdd(testTime, agent, testPermit(), root, key))(tb),
		must(author.SignerRemove(testTime, PublicKey{6}, testPermit(), root))(tb),
		must(author.KeychainAuthorize(testTime, custodyKey, testPermit(), root))(tb),
		must(author.KeychainRevoke(testTime, key.KeyID(), testPermit(), custody.WrappedWallet{Wallet: key, Account: author.Owner()}))(tb),
	}
}
