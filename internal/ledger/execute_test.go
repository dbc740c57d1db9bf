package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// profiles returns account messages that apply one after another.
func profiles(w *ledgertest.Chain, a *ledgertest.Actor, count int) []*message.Envelope {
	messages := make([]*message.Envelope, count)
	for i := range messages {
		data := message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "x")
		messages[i] = w.SignAt(a, w.Now()+uint32(i-count), data)
	}
	return messages
}

// descriptions returns project messages that apply one after another.
func descriptions(w *ledgertest.Chain, a *ledgertest.Actor, project ident.Hash, count int) []*message.Envelope {
	messages := make([]*message.Envelope, count)
	for i := range messages {
		data := message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, "x")
		messages[i] = w.SignAt(a, w.Now()+uint32(i-count), data)
	}
	return messages
}

func newProject(w *ledgertest.Chain, a *ledgertest.Actor, name string) ident.Hash {
	w.Helper()
	m := w.Sign(a, message.ProjectCreate(name, pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.Must(m)
	return m.Hash
}

// invalid executes an invalid block and returns the error.
func invalid(t *testing.T, w *ledgertest.Chain, messages []*message.Envelope) *ledger.InvalidBlockError {
	t.Helper()
	w.Commit()
	result, err := w.Ledger.Execute(w.Rows, w.Block, messages)
	var invalid *ledger.InvalidBlockError
	if !errors.As(err, &invalid) {
		t.Fatalf("result %v, error %v, want an invalid block", result, err)
	}
	return invalid
}

// TestMaxBlockMessages checks a block with the maximum number of messages, and with one more.
//
// Rules: P6.5.
func TestMaxBlockMessages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fills a block")
	}
	w := ledgertest.New(t)
	a := w.Join("alice", 0)
	messages := profiles(w, a, ledger.MaxBlockMessages+2)
	for i, m := range messages {
		messages[i] = weightless(m)
	}
	if e := invalid(t, w, messages); e.Index != ledger.MaxBlockMessages || !strings.Contains(e.Error(), "at most 10000 messages") {
		t.Errorf("%v", e)
	}
	result := w.Propose(0, messages...)
	if len(result.Applied) != ledger.MaxBlockMessages || len(result.Deferred) != 2 || len(result.Refused) != 0 {
		t.Errorf("%d applied, %d deferred, %d refused", len(result.Applied), len(result.Deferred), len(result.Refused))
	}
	if next := w.Propose(0, result.Deferred...); len(next.Applied) != 2 {
		t.Errorf("%d of the deferred apply in the next block", len(next.Applied))
	}
}

// weightless returns a message without its encoding, so that the limit on bytes is not reached first.
func weightless(m *message.Envelope) *message.Envelope {
	return &message.Envelope{Data: m.Data, Hash: m.Hash, Owner: m.Owner, Signer: m.Signer}
}

// TestMaxProjectMessages checks the limit of messages per project, which applies to each project separately.
//
// Rules: P6.5.
func TestMaxProjectMessages(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a, b := w.Join("alice", 1), w.Join("bob", 1)
	one, two := newProject(w, a, "one"), newProject(w, b, "two")
	w.Next(1_000)
	many := descriptions(w, a, one, ledger.MaxProjectMessages+1)
	if e := invalid(t, w, many); e.Index != ledger.MaxProjectMessages || !strings.Contains(e.Error(), "at most 500 messages of one project") {
		t.Errorf("%v", e)
	}
	few := descriptions(w, b, two, 3)
	result := w.Propose(0, append(many, few...)...)
	if len(result.Applied) != ledger.MaxProjectMessages+3 || len(result.Deferred) != 1 || result.Deferred[0] != many[ledger.MaxProjectMessages] {
		t.Errorf("%d applied, %d deferred", len(result.Applied), len(result.Deferred))
	}
}

// TestDeferredAuthor checks that a merge request is deferred together with the ref update it depends on.
//
// Rules: P6.5.
func TestDeferredAuthor(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a := w.Join("alice", 1)
	commit := ledgertest.Hash("commit")
	var target, source ident.Hash
	// A fork whose id comes before that of its source is executed first.
	for i := 0; target == (ident.Hash{}) || bytes.Compare(source[:], target[:]) > 0; i++ {
		target = newProject(w, a, fmt.Sprintf("target-%d", i))
		w.Must(w.Sign(a, message.CommitBundle(target, message.Content{}, ledgertest.NewCommit(commit))))
		fork := w.Sign(a, message.Fork(target, commit, fmt.Sprintf("source-%d", i), pb.Visibility_VISIBILITY_PUBLIC))
		w.Must(fork)
		source = fork.Hash
	}
	w.Next(1_000)
	candidates := append(descriptions(w, a, source, ledger.MaxProjectMessages),
		w.Sign(a, message.RefUpdate(source, "main", message.RefMove{New: commit, Nonce: 1})),
		w.Sign(a, message.MergeRequestAdd(target, message.MergeProposal{
			Source: source, SourceRef: "main", SourceCommit: commit, TargetRef: "main", Title: "please",
		})))
	result := w.Propose(0, candidates...)
	if len(result.Refused) != 0 || len(result.Deferred) != 2 {
		t.Fatalf("%d deferred, refused %v", len(result.Deferred), result.Refused)
	}
	if next := w.Propose(0, result.Deferred...); len(next.Applied) != 2 {
		t.Errorf("%d of the deferred apply in the next block", len(next.Applied))
	}
}

// TestMaxBlockBytes checks the limit on bytes. Messages after one that did not fit are deferred, however small.
//
// Rules: P6.5.
func TestMaxBlockBytes(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a := w.Join("alice", 1)
	project := newProject(w, a, "project")
	root := ledgertest.Hash("root")
	w.Must(w.Sign(a, message.CommitBundle(project, message.Content{}, ledgertest.NewCommit(root))))
	large := func(name string) *message.Envelope {
		commits := make([]message.Commit, 900)
		for i := range commits {
			commits[i] = ledgertest.NewCommit(ledgertest.Hash(fmt.Sprint(name, i)), root, root, root, root, root, root, root, root, root, root)
			commits[i].Title = strings.Repeat("t", message.MaxTitle)
		}
		return w.Sign(a, message.CommitBundle(project, message.Content{}, commits...))
	}
	small := w.Sign(a, message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_LICENSE, "MIT"))
	w.Next(1)
	messages := []*message.Envelope{large("a"), large("b"), large("c"), small}
	fit, size := 0, 0
	for size+len(messages[fit].Transaction()) <= ledger.MaxBlockBytes {
		size += len(messages[fit].Transaction())
		fit++
	}
	if fit != 2 {
		t.Fatalf("%d bundles of %d bytes fit, the test needs 2", fit, len(messages[0].Transaction()))
	}
	if e := invalid(t, w, messages); e.Index != fit || !strings.Contains(e.Error(), "at most 1572864 bytes") {
		t.Errorf("%v", e)
	}
	result := w.Propose(0, messages...)
	if len(result.Applied) != fit || len(result.Deferred) != 2 || result.Deferred[1] != small {
		t.Errorf("%d applied, %d deferred", len(result.Applied), len(result.Deferred))
	}
}

// TestInvalidBlocks checks that each kind of invalid block is refused with the index of the message and the reason.
//
// Rules: P6.1, P6.2.
func TestInvalidBlocks(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a := w.Join("alice", 1)
	low, high := newProject(w, a, "one"), newProject(w, a, "two")
	if bytes.Compare(low[:], high[:]) > 0 {
		low, high = high, low
	}
	w.Next(1_000)
	account, inLow, inHigh := profiles(w, a, 2), descriptions(w, a, low, 2), descriptions(w, a, high, 2)
	for name, c := range map[string]struct {
		block  []*message.Envelope
		index  int
		reason string
		code   message.Code
	}{
		"account after project":       {[]*message.Envelope{inLow[0], account[0]}, 1, "out of order", ""},
		"projects in the wrong order": {[]*message.Envelope{account[0], inHigh[0], inLow[0]}, 2, "out of order", ""},
		"a group in two parts":        {[]*message.Envelope{inLow[0], inHigh[0], inLow[1]}, 2, "out of order", ""},
		"twice the same":              {[]*message.Envelope{inLow[0], inLow[0]}, 1, "cannot apply", message.CodeStaleWrite},
		"in an order that is stale":   {[]*message.Envelope{account[1], account[0]}, 1, "cannot apply", message.CodeStaleWrite},
		"nobody's":                    {[]*message.Envelope{w.Sign(w.Actor("eve"), account[0].Data)}, 0, "cannot apply", message.CodeUnknownSigner},
	} {
		e := invalid(t, w, c.block)
		if e.Index != c.index || !strings.Contains(e.Error(), c.reason) || (e.Refusal == nil) != (c.code == "") {
			t.Errorf("%s: %v", name, e)
		}
		if e.Refusal != nil && e.Refusal.Code != c.code {
			t.Errorf("%s: refused with %s, want %s", name, e.Refusal.Code, c.code)
		}
	}
	whole := []*message.Envelope{account[0], account[1], inLow[0], inLow[1], inHigh[0], inHigh[1]}
	if _, err := w.Ledger.Execute(w.Rows, w.Block, whole); err != nil {
		t.Errorf("the valid block: %v", err)
	}
}

// TestAssembledBlocksExecute checks, for shuffled candidates of all types, that executing the assembled block leads to the
// same changes, also with another ledger and another copy of the state.
//
// Rules: P6.1, P6.3, I1.
func TestAssembledBlocksExecute(t *testing.T) {
	t.Parallel()
	base := newStage(t)
	var candidates []*message.Envelope
	for _, k := range kindsOfMessages() {
		for _, role := range []string{roleOwner, roleAdmin, roleStranger} {
			if k.kind == pb.MessageType_MESSAGE_TYPE_USERNAME_UPDATE {
				continue // building it advances the time
			}
			candidates = append(candidates, k.make(base, base.guests[role], base.guests[role].Author))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		shuffled := rapid.Permutation(candidates).Draw(t, "candidates")
		w := base.Branch(t)
		other := base.Branch(t)
		result := w.Propose(60, shuffled...)
		if len(result.Applied)+len(result.Refused)+len(result.Deferred) != len(candidates) {
			t.Fatalf("%d of %d candidates are accounted for", len(result.Applied)+len(result.Refused)+len(result.Deferred), len(candidates))
		}
		again, err := ledger.New(w.Params).Execute(other.Rows, w.Block, ledgertest.Messages(result))
		if err != nil {
			t.Fatalf("%v", err)
		}
		w.Check()
		if diff := ledgertest.DiffChanges(result.Changes, again.Changes); diff != "" {
			t.Fatalf("the changes differ:\n%s", diff)
		}
	})
}

// TestProjectOrderIndependence checks that executing the project groups of a block in either order leads to the same state.
//
// Rules: I8.
func TestProjectOrderIndependence(t *testing.T) {
	t.Parallel()
	base := newStage(t)
	groups := map[ident.Hash][]*message.Envelope{}
	for _, project := range []ident.Hash{base.hub, base.vault} {
		groups[project] = []*message.Envelope{
			base.Sign(base.owner, message.CommitBundle(project, message.Content{}, ledgertest.NewCommit(ledgertest.Hash("new"), base.one))),
			base.Sign(base.owner, message.RefUpdate(project, "topic", message.RefMove{New: base.one, Nonce: 1})),
			base.Sign(base.owner, message.CollaboratorAdd(project, base.Actor("new").Address, pb.Permission_PERMISSION_READ)),
			base.Sign(base.owner, message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_LICENSE, "MIT")),
		}
	}
	changes := make([]string, 2)
	for i, order := range [][]ident.Hash{{base.hub, base.vault}, {base.vault, base.hub}} {
		session := base.Ledger.Begin(base.branch(t).Rows, base.Block)
		for _, project := range order {
			for _, m := range groups[project] {
				if _, refusal, err := session.Apply(m); refusal != nil || err != nil {
					t.Fatalf("%s: %v, %v", m.Type(), refusal, err)
				}
			}
		}
		changes[i] = fmt.Sprint(session.Changes())
	}
	if changes[0] != changes[1] {
		t.Error("the state depends on the order of the groups")
	}
}

// TestAddRow checks that a row that a change writes is added in the order of the keys.
func TestAddRow(t *testing.T) {
	t.Parallel()
	result := &ledger.Result{Changes: []schema.Change{{Key: []byte{0x1C, 9}}, {Key: []byte{0x1E, 0}}, {Key: []byte{0x1F, 0}}}}
	result.AddRow(schema.Change{Key: schema.ValidatorsKey()})
	result.AddRow(schema.Change{Key: schema.SettlementKey()})
	if !slices.IsSortedFunc(result.Changes, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) }) || len(result.Changes) != 5 {
		t.Errorf("%v", result.Changes)
	}
}
