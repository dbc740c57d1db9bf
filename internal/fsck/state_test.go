package fsck

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// state is a set of rows.
type state map[string][]byte

func (s state) Get(key []byte) ([]byte, error) { return s[string(key)], nil }

func (s state) Scan(lower, upper []byte, fn func(key, value []byte) bool) error {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if key >= string(lower) && (upper == nil || key < string(upper)) && !fn([]byte(key), s[key]) {
			return nil
		}
	}
	return nil
}

func (s state) put(key []byte, row proto.Message) {
	value, err := schema.Encode(row)
	if err != nil {
		panic(err)
	}
	s[string(key)] = value
}

func (s state) drop(keys ...[]byte) {
	for _, key := range keys {
		delete(s, string(key))
	}
}

// change edits one row in place.
func change[T any, P pointer[T]](s state, key []byte, edit func(row P)) {
	row := P(new(T))
	if err := schema.Decode(s[string(key)], row); err != nil || s[string(key)] == nil {
		panic("no such row to change")
	}
	edit(row)
	s.put(key, row)
}

// member stores an entry of a set, a tombstone or a prune marker with its age row.
func (s state) member(key []byte, timestamp uint32, row proto.Message) {
	s.put(key, row)
	s[string(schema.AgeKey(key, timestamp))] = schema.Present
}

func (s state) tombstone(key []byte, timestamp uint32) {
	s.member(schema.TombstoneKey(key), timestamp, &pb.TombstoneRow{Timestamp: timestamp})
}

func (s state) marker(key []byte, timestamp uint32) {
	s.member(schema.PruneMarkerKey(key), timestamp, &pb.PruneMarkerRow{Timestamp: timestamp})
}

func (s state) commit(project, id ident.Hash, row *pb.CommitRow) {
	row.TreeRoot, row.MessageHash, row.AuthorAddress = bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32), alice[:]
	row.BundleTimestamp = 10
	s.put(schema.CommitKey(project, id), row)
	s[string(schema.CommitAgeKey(project, row.GetBlockNumber(), id))] = schema.Present
}

// The accounts, projects and commits of the valid state. Original has a chain of commits one to five; fork was created
// from three.
var (
	alice, bob, carol              = ident.Address{0xA1}, ident.Address{0xB0}, ident.Address{0xCA}
	original, fork, removed        = ident.Hash{0x01}, ident.Hash{0x02}, ident.Hash{0x03}
	one, two, three, four, five    = ident.Hash{0x11}, ident.Hash{0x12}, ident.Hash{0x13}, ident.Hash{0x14}, ident.Hash{0x15}
	request, closed, merged        = ident.Hash{0x21}, ident.Hash{0x22}, ident.Hash{0x23}
	swept, pack                    = ident.Hash{0x04}, ident.Hash{0x16}
	used, ended                    = ident.Hash{0x31}, ident.Hash{0x32}
	key                            = ident.PublicKey{0x41}
	outside, given                 = []byte("outside address 1234"), []byte("outside address 5678")
	nameField, visibilityField     = byte(pb.ProjectMetadataType_PROJECT_METADATA_NAME), byte(pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY)
	follow, star, like             = byte(pb.LinkType_LINK_TYPE_FOLLOW), byte(pb.LinkType_LINK_TYPE_STAR), byte(pb.ReactionType_REACTION_TYPE_LIKE)
	main, gone                     = []byte("main"), []byte("gone")
	aliceKey, bobKey               = schema.AccountKey(alice), schema.AccountKey(bob)
	aliceGrant                     = schema.StorageGrantKey(alice, 5_000, used)
	openKey, openReverse, openPair = schema.MergeRequestKey(original, request), schema.MergeRequestByRequesterKey(bob, original, request), schema.MergeRequestPairKey(bob, original)
	mergedKey                      = schema.ClosedMergeRequestKey(original, merged)
	mergedAge, mergedBy            = schema.ClosedAgeKey(original, 6, merged), schema.ClosedByRequesterKey(bob, 6, original, merged)
	closedKey, closedAge           = schema.TombstoneKey(schema.MergeRequestKey(original, closed)), schema.RequestAgeKey(bob, 25, original, closed)
)

func passkey() *custody.P256Wallet {
	wallet, err := custody.NewP256Wallet([32]byte{31: 7})
	if err != nil {
		panic(err)
	}
	return wallet
}

func custodyRow() []byte { return schema.CustodyKeyKey(alice, passkey().KeyID()) }

// good returns a valid state with a row of every kind.
func good() state {
	s := state{}
	s.accounts()
	s.project(original, alice, "tool", &pb.ProjectRow{
		RefCount: 1, RefTombstoneCount: 1, CommitCount: 5, CollaboratorCount: 2, CollaboratorTombstoneCount: 1,
		CollaboratorMarkerCount: 1, MergeRequestCount: 1, MergeRequestTombstoneCount: 1, ContentCount: 1,
		ClosedMergeRequestCount: 1,
	})
	s.put(schema.ContentKey(original, pack), &pb.ContentRow{Url: "https://example.org/pack", BlockNumber: 2})
	s.project(fork, bob, "tool", &pb.ProjectRow{ForkSource: original[:], CommitCount: 2})
	s.project(removed, alice, "old", &pb.ProjectRow{Status: pb.ProjectStatus_PROJECT_STATUS_REMOVED})
	s.drop(schema.ProjectNameKey(alice, "old"), schema.ProjectMetadataKey(removed, visibilityField))
	s.put(schema.ProjectKey(swept), &pb.ProjectRow{OwnerAddress: alice[:], CreatedAt: 9, Status: pb.ProjectStatus_PROJECT_STATUS_REMOVED, Swept: true})
	s.put(schema.ForkParentKey(fork), &pb.ForkParentRow{SourceProjectId: original[:], SourceCommitHash: three[:]})
	s.commits()
	s.put(schema.RefKey(original, main), &pb.RefRow{Timestamp: 20, Hash: five[:], Nonce: 2, Floor: 9})
	s.tombstone(schema.RefKey(original, gone), 21)
	s.member(schema.CollaboratorKey(original, bob), 22, &pb.CollaboratorRow{Timestamp: 22, Permission: pb.Permission_PERMISSION_WRITE})
	s.put(schema.CollaboratorKey(original, ident.Address{0xEE}), &pb.CollaboratorRow{Timestamp: 22, Permission: pb.Permission_PERMISSION_OWNER})
	s.tombstone(schema.CollaboratorKey(original, carol), 23)
	s.marker(schema.CollaboratorKey(original, ident.Address{0xDD}), 3)
	s.put(openKey, &pb.MergeRequestRow{
		Timestamp: 24, RequesterOwnerAddress: bob[:], SourceProjectId: fork[:], SourceRef: main, SourceCommitHash: four[:], Title: "take it",
	})
	s.put(openReverse, &pb.MergeRequestByRequesterRow{Timestamp: 24})
	s.put(openPair, &pb.CounterRow{Count: 1})
	s.put(closedKey, &pb.TombstoneRow{Timestamp: 25, RequesterOwnerAddress: bob[:]})
	s[string(closedAge)] = schema.Present
	s.put(mergedKey, &pb.ClosedMergeRequestRow{
		BlockNumber: 6, AddedAt: 11, ClosedAt: 12, RequesterOwnerAddress: bob[:], SourceProjectId: fork[:], SourceRef: main,
		SourceCommitHash: four[:], TargetRef: main, Title: "done", Replaces: closed[:], CloserOwnerAddress: alice[:],
		Outcome: pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED, MergeCommit: five[:],
	})
	s[string(mergedAge)], s[string(mergedBy)] = schema.Present, schema.Present
	s.social()
	return s
}

func (s state) accounts() {
	s.put(aliceKey, &pb.AccountRow{
		CustodyNonce: 3, Username: "alice", UsernameLastSetAt: 8, StorageUnits: 2, NextExpiry: 5_000, ProjectCount: 1, KeyCount: 1,
		CustodyKeyCount: 1, GrantCount: 1, UnitsGranted: 2, ProjectsCreated: 3,
	})
	s.put(bobKey, &pb.AccountRow{ProjectCount: 1, MergeRequestCount: 1, MergeRequestTombstoneCount: 1, UnitsGranted: 1, ProjectsCreated: 2})
	s.put(schema.UsernameKey("alice"), &pb.UsernameRow{OwnerAddress: alice[:]})
	s.put(schema.ValidatorsKey(), &pb.ValidatorsRow{Sequence: 1, Validators: []*pb.ValidatorEntry{
		{PublicKey: bytes.Repeat([]byte{1}, ident.PublicKeySize), Power: 10}, {PublicKey: bytes.Repeat([]byte{2}, ident.PublicKeySize), Power: 3},
	}})
	s.put(schema.SettlementKey(), &pb.SettlementRow{
		Sequence: 2, ChainId: 42, Contract: bytes.Repeat([]byte{7}, ident.AddressSize), Threshold: 1, Attesters: []*pb.SettlementAttester{
			{PublicKey: bytes.Repeat([]byte{1}, ident.PublicKeySize), Url: "https://one.example"}, {PublicKey: bytes.Repeat([]byte{2}, ident.PublicKeySize)},
		},
	})
	s.put(schema.RulesKey(), &pb.RulesRow{Sequence: 2, Version: 4, Height: 11, PreviousVersion: 3})
	s.put(schema.AccountMetadataKey(alice, 1), &pb.AccountMetadataRow{Timestamp: 4})
	s.put(aliceGrant, &pb.StorageGrantRow{Units: 2, Actor: bob[:]})
	s.put(schema.ClaimKey(used), &pb.ClaimRow{OwnerAddress: alice[:]})
	s.put(schema.ClaimKey(ended), &pb.ClaimRow{OwnerAddress: bob[:]})
	s.put(schema.DelegatedKeyKey(alice, key), &pb.DelegatedKeyRow{AddedAt: 5, RequestOwnerAddress: alice[:]})
	s.put(schema.KeyOwnerKey(key), &pb.KeyOwnerRow{OwnerAddress: alice[:]})
	s.put(custodyRow(), &pb.CustodyKeyRow{
		SignatureType: passkey().Type(), PublicKey: passkey().PublicKey(), Admin: true, AddedAt: 6, RevokedAt: 7,
		Status: pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED,
	})
}

func (s state) project(id ident.Hash, owner ident.Address, name string, row *pb.ProjectRow) {
	row.OwnerAddress, row.CreatedAt = owner[:], 9
	if row.GetStatus() == 0 {
		row.Status = pb.ProjectStatus_PROJECT_STATUS_ACTIVE
	}
	if row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		s[string(schema.RemovedProjectKey(id))] = schema.Present
	}
	s.put(schema.ProjectKey(id), row)
	s.put(schema.ProjectMetadataKey(id, nameField), &pb.ProjectMetadataRow{Timestamp: 9, Value: name})
	s.put(schema.ProjectMetadataKey(id, visibilityField), &pb.ProjectMetadataRow{Timestamp: 9, Value: "public"})
	s.put(schema.ProjectNameKey(owner, name), &pb.ProjectNameRow{ProjectId: id[:]})
}

func (s state) commits() {
	s.commit(original, one, &pb.CommitRow{BlockNumber: 1, Generation: 1})
	s.commit(original, two, &pb.CommitRow{BlockNumber: 1, Parents: [][]byte{one[:]}, Generation: 2, Depth: 1, Jump: one[:]})
	s.commit(original, three, &pb.CommitRow{BlockNumber: 2, Parents: [][]byte{two[:]}, Generation: 3, Depth: 2, Jump: two[:], JumpDepth: 1})
	s.commit(original, four, &pb.CommitRow{BlockNumber: 2, Parents: [][]byte{three[:]}, Generation: 4, Depth: 3, Jump: one[:]})
	s.commit(original, five, &pb.CommitRow{BlockNumber: 3, Parents: [][]byte{four[:], one[:]}, Generation: 5, Depth: 4, Jump: four[:], JumpDepth: 3})
	s.commit(fork, three, &pb.CommitRow{BlockNumber: 4, Parents: [][]byte{two[:]}, Generation: 3, Depth: 2, Jump: two[:], JumpDepth: 1})
	s.commit(fork, four, &pb.CommitRow{BlockNumber: 5, Parents: [][]byte{three[:]}, Generation: 4, Depth: 3, Jump: three[:], JumpDepth: 2})
}

func (s state) social() {
	s.member(schema.VerificationKey(alice, outside), 30, &pb.VerificationRow{Timestamp: 30, VerificationType: 1})
	s.tombstone(schema.VerificationKey(alice, given), 31)
	s.member(schema.LinkKey(alice, follow, bob[:]), 32, &pb.LinkRow{Timestamp: 32})
	s.put(schema.LinkByTargetKey(follow, bob[:], alice), &pb.LinkRow{Timestamp: 32})
	s.member(schema.LinkKey(alice, star, removed[:]), 33, &pb.LinkRow{Timestamp: 33})
	s.put(schema.LinkByTargetKey(star, removed[:], alice), &pb.LinkRow{Timestamp: 33})
	s.member(schema.ReactionKey(alice, like, fork, four), 34, &pb.ReactionRow{Timestamp: 34})
	s.put(schema.ReactionByTargetKey(like, fork, four, alice), &pb.ReactionRow{Timestamp: 34})
	s.marker(schema.LinkKey(alice, follow, carol[:]), 2)
	for counter, count := range map[schema.Counter]uint32{
		schema.CounterVerifications: 1, schema.CounterVerifications.Tombstones(): 1, schema.CounterLinks: 2, schema.CounterLinks.Markers(): 1,
		schema.CounterReactions: 1,
	} {
		s.put(schema.CounterKey(alice, counter), &pb.CounterRow{Count: count})
	}
}

// TestGoodState checks that a valid state with a row of every kind, and an empty one, have no findings.
//
// Rules: I3, I4, I5, I6, I7, I9, P7.1, P7.2.
func TestGoodState(t *testing.T) {
	t.Parallel()
	kinds := map[byte]bool{}
	for key := range good() {
		kinds[key[0]] = true
	}
	for p := schema.PrefixTombstone; p <= schema.LastPrefix; p++ {
		if !kinds[byte(p)] && (p.Merkleized() || p == schema.PrefixAge || p == schema.PrefixMergeRequestPair) {
			t.Errorf("the valid state has no row with prefix %#x", byte(p))
		}
	}
	for _, s := range []state{{}, good()} {
		report, err := Check(s)
		if err != nil {
			t.Fatal(err)
		}
		if !report.Clean() || report.Rows != len(s) {
			t.Errorf("%d rows in, report:\n%s", len(s), report)
		}
	}
}

type brokenView struct{ state }

var errDisk = errors.New("disk on fire")

func (brokenView) Get([]byte) ([]byte, error) { return nil, errDisk }

type unorderedView struct{ state }

func (unorderedView) Scan(_, _ []byte, fn func(key, value []byte) bool) error {
	_ = fn([]byte{5}, []byte{1}) && fn([]byte{4}, []byte{1})
	return nil
}

// TestUnreadable checks that a failed read is an error and not a finding.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	if report, err := Check(brokenView{good()}); !errors.Is(err, errDisk) || report != nil {
		t.Errorf("report %v, error %v", report, err)
	}
	if report, err := Check(unorderedView{good()}); err == nil || report != nil {
		t.Errorf("rows out of order: report %v, error %v", report, err)
	}
}
