package mempool_test

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// newOutdated returns a backlog of a sender whose session is outdated: a message for its project restarts it.
func newOutdated(t *testing.T) *backlog {
	t.Helper()
	b := newBacklog(t)
	b.nextOfPeer(b.move(b.bob))()
	return b
}

// few is more than the rows that are read to refuse one message, and less than the pending messages of a backlog.
const few = 20

// TestStrangersDoNotRestartSessions checks that messages that name an account without being authorized by it are refused
// without applying its pending messages again, both when they are submitted and in a dry run.
//
// Rules: P10.1.
func TestStrangersDoNotRestartSessions(t *testing.T) {
	t.Parallel()
	mallory := func(b *backlog) *message.Author { return b.alice.With("of nobody") }
	for name, test := range map[string]struct {
		code message.Code
		make func(b *backlog) *message.Envelope
	}{
		"unknown key": {message.CodeUnknownSigner, func(b *backlog) *message.Envelope {
			return b.Sign(mallory(b), message.ProjectArchive(b.project.Hash))
		}},
		"committed message": {message.CodeDuplicate, func(b *backlog) *message.Envelope { return b.project }},
		"custody signature of another wallet": {message.CodeCustodyNotAuthorized, func(b *backlog) *message.Envelope {
			grant := message.SignerGrant{Key: mallory(b).Key(), Scope: pb.KeyScope_KEY_SCOPE_OWNER}
			return b.made(b.alice.SignerAdd(b.Now(), grant, b.Permit(b.alice.Address), b.bob.Root, b.bob.Root))
		}},
		"claim without attestations": {message.CodeInsufficientAttestations, func(b *backlog) *message.Envelope {
			payment := message.Settlement{Units: 1, Actor: b.alice.Address, Timestamp: b.Block.Time}
			return b.made(mallory(b).StorageClaim(b.Now(), ledgertest.Domain(), payment, ledgertest.Secret("not an attester")))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newOutdated(t)
			for way, admit := range map[string]func(*message.Envelope) *message.Refusal{"submitted": b.submit, "dry run": b.dryRun} {
				before := b.rowReads
				if refusal := admit(test.make(b)); refusal == nil || refusal.Code != test.code {
					t.Errorf("%s: %v, want %s", way, refusal, test.code)
				}
				if got := b.rowReads - before; got > few {
					t.Errorf("%s: %d rows were read", way, got)
				}
			}
			before := b.rowReads
			b.mustSubmit(b.commit())
			if got := b.rowReads - before; got < few {
				t.Errorf("the session was not restarted for the sender itself: only %d rows were read", got)
			}
		})
	}
}

// TestPendingKeys checks that a message whose key only a pending message registers is admitted by a session that has to be
// restarted for it, and that a second change of the account's keys is.
//
// Rules: P10.1.
func TestPendingKeys(t *testing.T) {
	t.Parallel()
	b := newOutdated(t)
	agent, second := b.alice.With("agent"), b.alice.With("second")
	permit := b.Permit(b.alice.Address)
	add := func(key ident.PublicKey) *message.Envelope {
		grant := message.SignerGrant{Key: key, Scope: pb.KeyScope_KEY_SCOPE_SIGNING}
		m := b.made(b.alice.SignerAdd(b.Now(), grant, permit, b.alice.Root, b.alice.Root))
		permit.Nonce++
		return m
	}
	b.mustSubmit(add(agent.Key()))
	b.nextOfPeer(b.bobCommit("a"))()
	b.mustSubmit(b.Sign(agent, message.ProjectMetadata(b.project.Hash, pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, "by an agent")))
	b.restart()
	b.mustSubmit(add(second.Key()))
	b.restart()
	if refusal := b.dryRun(b.Sign(second, message.Follow(b.bob.Address))); refusal != nil {
		t.Error(refusal)
	}
}

// TestDryRunKeepsSession checks that dry runs use the session of the sender, do not start one each, and leave the pending
// messages as they are.
//
// Rules: P10.1.
func TestDryRunKeepsSession(t *testing.T) {
	t.Parallel()
	b := newOutdated(t)
	b.mustSubmit(b.commit())
	before := b.stateReads
	archive := b.Sign(b.alice, message.ProjectArchive(b.project.Hash))
	for range 10 {
		if refusal := b.dryRun(archive); refusal != nil {
			t.Fatal(refusal)
		}
		b.mustSubmit(b.commit()) // the project is not archived
	}
	if got := b.stateReads - before; got != 0 {
		t.Errorf("%d sessions started for 10 dry runs", got)
	}
	if refusal := b.dryRun(b.project); refusal == nil || refusal.Code != message.CodeDuplicate {
		t.Errorf("a dry run of a committed message: %v, want duplicate", refusal)
	}
	pending := b.commit()
	b.mustSubmit(pending)
	if refusal := b.dryRun(pending); refusal == nil || refusal.Code != message.CodeDuplicate {
		t.Errorf("a dry run of a pending message: %v, want duplicate", refusal)
	}
}
