package ledger_test

import (
	"encoding/binary"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// reuseTest is a chain with an account, its project, and a collaborator. Messages are admitted and then executed in blocks.
type reuseTest struct {
	*ledgertest.Chain
	t          *testing.T
	reusing    *ledger.Ledger
	reuse      *ledger.Reuse
	executions map[*message.Envelope]*ledger.Execution
	alice, bob *ledgertest.Actor
	project    ident.Hash
	commits    int
}

func newReuseTest(t *testing.T) *reuseTest {
	t.Helper()
	r := &reuseTest{Chain: ledgertest.New(t), t: t, executions: map[*message.Envelope]*ledger.Execution{}}
	r.reuse = ledger.NewReuse(func(m *message.Envelope) *ledger.Execution { return r.executions[m] })
	r.reusing = r.Ledger.Reusing(r.reuse)
	r.alice, r.bob = r.Join("alice", 1), r.Join("bobby", 1)
	create := r.Sign(r.alice, message.ProjectCreate("work", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	r.project = create.Hash
	r.Must(create)
	r.Must(r.Sign(r.alice, message.CollaboratorAdd(r.project, r.bob.Owner(), pb.Permission_PERMISSION_WRITE)))
	r.Commit()
	r.mustReuse(0, r.Sign(r.bob, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "first")))
	return r
}

// session returns a session of an account on the latest block.
func (r *reuseTest) session() *ledger.Session {
	session := r.reusing.Begin(r.Rows.Clone(), r.Block)
	session.Record()
	return session
}

// admit applies messages to a session.
func (r *reuseTest) admit(session *ledger.Session, messages ...*message.Envelope) {
	r.t.Helper()
	for _, m := range messages {
		if _, refusal, err := session.Apply(m); refusal != nil || err != nil {
			r.t.Fatalf("%s: %v, %v", m.Type(), refusal, err)
		}
		r.executions[m] = session.Recorded()
	}
}

// readmit applies messages that were admitted before to a new session, and checks that it has the same changes as a session that
// executes them, and that it repeats as many executions.
func (r *reuseTest) readmit(repeated int, messages ...*message.Envelope) *ledger.Session {
	r.t.Helper()
	session, executed, count := r.reusing.Begin(r.Rows.Clone(), r.Block), r.session(), 0
	session.Record()
	for _, m := range messages {
		before := r.executions[m]
		_, refusal, err := session.Reapply(m, before)
		if _, want, _ := executed.Apply(m); (refusal == nil) != (want == nil) || err != nil {
			r.t.Fatalf("%s: %v, want %v; error %v", m.Type(), refusal, want, err)
		}
		if r.executions[m] = session.Recorded(); before != nil && session.Recorded() == before {
			count++
		}
	}
	if diff := ledgertest.DiffChanges(session.Changes(), executed.Changes()); diff != "" {
		r.t.Errorf("changes with repeated executions: %s", diff)
	}
	if count != repeated {
		r.t.Errorf("%d of %d executions were repeated, want %d", count, len(messages), repeated)
	}
	return session
}

// mustReuse commits a block of the messages, and checks that it is the same with and without reuse and reuses as many executions.
func (r *reuseTest) mustReuse(reused int, messages ...*message.Envelope) (applied int) {
	r.t.Helper()
	got, err := r.reusing.Assemble(r.Rows, r.Block, messages, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	want, err := r.Ledger.Assemble(r.Rows, r.Block, messages, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if diff := ledgertest.DiffChanges(got.Changes, want.Changes); diff != "" {
		r.t.Errorf("changes with reuse: %s", diff)
	}
	if got.Reused != reused {
		r.t.Errorf("%d of %d executions were reused, want %d", got.Reused, len(messages), reused)
	}
	if err := r.Rows.Apply(got.Changes); err != nil {
		r.t.Fatal(err)
	}
	r.reuse.Committed(r.Block.Height, got)
	r.Block.Height++
	r.Block.Time++
	return len(got.Applied)
}

// push returns a bundle with a content digest, and the update of a ref to its commit.
func (r *reuseTest) push(by *ledgertest.Actor) (bundle, update *message.Envelope) {
	r.t.Helper()
	var commit [2]message.Commit
	for i := range commit {
		r.commits++
		commit[i] = ledgertest.NewCommit(numbered(r.commits))
		if r.commits > 1 {
			commit[i].Parents = []ident.Hash{numbered(r.commits - 1)}
		}
	}
	content := message.Content{Digest: numbered(1_000 + r.commits), URL: "https://example.com/"}
	bundle = r.Sign(by, message.CommitBundle(r.project, content, commit[:]...))
	return bundle, r.Sign(by, message.RefUpdate(r.project, "main", message.RefMove{New: numbered(r.commits), Nonce: uint64(r.commits / 2)}))
}

func (r *reuseTest) bio(by *ledgertest.Actor, text string) *message.Envelope {
	return r.SignAt(by, r.Now()+1, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, text))
}

// TestReuseWithTombstones checks that an update of a ref is reused although its project has deleted refs, until their tombstones
// change or expire.
//
// Rules: P6.1, P6.2.
func TestReuseWithTombstones(t *testing.T) {
	t.Parallel()
	runReuse(t, map[string]func(r *reuseTest){
		"tombstones of refs": func(r *reuseTest) {
			bundle, update := r.push(r.alice)
			r.mustReuse(0, bundle, update)
			r.mustReuse(0, r.Sign(r.alice, message.RefDelete(r.project, "main", ident.Hash{}, 2)))
			topic := r.Sign(r.alice, message.RefUpdate(r.project, "topic", message.RefMove{New: numbered(2), Nonce: 1}))
			r.admit(r.session(), topic)
			r.mustReuse(1, topic)
			moved := r.Sign(r.alice, message.RefUpdate(r.project, "topic", message.RefMove{New: numbered(1), Nonce: 2, Force: true}))
			r.admit(r.session(), moved)
			r.Block.Time += ledger.GuardPeriod // the tombstone expires
			r.mustReuse(0, moved)
		},
		"a new tombstone of a ref": func(r *reuseTest) {
			bundle, update := r.push(r.alice)
			topic := r.Sign(r.alice, message.RefUpdate(r.project, "topic", message.RefMove{New: numbered(2), Nonce: 1}))
			r.mustReuse(0, bundle, update, topic)
			r.mustReuse(0, r.Sign(r.alice, message.RefDelete(r.project, "main", ident.Hash{}, 2)))
			moved := r.Sign(r.alice, message.RefUpdate(r.project, "topic", message.RefMove{New: numbered(1), Nonce: 2, Force: true}))
			r.admit(r.session(), moved)
			other := r.Sign(r.bob, message.RefUpdate(r.project, "other", message.RefMove{New: numbered(2), Nonce: 1}))
			r.mustReuse(0, other)
			r.mustReuse(0, r.Sign(r.bob, message.RefDelete(r.project, "other", ident.Hash{}, 2)))
			r.mustReuse(0, moved)
		},
	})
}

// TestReuseWithPruning checks that a bundle that prunes contents is reused, unless the project has changed or contents of pending
// messages are pruned, whose heights are not final.
//
// Rules: P6.2, P8.6.
func TestReuseWithPruning(t *testing.T) {
	t.Parallel()
	runReuse(t, map[string]func(r *reuseTest){
		"contents of earlier blocks": func(r *reuseTest) {
			r.putContents(ledger.MaxContents, ledger.MaxContents)
			bundle, update := r.push(r.alice)
			r.admit(r.session(), bundle, update)
			r.mustReuse(0, r.bio(r.bob, "other"))
			r.mustReuse(2, bundle, update)
			if count := r.contents(); count != ledger.MaxContents+1-ledger.PrunedContents {
				r.t.Errorf("%d contents are left", count)
			}
		},
		"another account adds content": func(r *reuseTest) {
			r.putContents(ledger.MaxContents-1, ledger.MaxContents-1)
			other, _ := r.push(r.bob)
			bundle := r.Sign(r.alice, message.CommitBundle(r.project, message.Content{Digest: numbered(-1)}, ledgertest.NewCommit(numbered(900))))
			r.admit(r.session(), bundle) // prunes nothing without the other one
			r.mustReuse(0, other)
			r.mustReuse(0, bundle)
		},
		"contents of pending messages": func(r *reuseTest) {
			const stored, pending = ledger.PrunedContents / 2, ledger.PrunedContents/2 + 1
			r.putContents(stored, ledger.MaxContents-pending+1)
			session, bundles := r.session(), make([]*message.Envelope, pending)
			for i := range bundles {
				bundles[i], _ = r.push(r.alice)
				r.admit(session, bundles[i])
			}
			r.mustReuse(pending-1, bundles...)
		},
	})
}

// putContents adds content rows to the project, and sets their number in its row.
func (r *reuseTest) putContents(rows, count int) {
	r.t.Helper()
	for i := range rows {
		if err := r.Rows.Put(schema.ContentKey(r.project, numbered(10_000+i)), &pb.ContentRow{BlockNumber: 1}); err != nil {
			r.t.Fatal(err)
		}
	}
	var project pb.ProjectRow
	r.Load(schema.ProjectKey(r.project), &project)
	project.ContentCount = uint32(count)
	if err := r.Rows.Put(schema.ProjectKey(r.project), &project); err != nil {
		r.t.Fatal(err)
	}
}

// contents returns the number of content rows in the row of the project.
func (r *reuseTest) contents() uint32 {
	var project pb.ProjectRow
	r.Load(schema.ProjectKey(r.project), &project)
	return project.GetContentCount()
}

// TestReuse checks which executions are reused after other messages, blocks and times, and that blocks are the same.
//
// Rules: P6.1, P6.2.
func TestReuse(t *testing.T) {
	t.Parallel()
	runReuse(t, map[string]func(r *reuseTest){
		"same height": func(r *reuseTest) {
			bundle, update := r.push(r.alice)
			r.admit(r.session(), bundle, update)
			r.mustReuse(2, bundle, update)
		},
		"later height": func(r *reuseTest) {
			session := r.session()
			for range 90 { // the height gets another length
				bundle, update := r.push(r.alice)
				r.admit(session, bundle, update)
				r.mustReuse(0, r.bio(r.bob, "other"))
				r.mustReuse(1, bundle)
				r.mustReuse(1, update)
			}
		},
		"a row with a height that is not final": func(r *reuseTest) {
			bundle, _ := r.push(r.alice)
			repeated := []message.Commit{ledgertest.NewCommit(numbered(1)), ledgertest.NewCommit(numbered(900))}
			again := r.SignAt(r.alice, r.Now()+1, message.CommitBundle(r.project, message.Content{}, repeated...))
			r.admit(r.session(), bundle, again)
			r.mustReuse(0, r.bio(r.bob, "other"))
			r.mustReuse(1, bundle, again)
		},
		"another account writes the project before": func(r *reuseTest) {
			bundle, update := r.push(r.alice)
			r.admit(r.session(), bundle, update)
			other := r.Sign(r.bob, message.CommitBundle(r.project, message.Content{}, ledgertest.NewCommit(numbered(900))))
			r.mustReuse(0, other)
			r.mustReuse(0, bundle, update)
		},
		"another account writes the project in the block": func(r *reuseTest) {
			bundle, update := r.push(r.alice)
			r.admit(r.session(), bundle, update)
			other := r.Sign(r.bob, message.CommitBundle(r.project, message.Content{}, ledgertest.NewCommit(numbered(900))))
			r.admit(r.session(), other)
			r.mustReuse(1, other, bundle, update)
		},
		"the earlier message is left out": func(r *reuseTest) {
			bundle, update := r.push(r.alice)
			r.admit(r.session(), bundle, update)
			if applied := r.mustReuse(0, update); applied > 0 {
				r.t.Error("a ref moves to a commit that does not exist")
			}
		},
		"an undone message": func(r *reuseTest) {
			session, bio := r.session(), r.bio(r.alice, "undone")
			r.admit(session, bio)
			session.Undo()
			later := r.SignAt(r.alice, r.Now()+2, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "later"))
			r.admit(session, later)
			r.mustReuse(1, bio)
			r.mustReuse(0, later)
		},
		"a range of rows": func(r *reuseTest) {
			r.mustReuse(0, r.SignAt(r.alice, r.Now()+1, message.CollaboratorRemove(r.project, r.bob.Owner())))
			again := r.SignAt(r.alice, r.Now()+2, message.CollaboratorAdd(r.project, r.bob.Owner(), pb.Permission_PERMISSION_READ))
			r.admit(r.session(), again)
			r.mustReuse(0, again)
		},
		"unknown blocks": func(r *reuseTest) {
			bio := r.bio(r.alice, "old")
			r.admit(r.session(), bio)
			r.Block.Height += 2
			r.mustReuse(0, r.bio(r.bob, "other"))
			r.mustReuse(0, bio)
		},
	})
}

// TestReapply checks which executions are repeated in sessions on later states, and that blocks can reuse them afterwards.
//
// Rules: P10.1.
func TestReapply(t *testing.T) {
	t.Parallel()
	runReuse(t, map[string]func(r *reuseTest){
		"after other blocks": func(r *reuseTest) {
			bundle, update := r.push(r.alice)
			r.admit(r.session(), bundle, update)
			for i := range 90 { // the height gets another length
				r.mustReuse(0, r.SignAt(r.bob, r.Now()+uint32(i)+1, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, string(rune('a'+i)))))
				r.readmit(2, bundle, update)
			}
			next, moved := r.push(r.alice)
			r.admit(r.readmit(2, bundle, update), next, moved)
			r.mustReuse(4, bundle, update, next, moved)
		},
		"in the block of the first one": func(r *reuseTest) {
			bundle, update := r.push(r.alice)
			next, moved := r.push(r.alice)
			r.admit(r.session(), bundle, update, next, moved)
			r.mustReuse(2, bundle, update)
			r.readmit(2, next, moved)
			r.mustReuse(2, next, moved)
		},
		"a row with a height that is not final": func(r *reuseTest) {
			bundle, _ := r.push(r.alice)
			r.admit(r.session(), bundle)
			r.mustReuse(0, r.bio(r.bob, "other"))
			session := r.readmit(1, bundle)
			repeated := []message.Commit{ledgertest.NewCommit(numbered(1)), ledgertest.NewCommit(numbered(900))}
			again := r.SignAt(r.alice, r.Now()+1, message.CommitBundle(r.project, message.Content{}, repeated...))
			r.admit(session, again)
			if r.executions[again] != nil {
				r.t.Error("an execution that depends on the height of a pending message can be reused")
			}
			r.mustReuse(0, r.SignAt(r.bob, r.Now()+1, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "another")))
			r.mustReuse(1, bundle, again)
		},
		"another account writes the project": func(r *reuseTest) {
			bundle, update := r.push(r.alice)
			r.admit(r.session(), bundle, update)
			r.mustReuse(0, r.Sign(r.bob, message.CommitBundle(r.project, message.Content{}, ledgertest.NewCommit(numbered(900)))))
			r.readmit(0, bundle, update)
			r.mustReuse(2, bundle, update)
		},
		"a message that no longer applies": func(r *reuseTest) {
			star := r.Sign(r.alice, message.Star(r.project))
			r.admit(r.session(), star)
			r.Block.Time += ledger.MaxDrift + 1
			r.readmit(0, star)
		},
		"a state before the latest block": func(r *reuseTest) {
			bundle, update := r.push(r.alice)
			r.admit(r.session(), bundle, update)
			rows, block := r.Rows.Clone(), r.Block
			r.mustReuse(2, bundle, update)
			session := r.reusing.Begin(rows, block)
			if _, refusal, err := session.Reapply(update, r.executions[update]); refusal == nil || err != nil {
				r.t.Errorf("a ref moves to a commit that the state does not contain: %v", err)
			}
		},
	})
}

// TestNoReuse checks that executions are not reused when the message does not apply any more, or when what it depends on is not
// known.
//
// Rules: P6.4, P8.5.
func TestNoReuse(t *testing.T) {
	t.Parallel()
	runReuse(t, map[string]func(r *reuseTest){
		"the key is revoked": func(r *reuseTest) {
			bundle, _ := r.push(r.alice)
			r.admit(r.session(), bundle)
			remove, err := r.alice.SignerRemove(r.Now(), r.alice.Key(), r.Permit(r.alice.Owner()), r.alice.Root)
			if err != nil {
				r.t.Fatal(err)
			}
			r.mustReuse(0, remove)
			if applied := r.mustReuse(0, bundle); applied > 0 {
				r.t.Error("a message of a revoked key applies")
			}
		},
		"storage expires": func(r *reuseTest) {
			star := r.SignAt(r.alice, uint32(r.Block.Time+message.StorageTerm), message.Star(r.project))
			at := r.Block
			at.Time += message.StorageTerm - 100
			session := r.reusing.Begin(r.Rows.Clone(), at)
			session.Record()
			r.admit(session, star)
			r.Block.Time = at.Time + 200
			if applied := r.mustReuse(0, star); applied > 0 {
				r.t.Error("an account without storage stars a project")
			}
		},
		"a message becomes too late": func(r *reuseTest) {
			star := r.Sign(r.alice, message.Star(r.project))
			r.admit(r.session(), star)
			r.Block.Time += ledger.MaxDrift + 1
			if applied := r.mustReuse(0, star); applied > 0 {
				r.t.Error("a message applies after its time")
			}
		},
		"just in time": func(r *reuseTest) {
			star := r.Sign(r.alice, message.Star(r.project))
			r.admit(r.session(), star)
			r.Block.Time += ledger.MaxDrift
			r.mustReuse(1, star)
		},
	})
}

// TestReuseForgets checks that executions are not reused when changes of blocks after them were dropped.
func TestReuseForgets(t *testing.T) {
	t.Parallel()
	many := &ledger.Result{Changes: make([]schema.Change, 1<<17)}
	for i := range many.Changes {
		many.Changes[i].Key = binary.BigEndian.AppendUint32(nil, uint32(i))
	}
	for blocks, reused := range []int{1, 1, 1, 0} {
		r := newReuseTest(t)
		bio := r.bio(r.alice, "old")
		r.admit(r.session(), bio)
		for range blocks {
			r.reuse.Committed(r.Block.Height, many)
			r.Block.Height++
		}
		r.mustReuse(reused, bio)
	}
}

func runReuse(t *testing.T, tests map[string]func(r *reuseTest)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newReuseTest(t))
		})
	}
}
