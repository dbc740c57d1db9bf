package simtest

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// TestBounds checks that the bounds of the state contain the limits of the ledger, and that the largest rows that messages can
// write are within the maximum sizes.
//
// Rules: I11.
func TestBounds(t *testing.T) {
	t.Parallel()
	bounds := schema.Bounds()
	for p := schema.PrefixTombstone; p <= schema.LastPrefix; p++ {
		if _, ok := bounds[p]; !ok && p.Merkleized() && p != schema.PrefixValidators && p != schema.PrefixSettlement && p != schema.PrefixRules {
			t.Errorf("rows with the prefix %#x have no bound", byte(p))
		}
	}
	one := schema.Totals{}
	one.AddAccount(1, 1)
	for p, want := range map[schema.Prefix]uint64{
		schema.PrefixKey: 2 * ledger.MaxKeys, schema.PrefixKeyOwner: ledger.MaxKeys, schema.PrefixRef: ledger.MaxRefs,
		schema.PrefixCommit: ledger.CommitsPerUnit, schema.PrefixContent: ledger.MaxContents,
		schema.PrefixClosedMergeRequest: schema.ClosedRequestsPerOwnerUnit,
		schema.PrefixPruneMarker:        15_050 + 3*99 + 50 + 99,
	} {
		if got := bounds[p].Rows(one); got != want {
			t.Errorf("prefix %#x: %d rows, want %d", byte(p), got, want)
		}
	}
	most := schema.Totals{}
	most.AddAccount(math.MaxUint32, math.MaxUint64)
	if got := bounds[schema.PrefixCommit].Rows(most); got != math.MaxUint64 {
		t.Errorf("a bound that exceeds 64 bits is %d", got)
	}
	for _, row := range largestRows() {
		value, err := schema.Encode(row.value)
		if err != nil {
			t.Fatal(err)
		}
		if size, most := len(row.key)+len(value), bounds[schema.Prefix(row.key[0])].RowBytes; size > most {
			t.Errorf("a row with the prefix %#x has %d bytes, want at most %d", row.key[0], size, most)
		}
	}
}

type largestRow struct {
	key   []byte
	value proto.Message
}

// largestRows returns the largest rows of the kinds with variable parts.
func largestRows() []largestRow {
	const most, most64 = math.MaxUint32, math.MaxUint64
	hash, owner := bytes.Repeat([]byte{1}, ident.HashSize), bytes.Repeat([]byte{1}, ident.AddressSize)
	id, account := ident.Hash(hash), ident.Address(owner)
	text := func(n int) string { return strings.Repeat("x", n) }
	hashes := func(n int) [][]byte {
		list := make([][]byte, n)
		for i := range list {
			list[i] = hash
		}
		return list
	}
	ref := []byte(text(message.MaxRefName))
	return []largestRow{
		{schema.TombstoneKey(schema.RefKey(id, ref)), &pb.TombstoneRow{Timestamp: most}},
		{schema.AccountKey(account), &pb.AccountRow{
			CustodyNonce: most64, Username: text(message.MaxUsername), UsernameLastSetAt: most, StorageUnits: most, NextExpiry: most,
			ProjectCount: most, KeyCount: most, MergeRequestCount: most, UnitsGranted: most, ProjectsCreated: most64,
			CustodyKeyCount: most, MergeRequestTombstoneCount: most, GrantCount: most,
		}},
		{schema.AccountMetadataKey(account, 1), &pb.AccountMetadataRow{Timestamp: most, Value: text(message.MaxAccountValue)}},
		{schema.DelegatedKeyKey(account, ident.PublicKey(hash)), &pb.DelegatedKeyRow{
			Scope: 2, AllowedProjects: hashes(message.MaxAllowedProjects), AddedAt: most, RequestOwnerAddress: owner,
		}},
		{schema.ProjectKey(id), &pb.ProjectRow{
			OwnerAddress: owner, Status: 3, CreatedAt: most, ForkSource: hash, RefCount: most, RefTombstoneCount: most, CommitCount: most,
			CollaboratorCount: most, CollaboratorTombstoneCount: most, MergeRequestCount: most, MergeRequestTombstoneCount: most,
			CommitPruneAt: most, PrunedBundleTimestamp: most, ContentCount: most, Swept: true, CollaboratorMarkerCount: most,
			ClosedMergeRequestCount: most,
		}},
		{schema.ProjectMetadataKey(id, 1), &pb.ProjectMetadataRow{Timestamp: most, Value: text(message.MaxContentValue)}},
		{schema.ProjectNameKey(account, text(message.MaxProjectName)), &pb.ProjectNameRow{ProjectId: hash}},
		{schema.RefKey(id, ref), &pb.RefRow{Timestamp: most, RefType: 1, Hash: hash, Nonce: most64, Floor: most, TagObject: hash}},
		{schema.CommitKey(id, id), &pb.CommitRow{
			Parents: hashes(message.MaxParents), TreeRoot: hash, AuthorTimestamp: most, Title: text(message.MaxTitle), MessageHash: hash,
			AuthorAddress: owner, ContentDigest: hash, BlockNumber: most64, BundleTimestamp: most, Generation: most, Depth: most, Jump: hash,
			JumpDepth: most, AuthorName: text(message.MaxAuthorName),
		}},
		{schema.ContentKey(id, id), &pb.ContentRow{Url: text(message.MaxURL), BlockNumber: most64}},
		{schema.MergeRequestKey(id, id), &pb.MergeRequestRow{
			Timestamp: most, RequesterOwnerAddress: owner, SourceProjectId: hash, SourceRef: ref, SourceCommitHash: hash, TargetRef: ref,
			Title: text(message.MaxMergeRequestTitle), Replaces: hash,
		}},
		{schema.ClosedMergeRequestKey(id, id), &pb.ClosedMergeRequestRow{
			BlockNumber: most64, AddedAt: most, ClosedAt: most, RequesterOwnerAddress: owner, SourceProjectId: hash, SourceRef: ref,
			SourceCommitHash: hash, TargetRef: ref, Title: text(message.MaxMergeRequestTitle), Replaces: hash, Outcome: 4,
			MergeCommit: hash, CloserOwnerAddress: owner, ReplacedBy: hash,
		}},
		{schema.AgeKey(schema.TombstoneKey(schema.RefKey(id, ref)), most), &pb.CounterRow{Count: 1}},
	}
}
