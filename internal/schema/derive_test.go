package schema_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// populated returns a chain with members of every set, removed members and commits, and merge requests of two accounts to
// two projects.
func populated(t *testing.T) *ledgertest.Chain {
	t.Helper()
	w := ledgertest.New(t)
	alice, bobby, carol := w.Join("alice", 3), w.Join("bobby", 3), w.Join("carol", 3)
	one := ledgertest.Hash("one")
	for i, name := range []string{"first", "second"} {
		w.Next(10)
		create := w.Sign(alice, message.ProjectCreate(name, pb.Visibility_VISIBILITY_PUBLIC, "", ""))
		w.Must(create)
		w.Must(w.Sign(alice, message.CommitBundle(create.Hash, message.Content{}, ledgertest.NewCommit(one))))
		w.Must(w.Sign(alice, message.CollaboratorAdd(create.Hash, carol.Address, pb.Permission_PERMISSION_WRITE)))
		for _, by := range []*ledgertest.Actor{bobby, carol}[i:] {
			w.Next(10)
			fork := w.Sign(by, message.Fork(create.Hash, one, name, pb.Visibility_VISIBILITY_PUBLIC))
			w.Must(fork)
			w.Must(w.Sign(by, message.RefUpdate(fork.Hash, "topic", message.RefMove{New: one, Nonce: 1})))
			requests := requestTwice(w, by, create.Hash, fork.Hash, one)
			if i == 0 && by == carol {
				w.Next(10)
				w.Must(w.Sign(alice, message.MergeRequestRemove(create.Hash, requests[0])))
			}
			w.Must(w.Sign(by, message.Star(create.Hash)))
			w.Must(w.Sign(by, message.Like(create.Hash, one)))
			w.Next(10)
			w.Must(w.Sign(by, message.Unlike(create.Hash, one)))
			w.Must(w.Sign(by, message.RefDelete(fork.Hash, "topic", one, 2)))
		}
	}
	verification, err := alice.EthVerification(w.Now(), alice.Root)
	if err != nil {
		t.Fatal(err)
	}
	w.Must(verification)
	w.Check()
	return w
}

func requestTwice(w *ledgertest.Chain, by *ledgertest.Actor, target, source, commit ident.Hash) (requests []ident.Hash) {
	for _, title := range []string{"please", "pretty please"} {
		request := w.Sign(by, message.MergeRequestAdd(target, message.MergeProposal{
			Source: source, SourceRef: "topic", SourceCommit: commit, TargetRef: "main", Title: title,
		}))
		w.Must(request)
		requests = append(requests, request.Hash)
	}
	return requests
}

// TestDeriver checks that the deriver computes the derived rows that the ledger writes, from the other rows alone.
//
// Rules: P6.2.
func TestDeriver(t *testing.T) {
	t.Parallel()
	w := populated(t)
	var want, got []schema.Change
	var d schema.Deriver
	emit := func(c schema.Change) error {
		got = append(got, c)
		return nil
	}
	err := w.Rows.Scan(nil, nil, func(key, value []byte) bool {
		if !schema.Prefix(key[0]).Merkleized() {
			want = append(want, schema.Change{Key: bytes.Clone(key), Value: bytes.Clone(value)})
			return true
		}
		if err := d.Add(key, value, emit); err != nil {
			t.Errorf("row %x: %v", key, err)
		}
		return true
	})
	if err := errors.Join(err, d.Finish(emit), d.Finish(emit)); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored (-) and derived (+) rows differ:\n%s", diff)
	}
	pairs := 0
	for _, c := range got {
		if schema.Prefix(c.Key[0]) == schema.PrefixMergeRequestPair {
			pairs++
		}
	}
	if pairs != 3 {
		t.Errorf("%d pairs, want 3", pairs)
	}
}

// TestDeriverErrors checks that the deriver refuses invalid rows and returns the errors of emit.
func TestDeriverErrors(t *testing.T) {
	t.Parallel()
	collaborator := schema.CollaboratorKey(ident.Hash{1}, ident.Address{1})
	for name, row := range map[string]schema.Change{
		"no key":                 {Value: schema.Present},
		"derived row":            {Key: schema.AgeKey(collaborator, 1), Value: schema.Present},
		"short key":              {Key: collaborator[:20], Value: []byte{8, 1}},
		"no timestamp":           {Key: collaborator, Value: []byte{16, 1}},
		"tombstone without time": {Key: schema.TombstoneKey(collaborator), Value: []byte{16, 1}},
		"broken closed request":  {Key: schema.ClosedMergeRequestKey(ident.Hash{1}, ident.Hash{2}), Value: []byte{0xff}},
		"closed of nobody":       {Key: schema.ClosedMergeRequestKey(ident.Hash{1}, ident.Hash{2}), Value: []byte{8, 1}},
		"broken commit":          {Key: schema.CommitKey(ident.Hash{1}, ident.Hash{2}), Value: []byte{0xff}},
	} {
		var d schema.Deriver
		err := d.Add(row.Key, row.Value, func(c schema.Change) error {
			t.Errorf("%s: emitted %x", name, c.Key)
			return nil
		})
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	failure := errors.New("no room")
	fail := func(schema.Change) error { return failure }
	var d schema.Deriver
	if err := d.Add(collaborator, []byte{8, 1}, fail); !errors.Is(err, failure) {
		t.Errorf("got %v, want the error of emit for an age row", err)
	}
	open := func(project byte) []byte {
		return schema.MergeRequestByRequesterKey(ident.Address{1}, ident.Hash{project}, ident.Hash{})
	}
	if err := errors.Join(d.Add(open(1), []byte{8, 1}, fail), d.Add(open(2), []byte{8, 1}, fail)); !errors.Is(err, failure) {
		t.Errorf("got %v, want the error of emit for a count", err)
	}
}
