package gateway_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/jsonform"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// exampleChain is a node with the objects that the examples use, and their variables.
type exampleChain struct {
	*nodetest.Node

	alice, bob *nodetest.Account
	variables  map[string]string
	files      string // directory of the files that examples send
}

// newExampleChain creates the objects of the examples: a project of Alice with two commits, and a fork of Bob with a third
// commit and a merge request.
func newExampleChain(t *testing.T) *exampleChain {
	t.Helper()
	n := &exampleChain{
		Node: nodetest.Start(t, t.TempDir()), alice: nodetest.NewAccount(t), bob: nodetest.NewAccount(t),
		variables: map[string]string{}, files: t.TempDir(),
	}
	n.Register(n.alice, 1, "alice")
	n.Register(n.bob, 1, "bob")
	hello := n.send(t, n.alice, message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "A greeting", "MIT"))
	first := n.commit(t, n.alice, "say hello")
	second := n.commit(t, n.alice, "say it louder", first.Hash)
	n.send(t, n.alice, message.CommitBundle(hello.Hash, message.Content{}, first, second))
	n.send(t, n.alice,
		message.RefUpdate(hello.Hash, "refs/heads/main", message.RefMove{New: first.Hash, Nonce: 1}),
		message.RefUpdate(hello.Hash, "refs/heads/main", message.RefMove{Old: first.Hash, New: second.Hash, Nonce: 2}),
		message.RefUpdate(hello.Hash, "refs/heads/caf\xe9", message.RefMove{New: first.Hash, Nonce: 1}),
		message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "writes greetings"))
	request := n.propose(t, hello.Hash, second.Hash)
	n.send(t, n.bob, message.Follow(n.alice.Address()), message.Star(hello.Hash), message.Like(hello.Hash, second.Hash))

	key, wallet := n.authorize(t)
	n.name("ALICE", address(n.alice.Address()))
	n.name("BOB", address(n.bob.Address()))
	n.name("CUSTODY_KEY", address(wallet))
	n.name("PROJECT", hello.Hash.String())
	n.name("COMMIT", second.Hash.String())
	n.name("REQUEST", request.Hash.String())
	n.name("MESSAGE", hello.Hash.String())
	n.MustCommit(t, key)
	n.writeFiles(t, hello.Hash)
	return n
}

// send submits messages of an account and returns the last.
func (n *exampleChain) send(t *testing.T, by *nodetest.Account, data ...*pb.MessageData) *message.Envelope {
	t.Helper()
	var sent *message.Envelope
	for _, d := range data {
		sent = by.Sign(d)
		n.Submit(t, sent)
	}
	n.MustCommit(t, sent)
	return sent
}

func (*exampleChain) commit(t *testing.T, by *nodetest.Account, title string, parents ...ident.Hash) message.Commit {
	t.Helper()
	return message.Commit{
		Hash: nodetest.Random(t), Parents: parents, TreeRoot: nodetest.Random(t), MessageHash: nodetest.Random(t),
		Author: by.Address(), AuthorTimestamp: by.Now(), Title: title,
	}
}

// propose creates the fork and the merge request of Bob.
func (n *exampleChain) propose(t *testing.T, project, base ident.Hash) *message.Envelope {
	t.Helper()
	fork := n.send(t, n.bob, message.Fork(project, base, "hello", pb.Visibility_VISIBILITY_PUBLIC)).Hash
	made := n.commit(t, n.bob, "say it twice", base)
	n.send(t, n.bob, message.CommitBundle(fork, message.Content{}, made))
	n.send(t, n.bob, message.RefUpdate(fork, "refs/heads/twice", message.RefMove{New: made.Hash, Nonce: 1}))
	return n.send(t, n.bob, message.MergeRequestAdd(project, message.MergeProposal{
		Source: fork, SourceRef: "refs/heads/twice", SourceCommit: made.Hash, TargetRef: "refs/heads/main", Title: "Twice",
	}))
}

// authorize adds a custody key to Alice.
func (n *exampleChain) authorize(t *testing.T) (*message.Envelope, ident.Address) {
	t.Helper()
	wallet, err := custody.NewP256Wallet(nodetest.Random(t))
	if err != nil {
		t.Fatal(err)
	}
	key := message.CustodyKey{Type: wallet.Type(), PublicKey: wallet.PublicKey(), Admin: true}
	authorized := n.alice.Must(n.alice.KeychainAuthorize(n.alice.Now(), key, n.alice.Permit(), n.alice.Root))
	n.Submit(t, authorized)
	return authorized, wallet.KeyID()
}

// writeFiles writes the files that the examples send.
func (n *exampleChain) writeFiles(t *testing.T, project ident.Hash) {
	t.Helper()
	star := n.alice.Sign(message.Star(project)).Proto()
	like := n.alice.Sign(message.Follow(n.bob.Address())).Proto()
	bio := n.bob.Sign(message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "says things twice")).Proto()
	n.writeFile(t, "signed.json", asJSON(t, star))
	n.writeFile(t, "batch.json", asJSON(t, &pb.BatchSubmitRequest{Messages: []*pb.Message{like}}))
	encoded, err := proto.Marshal(bio)
	if err != nil {
		t.Fatal(err)
	}
	n.writeFile(t, "signed.pb", encoded)
}

func (n *exampleChain) writeFile(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(n.files, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (n *exampleChain) name(variable, value string) { n.variables[variable] = value }

func address(a ident.Address) string { return "0x" + hex.EncodeToString(a[:]) }

func asJSON(t *testing.T, m proto.Message) []byte {
	t.Helper()
	written, err := jsonform.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return written
}
