package fsck

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// damage is one change that makes the valid state inconsistent.
type damage struct {
	name string
	do   func(s state)
	want []Class // exactly the classes that must be found
	text string  // part of the text of a finding
}

// TestBrokenState damages the valid state in one place at a time, and checks that exactly the expected classes are found.
//
// Rules: I3, I4, I5, I6, I7, I9, I11, P7.1, P7.2.
func TestBrokenState(t *testing.T) {
	t.Parallel()
	for _, table := range [][]damage{keyDamage(), countDamage(), reverseDamage(), accountDamage(), projectDamage(), removalDamage(), closedDamage(), commitDamage(), derivedDamage(), validatorDamage(), settlementDamage(), rulesDamage(), boundsDamage()} {
		for _, d := range table {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				s := good()
				d.do(s)
				report, err := Check(s)
				if err != nil {
					t.Fatal(err)
				}
				var got []Class
				for _, f := range report.Findings {
					if !slices.Contains(got, f.Class) {
						got = append(got, f.Class)
					}
					if len(f.Key) == 0 || f.Text == "" {
						t.Errorf("finding %+v does not name a row", f)
					}
				}
				slices.Sort(got)
				slices.Sort(d.want)
				if !slices.Equal(got, d.want) || !strings.Contains(report.String(), d.text) {
					t.Errorf("want %v with %q, report:\n%s", d.want, d.text, report)
				}
			})
		}
	}
}

func keyDamage() []damage {
	refMarker := append([]byte{byte(schema.PrefixPruneMarker)}, schema.RefKey(original, main)...)
	accountStone := append([]byte{byte(schema.PrefixTombstone)}, aliceKey...)
	return []damage{
		{"unknown prefix", func(s state) { s["\x02row"] = []byte{1} }, []Class{BadKey}, "prefix"},
		{"key too long", func(s state) { s[string(aliceKey)+"x"] = []byte{1} }, []Class{BadKey, OverBounds}, "too many"},
		{"tombstone of an account", func(s state) { s.put(accountStone, &pb.TombstoneRow{Timestamp: 1}) }, []Class{BadKey}, "refers to no row"},
		{"prune marker of a ref", func(s state) { s.put(refMarker, &pb.PruneMarkerRow{Timestamp: 1}) }, []Class{BadKey}, "refers to no row"},
		{"counter of no kind", func(s state) { s.put(schema.CounterKey(alice, 9), &pb.CounterRow{Count: 1}) }, []Class{BadKey}, "0x9"},
		{"following oneself", func(s state) {
			s.member(schema.LinkKey(alice, follow, alice[:]), 32, &pb.LinkRow{Timestamp: 32})
			s.put(schema.LinkByTargetKey(follow, alice[:], alice), &pb.LinkRow{Timestamp: 32})
			s.put(schema.CounterKey(alice, schema.CounterLinks), &pb.CounterRow{Count: 3})
		}, []Class{BadKey}, "itself"},
		{"empty value", func(s state) { s[string(schema.ClaimKey(ended))] = []byte{} }, []Class{BadValue}, "empty"},
		{"value does not decode", func(s state) { s[string(schema.ClaimKey(ended))] = []byte{0xFF} }, []Class{BadValue}, "decode"},
		{"value with a long varint", func(s state) {
			s[string(schema.AccountMetadataKey(alice, 1))] = []byte{0x08, 0x84, 0x00}
		}, []Class{BadValue}, "not canonical"},
		{"value with an unknown field", func(s state) {
			s[string(schema.AccountMetadataKey(alice, 1))] = []byte{0x08, 0x04, 0x78, 0x01}
		}, []Class{BadValue}, "unknown fields"},
		{"field of a wrong size", func(s state) { s.put(schema.ClaimKey(ended), &pb.ClaimRow{OwnerAddress: []byte{1}}) }, []Class{BadValue}, "want 20"},
		{"unknown permission", func(s state) {
			change(s, schema.CollaboratorKey(original, bob), func(r *pb.CollaboratorRow) { r.Permission = 4 })
		}, []Class{BadValue}, "permission 4"},
		{"no timestamp", func(s state) { s.put(schema.AccountMetadataKey(alice, 1), &pb.AccountMetadataRow{Value: "x"}) }, []Class{BadValue}, "timestamp is 0"},
		{"visibility of no kind", func(s state) {
			change(s, schema.ProjectMetadataKey(fork, visibilityField), func(r *pb.ProjectMetadataRow) { r.Value = "secret" })
		}, []Class{BadValue}, "secret"},
		{"owner collaborates", func(s state) {
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.CollaboratorCount++ })
			s.member(schema.CollaboratorKey(original, alice), 22, &pb.CollaboratorRow{Timestamp: 22})
		}, []Class{BadValue}, "both the owner"},
	}
}

// countDamage changes every count.
func countDamage() []damage {
	account := func(name string, edit func(*pb.AccountRow)) damage {
		return damage{name, func(s state) { change(s, bobKey, edit) }, []Class{WrongCount}, name}
	}
	project := func(name string, edit func(*pb.ProjectRow)) damage {
		return damage{name, func(s state) { change(s, schema.ProjectKey(original), edit) }, []Class{WrongCount}, name}
	}
	table := []damage{
		account("project_count", func(r *pb.AccountRow) { r.ProjectCount++ }),
		account("key_count", func(r *pb.AccountRow) { r.KeyCount++ }),
		account("merge_request_count", func(r *pb.AccountRow) { r.MergeRequestCount++ }),
		project("ref_count", func(r *pb.ProjectRow) { r.RefCount++ }),
		project("ref_tombstone_count", func(r *pb.ProjectRow) { r.RefTombstoneCount++ }),
		project("commit_count", func(r *pb.ProjectRow) { r.CommitCount++ }),
		project("collaborator_count", func(r *pb.ProjectRow) { r.CollaboratorCount++ }),
		project("collaborator_tombstone_count", func(r *pb.ProjectRow) { r.CollaboratorTombstoneCount++ }),
		project("content_count", func(r *pb.ProjectRow) { r.ContentCount++ }),
		project("closed_merge_request_count", func(r *pb.ProjectRow) { r.ClosedMergeRequestCount++ }),
		project("merge_request_count", func(r *pb.ProjectRow) { r.MergeRequestCount++ }),
		project("merge_request_tombstone_count", func(r *pb.ProjectRow) { r.MergeRequestTombstoneCount++ }),
		{"account gone", func(s state) { s.drop(bobKey) }, []Class{WrongCount, OverBounds}, "no account row"},
		{"too many refs", func(s state) {
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.RefCount = 5_002 })
			for i := range 5_001 {
				s.put(schema.RefKey(original, fmt.Append(nil, "r", i)), &pb.RefRow{Timestamp: 20, Hash: one[:], Nonce: 1, Floor: 20})
			}
		}, []Class{OverLimit}, "at most 5000"},
		{"too many contents", func(s state) {
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.ContentCount = 2_001 })
			for i := range 2_000 {
				s.put(schema.ContentKey(original, ident.Hash{0x42, byte(i >> 8), byte(i)}), &pb.ContentRow{BlockNumber: 1})
			}
		}, []Class{OverLimit}, "at most 2000"},
		{"too many keys", func(s state) {
			change(s, aliceKey, func(r *pb.AccountRow) { r.KeyCount, r.CustodyNonce = 1_001, 1_003 })
			for i := range 1_000 {
				k := ident.PublicKey{0x42, byte(i >> 8), byte(i)}
				s.put(schema.DelegatedKeyKey(alice, k), &pb.DelegatedKeyRow{AddedAt: 5, RequestOwnerAddress: alice[:]})
				s.put(schema.KeyOwnerKey(k), &pb.KeyOwnerRow{OwnerAddress: alice[:]})
			}
		}, []Class{OverLimit}, "at most 1000"},
	}
	for _, counter := range []schema.Counter{
		schema.CounterLinks, schema.CounterReactions, schema.CounterVerifications, schema.CounterVerifications.Tombstones(),
	} {
		table = append(table,
			damage{"counter off", func(s state) {
				change(s, schema.CounterKey(alice, counter), func(r *pb.CounterRow) { r.Count++ })
			}, []Class{WrongCount}, "count is"},
			damage{"counter gone", func(s state) { s.drop(schema.CounterKey(alice, counter)) }, []Class{WrongCount}, "no counter"})
	}
	return table
}

func reverseDamage() []damage {
	gone := func(name string, key []byte, text string) damage {
		return damage{name, func(s state) { s.drop(key) }, []Class{BadReverseRow}, text}
	}
	return []damage{
		gone("link by target gone", schema.LinkByTargetKey(follow, bob[:], alice), "missing"),
		gone("reaction by target gone", schema.ReactionByTargetKey(like, fork, four, alice), "missing"),
		gone("key owner gone", schema.KeyOwnerKey(key), "does not name account"),
		gone("merge request by requester gone", openReverse, "under requester").and(WrongCount, BadDerived),
		{"stray link by target", func(s state) {
			s.put(schema.LinkByTargetKey(star, fork[:], bob), &pb.LinkRow{Timestamp: 1})
		}, []Class{BadReverseRow}, "missing"},
		{"stray reaction by target", func(s state) {
			s.put(schema.ReactionByTargetKey(like, fork, four, bob), &pb.ReactionRow{Timestamp: 1})
		}, []Class{BadReverseRow}, "missing"},
		{"stray key owner", func(s state) { s.put(schema.KeyOwnerKey(ident.PublicKey{9}), &pb.KeyOwnerRow{OwnerAddress: bob[:]}) }, []Class{BadReverseRow}, "does not have the key"},
		{"one key, two accounts", func(s state) {
			s.put(schema.DelegatedKeyKey(bob, key), &pb.DelegatedKeyRow{AddedAt: 5, RequestOwnerAddress: bob[:]})
			change(s, bobKey, func(r *pb.AccountRow) { r.KeyCount, r.CustodyNonce = 1, 1 })
		}, []Class{BadReverseRow}, "does not name account"},
		{"stray merge request by requester", func(s state) {
			s.put(schema.MergeRequestByRequesterKey(bob, original, closed), &pb.MergeRequestByRequesterRow{Timestamp: 1})
			s.put(openPair, &pb.CounterRow{Count: 2})
			change(s, bobKey, func(r *pb.AccountRow) { r.MergeRequestCount++ })
		}, []Class{BadReverseRow}, "has no merge request"},
		{"other timestamp by target", func(s state) {
			s.put(schema.LinkByTargetKey(follow, bob[:], alice), &pb.LinkRow{Timestamp: 31})
		}, []Class{BadReverseRow}, "its reverse row"},
		{"other timestamp by requester", func(s state) { s.put(openReverse, &pb.MergeRequestByRequesterRow{Timestamp: 23}) }, []Class{BadReverseRow}, "is 23"},
	}
}

// and adds classes to the expected ones.
func (d damage) and(also ...Class) damage {
	d.want = append(slices.Clone(d.want), also...)
	return d
}

func derivedDamage() []damage {
	link := schema.LinkKey(alice, follow, bob[:])
	return []damage{
		{"age of an entry gone", func(s state) { s.drop(schema.AgeKey(link, 32)) }, []Class{BadDerived}, "is missing"},
		{"age of a tombstone gone", func(s state) { s.drop(schema.AgeKey(schema.TombstoneKey(schema.VerificationKey(alice, given)), 31)) }, []Class{BadDerived}, "is missing"},
		{"age of a prune marker gone", func(s state) {
			s.drop(schema.AgeKey(schema.PruneMarkerKey(schema.LinkKey(alice, follow, carol[:])), 2))
		}, []Class{BadDerived}, "is missing"},
		{"age of a closed merge request gone", func(s state) {
			s.drop(closedAge)
			change(s, bobKey, func(r *pb.AccountRow) { r.MergeRequestTombstoneCount = 0 })
		}, []Class{BadDerived}, "is missing"},
		{"age of a commit gone", func(s state) { s.drop(schema.CommitAgeKey(original, 1, one)) }, []Class{BadDerived}, "is missing"},
		{"stray age", func(s state) { s[string(schema.AgeKey(link, 31))] = schema.Present }, []Class{BadDerived}, "there is no row"},
		{"stray age of a commit", func(s state) { s[string(schema.CommitAgeKey(original, 2, one))] = schema.Present }, []Class{BadDerived}, "not its own"},
		{"age with a value", func(s state) { s[string(schema.AgeKey(link, 32))] = []byte{2} }, []Class{BadDerived}, "want 01"},
		{"age of no set", func(s state) { s["\x18\x04"+string(alice[:])] = schema.Present }, []Class{BadKey}, "no set"},
		{"age of a commit cut short", func(s state) { s["\x18\x0E"] = schema.Present }, []Class{BadKey}, "age row of a commit"},
		{"removed project not listed", func(s state) { s.drop(schema.RemovedProjectKey(removed)) }, []Class{BadDerived}, "is missing"},
		{"project listed as removed", func(s state) { s[string(schema.RemovedProjectKey(fork))] = schema.Present }, []Class{BadDerived}, "not removed"},
		{"swept project listed", func(s state) { s[string(schema.RemovedProjectKey(swept))] = schema.Present }, []Class{BadDerived}, "is swept"},
		{"removed project cut short", func(s state) { s["\x18\x0A"] = schema.Present }, []Class{BadKey}, "removed project"},
		{"age of a merged request gone", func(s state) { s.drop(mergedAge) }, []Class{BadDerived}, "is missing"},
		{"merged request not listed", func(s state) { s.drop(mergedBy) }, []Class{BadDerived}, "is missing"},
		{"stray age of a closed request", func(s state) { s[string(schema.ClosedAgeKey(original, 7, merged))] = schema.Present }, []Class{BadDerived}, "no closed"},
		{"request listed for another", func(s state) {
			s[string(schema.ClosedByRequesterKey(alice, 6, original, merged))] = schema.Present
		}, []Class{BadDerived}, "no closed"},
		{"listed request that is gone", func(s state) {
			s[string(schema.ClosedByRequesterKey(bob, 6, original, closed))] = schema.Present
		}, []Class{BadDerived}, "no closed"},
		{"age of a closed request cut short", func(s state) { s["\x18\x1E"] = schema.Present }, []Class{BadKey}, "closed merge request"},
		{"list of closed requests cut short", func(s state) { s["\x18\x1C"] = schema.Present }, []Class{BadKey}, "closed merge request"},
		{"pair gone", func(s state) { s.drop(openPair) }, []Class{BadDerived}, "is missing"},
		{"pair off", func(s state) { s.put(openPair, &pb.CounterRow{Count: 2}) }, []Class{BadDerived}, "count is 2"},
		{"stray pair", func(s state) { s.put(schema.MergeRequestPairKey(alice, fork), &pb.CounterRow{Count: 1}) }, []Class{BadDerived}, "there are 0"},
		{"pair cut short", func(s state) { s.put(openPair[:30], &pb.CounterRow{Count: 1}) }, []Class{BadKey}, "30 bytes"},
	}
}

// TestManyFindings checks that the number of findings is bounded and the others are counted.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	s := state{}
	const bad = MaxFindings + 10
	for i := range bad {
		s[string([]byte{0x01, byte(i >> 8), byte(i)})] = []byte{1}
	}
	report, err := Check(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != MaxFindings || report.Dropped != 10 || !strings.Contains(report.String(), "and 10 more") {
		t.Errorf("%d findings, %d dropped", len(report.Findings), report.Dropped)
	}
	if !bytes.Equal(report.Findings[0].Key, []byte{1, 0, 0}) {
		t.Errorf("the first finding names row %x", report.Findings[0].Key)
	}
}
