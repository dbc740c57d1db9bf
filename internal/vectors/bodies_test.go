package vectors

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// bodies has one good message of every type, written by alice.
type bodies struct {
	owner message.Address

	projectCreate, projectMetadata, projectArchive, fork, projectRemove *pb.MessageData
	refUpdate, refDelete, commitBundle                                  *pb.MessageData
	collaboratorAdd, collaboratorRemove                                 *pb.MessageData
	accountData, usernameCreate, usernameUpdate                         *pb.MessageData
	ethVerification, solVerification, verificationRemove                *pb.MessageData
	storageClaim                                                        *pb.MessageData
	follow, star, unfollow, unstar, like, unlike                        *pb.MessageData
	mergeRequestAdd, mergeRequestRemove                                 *pb.MessageData
	signerAdd, signerRemove, keychainAuthorize, keychainRevoke          *pb.MessageData
}

// all returns the messages in the order of the fields.
func (b *bodies) all() []*pb.MessageData {
	var list []*pb.MessageData
	for i := range reflect.TypeFor[bodies]().NumField() {
		if field := reflect.ValueOf(b).Elem().Field(i); field.Type() == reflect.TypeFor[*pb.MessageData]() {
			list = append(list, (*pb.MessageData)(field.UnsafePointer()))
		}
	}
	return list
}

func goodBodies(t *testing.T, alice *actor) *bodies {
	t.Helper()
	project, commit := someHash("a project"), someHash("a commit")
	bob := newActor(t, "bob")
	b := &bodies{
		owner:              alice.Owner(),
		projectCreate:      message.ProjectCreate("hello-world", pb.Visibility_VISIBILITY_PUBLIC, "a first project", "MIT"),
		projectMetadata:    message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, "größer"),
		projectArchive:     message.ProjectArchive(project),
		fork:               message.Fork(project, commit, "hello-again", pb.Visibility_VISIBILITY_PRIVATE),
		projectRemove:      message.ProjectRemove(project),
		refDelete:          message.RefDelete(project, "refs/heads/old", commit, 3),
		collaboratorAdd:    message.CollaboratorAdd(project, bob.Owner(), pb.Permission_PERMISSION_WRITE),
		collaboratorRemove: message.CollaboratorRemove(project, bob.Owner()),
		accountData:        message.AccountData(pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, "Alice"),
		usernameCreate:     message.UsernameCreate("alice"),
		usernameUpdate:     message.UsernameUpdate("alice-2"),
		verificationRemove: message.VerificationRemove(somePart("an address", 20)),
		follow:             message.Follow(bob.Owner()),
		star:               message.Star(project),
		unfollow:           message.Unfollow(bob.Owner()),
		unstar:             message.Unstar(project),
		like:               message.Like(project, commit),
		unlike:             message.Unlike(project, commit),
		mergeRequestRemove: message.MergeRequestRemove(project, someHash("a merge request")),
	}
	b.refUpdate = message.RefUpdate(project, "refs/heads/main", message.RefMove{
		Type: pb.RefType_REF_TYPE_BRANCH, Old: commit, New: someHash("another commit"), Nonce: 2,
	})
	b.commitBundle = message.CommitBundle(project, message.Content{Digest: someHash("a pack"), URL: "https://example.com/pack"},
		someCommit("first"), someCommit("second", "first"), someCommit("third", "first", "second"))
	b.mergeRequestAdd = message.MergeRequestAdd(project, message.MergeProposal{
		Source: someHash("a fork"), SourceRef: "refs/heads/topic", SourceCommit: commit, TargetRef: "refs/heads/main", Title: "please",
	})
	b.addCustody(t, alice, bob)
	return b
}

// addCustody adds the bodies that contain signatures.
func (b *bodies) addCustody(t *testing.T, alice, bob *actor) {
	t.Helper()
	data := func(e *message.Envelope, err error) *pb.MessageData {
		return must[*message.Envelope](t)(e, err).Data
	}
	agent := message.SignerGrant{
		Key: bob.Key(), Scope: pb.KeyScope_KEY_SCOPE_AGENT, AllowedProjects: []message.Hash{someHash("a project")}, Requester: bob.Owner(),
	}
	passkey := webAuthnWallet(t, "alice's passkey")
	key := message.CustodyKey{Type: passkey.Type(), PublicKey: passkey.PublicKey(), Admin: true}
	witnessed := permit(2)
	witnessed.Witness = []byte("seen")
	paid := message.Settlement{Units: 3, TxHash: someHash("a payment"), LogIndex: 7, Actor: bob.Owner(), Timestamp: now - 60}

	b.ethVerification = data(alice.EthVerification(now, p256Wallet(t, "alice's other wallet")))
	b.solVerification = data(alice.SolVerification(now, secret("alice's solana key")))
	b.storageClaim = data(alice.StorageClaim(now, settlementDomain(network), paid, secret("an attester"), secret("another attester")))
	b.signerAdd = data(alice.SignerAdd(now, agent, permit(0), alice.wallet, bob.wallet))
	b.signerRemove = data(alice.SignerRemove(now, bob.Key(), permit(1), alice.wallet))
	b.keychainAuthorize = data(alice.KeychainAuthorize(now, key, witnessed, alice.wallet))
	b.keychainRevoke = data(alice.KeychainRevoke(now, passkey.KeyID(), permit(3), alice.wallet))
}

func somePart(purpose string, length int) []byte {
	bytes := secret(purpose)
	return bytes[:length]
}

func someCommit(name string, parents ...string) message.Commit {
	commit := message.Commit{
		Hash:            someHash("commit " + name),
		TreeRoot:        someHash("tree of " + name),
		AuthorTimestamp: now - 3600,
		Title:           name,
		MessageHash:     someHash("message of " + name),
		Author:          someAddress("an author"),
	}
	for _, parent := range parents {
		commit.Parents = append(commit.Parents, someHash("commit "+parent))
	}
	return commit
}

// edit returns a copy of a message with a changed body.
func edit[B proto.Message](data *pb.MessageData, change func(B)) *pb.MessageData {
	copied := proto.CloneOf(data)
	m := copied.ProtoReflect()
	body := m.WhichOneof(m.Descriptor().Oneofs().ByName("body"))
	change(m.Get(body).Message().Interface().(B))
	return copied
}
