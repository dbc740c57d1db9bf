package ledger_test

import (
	"bytes"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// write replaces a row of the state without a message.
func (h *history) write(t *testing.T, key []byte, row proto.Message) {
	t.Helper()
	h.Commit()
	value, err := schema.Encode(row)
	if err != nil {
		t.Fatal(err)
	}
	before, err := h.Rows.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Rows.Apply([]schema.Change{{Key: key, Value: value, Existed: before != nil}}); err != nil {
		t.Fatal(err)
	}
	h.Next(1)
}

// withContent returns a bundle with content.
func (h *history) withContent(digest ident.Hash, url string, commits ...message.Commit) *message.Envelope {
	h.Helper()
	return h.Sign(h.owner, message.CommitBundle(h.project, message.Content{Digest: digest, URL: url}, commits...))
}

// content returns the content row of a project, nil if there is none.
func (h *history) content(project, digest ident.Hash) *pb.ContentRow {
	h.Helper()
	h.Commit()
	row := new(pb.ContentRow)
	if !h.Load(schema.ContentKey(project, digest), row) {
		return nil
	}
	return row
}

// TestContent checks that a project has one content row per digest, that the first one stays, that commits refer to it, and
// that a fork copies the one of its commit.
//
// Rules: P7.2, P9.4, P9.5.
func TestContent(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	pack, other := numbered(-1), numbered(-2)
	h.Must(h.withContent(pack, "https://example.org/1", line(0, 2)...))
	first := h.Block.Height
	h.Next(10)
	h.Must(h.withContent(pack, "https://example.org/2", child(3, 2)))
	h.Must(h.withContent(other, "", child(4, 3)))
	h.push(child(5, 4))
	h.Check()
	if row := h.content(h.project, pack); row.GetUrl() != "https://example.org/1" || row.GetBlockNumber() != first {
		t.Errorf("content %v", row)
	}
	if row := h.content(h.project, other); row == nil || row.GetUrl() != "" || row.GetBlockNumber() != h.Block.Height {
		t.Errorf("content without a URL %v", row)
	}
	if count := h.row().GetContentCount(); count != 2 {
		t.Errorf("%d contents, want 2", count)
	}
	for i, want := range map[int][]byte{0: pack[:], 3: pack[:], 4: other[:], 5: nil} {
		var commit pb.CommitRow
		if h.Load(schema.CommitKey(h.project, numbered(i)), &commit); !bytes.Equal(commit.GetContentDigest(), want) {
			t.Errorf("commit %d has content %x, want %x", i, commit.GetContentDigest(), want)
		}
	}
	h.MustRefuse(h.withContent(numbered(-3), "https://example.org/3", child(0)), message.CodeNothingNew)
	if h.content(h.project, numbered(-3)) != nil {
		t.Error("a refused bundle has written its content")
	}
	h.Next(10)
	fork := h.Sign(h.owner, message.Fork(h.project, numbered(1), "fork", pb.Visibility_VISIBILITY_PUBLIC))
	h.Must(fork)
	h.Check()
	if row := h.content(fork.Hash, pack); row.GetUrl() != "https://example.org/1" || row.GetBlockNumber() != h.Block.Height {
		t.Errorf("content of the fork %v", row)
	}
	if h.content(fork.Hash, other) != nil {
		t.Error("the fork has content of another commit")
	}
}

// TestContentPruning checks that the bundle that takes a project over 2,000 contents prunes the oldest 200, by block and
// then by digest, and counts the rows that it reads as visits.
//
// Rules: P8.6.
func TestContentPruning(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	var digests []ident.Hash
	for i := range ledger.MaxContents {
		if i%ledger.MaxProjectMessages == 0 {
			h.Next(1)
		}
		digests = append(digests, numbered(-1-i))
		if effects := h.Must(h.withContent(digests[i], "", child(i, -1))); effects.Visits != 0 {
			t.Fatalf("bundle %d has %d visits", i, effects.Visits)
		}
	}
	h.Next(1)
	last := numbered(-1 - ledger.MaxContents)
	if effects := h.Must(h.withContent(last, "", child(ledger.MaxContents, -1))); effects.Visits != ledger.MaxContents+1 {
		t.Errorf("%d visits", effects.Visits)
	}
	h.Check()
	if count := h.row().GetContentCount(); count != ledger.MaxContents+1-ledger.PrunedContents {
		t.Errorf("%d contents are left", count)
	}
	oldest := digests[:ledger.MaxProjectMessages]
	slices.SortFunc(oldest, func(a, b ident.Hash) int { return bytes.Compare(a[:], b[:]) })
	for i, digest := range append(digests, last) {
		if pruned := h.content(h.project, digest) == nil; pruned != (i < ledger.PrunedContents) {
			t.Fatalf("content %d is pruned: %t", i, pruned)
		}
	}
	var commit pb.CommitRow
	if h.Load(schema.CommitKey(h.project, numbered(0)), &commit); len(commit.GetContentDigest()) != ident.HashSize {
		t.Error("a commit has lost the digest of its content")
	}
}

// TestContentOfRefUpdates checks that ref updates add content rows, and prune them as bundles do, with the same visits.
//
// Rules: P6.5, P8.6, P9.3.
func TestContentOfRefUpdates(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(line(0, 1)...)
	h.put("main", 0)
	h.Next(1)
	for i := range ledger.MaxContents {
		if err := h.Rows.Put(schema.ContentKey(h.project, numbered(-1-i)), &pb.ContentRow{BlockNumber: 1}); err != nil {
			t.Fatal(err)
		}
	}
	row := h.row()
	row.ContentCount = ledger.MaxContents
	h.write(t, schema.ProjectKey(h.project), row)
	update := func(digest ident.Hash, nonce uint64) *message.Envelope {
		return h.Sign(h.owner, message.RefUpdate(h.project, "main", message.RefMove{New: numbered(1), Nonce: nonce, Force: true, ContentDigest: digest}))
	}
	if effects := h.Must(update(numbered(-1), 2)); effects.Visits != 0 || h.row().GetContentCount() != ledger.MaxContents {
		t.Errorf("an existing digest: %d visits, %d contents", effects.Visits, h.row().GetContentCount())
	}
	fresh := numbered(-1 - ledger.MaxContents)
	h.MustRefuse(update(fresh, 9), message.CodeRefNonceMismatch)
	if effects := h.Must(update(fresh, 3)); effects.Visits != ledger.MaxContents+1 {
		t.Errorf("%d visits, want %d", effects.Visits, ledger.MaxContents+1)
	}
	if content := h.content(h.project, fresh); content.GetBlockNumber() != h.Block.Height || content.GetUrl() != "" {
		t.Errorf("content %v", content)
	}
	if count := h.row().GetContentCount(); count != ledger.MaxContents+1-ledger.PrunedContents {
		t.Errorf("%d contents are left", count)
	}
}

// TestCommitQuota checks the number of commits of a project: 100,000 per usable unit of its owner, and those of one unit
// without any. A project at the limit can be used again when its refs no longer reach all commits.
//
// Rules: P8.6.
func TestCommitQuota(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(line(0, 9)...)
	h.put("main", 9)
	h.push(roots(loose, 1)...)
	h.Commit()
	setCount := func(count uint32) {
		row := h.row()
		row.CommitCount, row.CommitPruneAt = count, 10*count
		h.write(t, schema.ProjectKey(h.project), row)
	}
	setCount(ledger.CommitsPerUnit)
	h.push(roots(loose+1, 1)...) // prunes the other one
	if h.has(loose) || h.row().GetCommitCount() != ledger.CommitsPerUnit {
		t.Errorf("%d commits, the unreachable one exists: %t", h.row().GetCommitCount(), h.has(loose))
	}
	h.Next(1)
	h.Must(h.Sign(h.owner, message.RefUpdate(h.project, "loose", message.RefMove{New: numbered(loose + 1), Nonce: 1})))
	setCount(ledger.CommitsPerUnit)
	over := h.bundle(child(10, 9))
	h.MustRefuse(over, message.CodeQuotaExceeded)
	h.Fund(h.owner, 1)
	h.Must(over)
	h.put("main", 10)
	setCount(2 * ledger.CommitsPerUnit)
	h.MustRefuse(h.bundle(child(11, 10)), message.CodeQuotaExceeded)
	h.SkipTo(h.Block.Time + message.StorageTerm)
	setCount(ledger.CommitsPerUnit - 1)
	h.push(child(11, 10))
	h.put("main", 11)
	h.MustRefuse(h.bundle(child(12, 11)), message.CodeQuotaExceeded)
}

// TestCyclicHistory builds a cycle of commits: a fork has a commit without its parent, and a bundle then adds a commit with
// the hash of that parent as its child. Searches for ancestors and for reachable commits end, and the state is consistent.
//
// Rules: P8.7, P9.3, P9.5.
func TestCyclicHistory(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(line(0, 5)...)
	fork := h.Sign(h.owner, message.Fork(h.project, numbered(5), "fork", pb.Visibility_VISIBILITY_PUBLIC))
	h.Must(fork)
	h.Next(1)
	h.project = fork.Hash
	// 5 is a child of 4, which becomes a descendant of 5; both have further children.
	h.push(child(6, 5), child(7, 6, 5), child(4, 7), child(8, 4, 5), child(9, 8, 4))
	h.Check()
	h.put("main", 5)
	for _, next := range []int{6, 7, 4, 8, 9} {
		h.Must(h.move("main", next, false))
		h.nonces["main"]++
	}
	h.MustRefuse(h.move("main", 5, false), message.CodeNotFastForward)
	h.MustRefuse(h.move("main", 4, false), message.CodeNotFastForward)
	h.put("side", 4)
	h.MustRefuse(h.move("side", 5, false), message.CodeNotFastForward)
	h.Check()
	row := h.row()
	row.CommitCount, row.CommitPruneAt = ledger.CommitsPerUnit+1, 0
	h.write(t, schema.ProjectKey(h.project), row)
	if _, refusal := h.Apply(h.bundle(child(10, 9))); refusal == nil || refusal.Code != message.CodeQuotaExceeded {
		t.Errorf("after a search for reachable commits: %v", refusal)
	}
	for _, i := range []int{4, 5, 6, 7, 8, 9} {
		if !h.has(i) {
			t.Errorf("commit %d was pruned", i)
		}
	}
}
