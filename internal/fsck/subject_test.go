package fsck

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

func accountDamage() []damage {
	account := func(name string, edit func(*pb.AccountRow), class Class, text string) damage {
		return damage{name, func(s state) { change(s, aliceKey, edit) }, []Class{class}, text}
	}
	custodyKey := func(name string, edit func(*pb.CustodyKeyRow), text string) damage {
		return damage{name, func(s state) { change(s, custodyRow(), edit) }, []Class{BadCustody}, text}
	}
	return []damage{
		account("nonce went back", func(r *pb.AccountRow) { r.CustodyNonce = 2 }, BadCustody, "at least 3"),
		custodyKey("revoked without a time", func(r *pb.CustodyKeyRow) { r.RevokedAt = 0 }, "revoked_at is 0"),
		custodyKey("active with a time of revocation", func(r *pb.CustodyKeyRow) {
			r.Status = pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE
		}, "revoked_at is 7"),
		custodyKey("admin key that expires", func(r *pb.CustodyKeyRow) { r.ExpiresAt = 99 }, "expiry 99"),
		custodyKey("no such point", func(r *pb.CustodyKeyRow) { r.PublicKey = r.GetPublicKey()[:63] }, "public_key"),
		{"custody key under another id", func(s state) {
			s[string(schema.CustodyKeyKey(alice, bob))] = s[string(custodyRow())]
			s.drop(custodyRow())
		}, []Class{BadCustody}, "derived from public_key"},
		{"root stored as custody key", func(s state) {
			root := passkey().KeyID()
			s[string(schema.CustodyKeyKey(root, root))] = s[string(custodyRow())]
			s.put(schema.AccountKey(root), &pb.AccountRow{CustodyNonce: 2, CustodyKeyCount: 1})
			change(s, aliceKey, func(r *pb.AccountRow) { r.CustodyKeyCount = 1 })
		}, []Class{BadCustody}, "root"},
		{"scope with allowed projects", func(s state) {
			change(s, schema.DelegatedKeyKey(alice, key), func(r *pb.DelegatedKeyRow) { r.AllowedProjects = [][]byte{fork[:]} })
		}, []Class{BadValue}, "allowed_projects"},
		{"username row gone", func(s state) { s.drop(schema.UsernameKey("alice")) }, []Class{BadUsername}, "does not name this account"},
		{"two holders", func(s state) {
			s.put(bobKey, &pb.AccountRow{
				Username: "alice", UsernameLastSetAt: 1, StorageUnits: 1, NextExpiry: 6_000, ProjectCount: 1, MergeRequestCount: 1,
				MergeRequestTombstoneCount: 1, GrantCount: 1, UnitsGranted: 1, ProjectsCreated: 1,
			})
			s.put(schema.StorageGrantKey(bob, 6_000, ended), &pb.StorageGrantRow{Units: 1, Actor: bob[:]})
		}, []Class{BadUsername}, "does not name this account"},
		{"stray username", func(s state) { s.put(schema.UsernameKey("bobby"), &pb.UsernameRow{OwnerAddress: bob[:]}) }, []Class{BadUsername}, "bobby"},
		{"username without storage", func(s state) {
			s.drop(aliceGrant)
			change(s, aliceKey, func(r *pb.AccountRow) { r.StorageUnits, r.NextExpiry, r.GrantCount = 0, 0, 0 })
		}, []Class{BadStorage}, "no stored grant"},
		account("custody key not counted", func(r *pb.AccountRow) { r.CustodyKeyCount = 0 }, WrongCount, "custody_key_count is 0"),
		account("closed merge request not counted", func(r *pb.AccountRow) { r.MergeRequestTombstoneCount = 1 }, WrongCount, "merge_request_tombstone_count is 1"),
		account("grant not counted", func(r *pb.AccountRow) { r.GrantCount = 2 }, WrongCount, "grant_count is 2"),
		account("units off", func(r *pb.AccountRow) { r.StorageUnits++ }, BadStorage, "storage_units is 3"),
		account("units granted off", func(r *pb.AccountRow) { r.UnitsGranted = 1 }, BadStorage, "units_granted is 1"),
		{"fewer created than there are", func(s state) {
			change(s, aliceKey, func(r *pb.AccountRow) { r.ProjectsCreated = 0 })
		}, []Class{WrongCount, OverBounds}, "projects_created is 0"},
		account("too many created", func(r *pb.AccountRow) { r.ProjectsCreated = 2_001 }, OverLimit, "at most 2000"),
		account("next expiry off", func(r *pb.AccountRow) { r.NextExpiry++ }, BadStorage, "next_expiry is 5001"),
		{"claim row gone", func(s state) { s.drop(schema.ClaimKey(used)) }, []Class{BadStorage}, "not recorded"},
		{"claim of another", func(s state) { s.put(schema.ClaimKey(used), &pb.ClaimRow{OwnerAddress: bob[:]}) }, []Class{BadStorage}, "not recorded"},
		{"grant without an account", func(s state) {
			s.put(schema.StorageGrantKey(carol, 6_000, ident.Hash{0x33}), &pb.StorageGrantRow{Units: 1, Actor: bob[:]})
			s.put(schema.ClaimKey(ident.Hash{0x33}), &pb.ClaimRow{OwnerAddress: carol[:]})
		}, []Class{BadStorage}, "no account row"},
		{"grant of nothing", func(s state) {
			change(s, aliceGrant, func(r *pb.StorageGrantRow) { r.Units = 0 })
			change(s, aliceKey, func(r *pb.AccountRow) { r.StorageUnits = 0 })
		}, []Class{BadValue, BadStorage}, "units is 0"},
	}
}

func projectDamage() []damage {
	return []damage{
		{"active and removed", func(s state) {
			s.tombstone(schema.CollaboratorKey(original, bob), 22)
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.CollaboratorTombstoneCount++ })
		}, []Class{BadTombstone}, "active"},
		{"ref active and removed", func(s state) {
			s.tombstone(schema.RefKey(original, main), 9)
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.RefTombstoneCount++ })
		}, []Class{BadTombstone}, "active"},
		{"active and pruned", func(s state) {
			s.marker(schema.CollaboratorKey(original, bob), 1)
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.CollaboratorMarkerCount++ })
		}, []Class{BadTombstone}, "active"},
		{"removed and pruned", func(s state) {
			s.marker(schema.CollaboratorKey(original, carol), 1)
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.CollaboratorMarkerCount++ })
		}, []Class{BadTombstone}, "a tombstone"},
		{"pruned merge request", func(s state) { s.put(schema.PruneMarkerKey(openKey), &pb.PruneMarkerRow{Timestamp: 1}) }, []Class{BadKey}, "prune marker"},
		{"rows of no project", func(s state) { s.marker(schema.CollaboratorKey(ident.Hash{9}, bob), 1) }, []Class{Orphan}, "does not exist"},
		{"collaborator that can be pruned without an age", func(s state) {
			change(s, schema.CollaboratorKey(original, ident.Address{0xEE}), func(r *pb.CollaboratorRow) { r.Permission = pb.Permission_PERMISSION_ADMIN })
		}, []Class{BadDerived}, "is missing"},
		{"collaborator that cannot be pruned with an age", func(s state) {
			change(s, schema.CollaboratorKey(original, bob), func(r *pb.CollaboratorRow) { r.Permission = pb.Permission_PERMISSION_OWNER })
		}, []Class{BadDerived}, "there is no row"},
		{"closed merge request of nobody", func(s state) {
			change(s, closedKey, func(r *pb.TombstoneRow) { r.RequesterOwnerAddress = nil })
		}, []Class{BadValue, WrongCount, BadDerived}, "requester_owner_address has 0 bytes"},
		{"removed ref with a requester", func(s state) {
			change(s, schema.TombstoneKey(schema.RefKey(original, gone)), func(r *pb.TombstoneRow) { r.RequesterOwnerAddress = bob[:] })
		}, []Class{BadValue}, "want 0"},
		{"too many ref rows", func(s state) {
			for i := range maxRefRows {
				s.tombstone(schema.RefKey(original, []byte{byte(i >> 8), byte(i), 1}), 9)
			}
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.RefTombstoneCount += maxRefRows })
		}, []Class{OverLimit}, "at most 10000"},
		{"project without a visibility", func(s state) { s.drop(schema.ProjectMetadataKey(fork, visibilityField)) }, []Class{Orphan}, "VISIBILITY"},
		{"name row gone", func(s state) {
			s.drop(schema.ProjectNameKey(bob, "tool"))
			change(s, bobKey, func(r *pb.AccountRow) { r.ProjectCount = 0 })
		}, []Class{BadName}, "does not name this project"},
		{"name row of a removed project", func(s state) {
			s.put(schema.ProjectNameKey(alice, "old"), &pb.ProjectNameRow{ProjectId: removed[:]})
			change(s, aliceKey, func(r *pb.AccountRow) { r.ProjectCount++ })
		}, []Class{BadName}, "removed"},
		{"second name of a project", func(s state) {
			s.put(schema.ProjectNameKey(alice, "tool2"), &pb.ProjectNameRow{ProjectId: original[:]})
			change(s, aliceKey, func(r *pb.AccountRow) { r.ProjectCount++ })
		}, []Class{BadName}, "whose name is"},
		{"name of another's project", func(s state) {
			s.put(schema.ProjectNameKey(alice, "tool2"), &pb.ProjectNameRow{ProjectId: fork[:]})
			change(s, aliceKey, func(r *pb.AccountRow) { r.ProjectCount++ })
		}, []Class{BadName}, "of account"},
		{"name of no project", func(s state) {
			s.put(schema.ProjectNameKey(alice, "tool2"), &pb.ProjectNameRow{ProjectId: one[:]})
			change(s, aliceKey, func(r *pb.AccountRow) { r.ProjectCount++ })
		}, []Class{Orphan}, "does not exist"},
		{"fork of another source", func(s state) {
			change(s, schema.ProjectKey(fork), func(r *pb.ProjectRow) { r.ForkSource = removed[:] })
		}, []Class{BadLineage}, "fork_source"},
		{"merge request without lineage", func(s state) {
			change(s, openKey, func(r *pb.MergeRequestRow) { r.SourceProjectId = removed[:] })
		}, []Class{BadLineage}, "is not a fork"},
		{"lineage too long", longLineage, []Class{BadLineage, OverBounds}, "within 256"},
		{"ref at no commit", func(s state) {
			change(s, schema.RefKey(original, main), func(r *pb.RefRow) { r.Hash = original[:] })
		}, []Class{BadRef}, "does not exist in the project"},
		{"ref without a nonce", func(s state) { change(s, schema.RefKey(original, main), func(r *pb.RefRow) { r.Nonce = 0 }) }, []Class{BadRef}, "nonce"},
		{"ref older than its name", func(s state) {
			change(s, schema.RefKey(original, main), func(r *pb.RefRow) { r.Floor = 21 })
		}, []Class{BadRef}, "earlier than 21"},
	}
}

func closedDamage() []damage {
	edit := func(name string, edit func(*pb.ClosedMergeRequestRow), text string) damage {
		return damage{name, func(s state) { change(s, mergedKey, edit) }, []Class{BadValue}, text}
	}
	outcome := func(name string, outcome pb.MergeRequestOutcome, text string) damage {
		return edit(name, func(r *pb.ClosedMergeRequestRow) { r.Outcome, r.MergeCommit, r.ReplacedBy = outcome, nil, nil }, text)
	}
	return []damage{
		edit("closed without a block", func(r *pb.ClosedMergeRequestRow) { r.BlockNumber = 0 }, "block_number is 0").and(BadDerived),
		edit("closed before it was opened", func(r *pb.ClosedMergeRequestRow) { r.ClosedAt = 10 }, "earlier than added_at"),
		edit("closed and never opened", func(r *pb.ClosedMergeRequestRow) { r.AddedAt = 0 }, "added_at is 0"),
		edit("closed by nobody", func(r *pb.ClosedMergeRequestRow) { r.CloserOwnerAddress = nil }, "closer_owner_address"),
		edit("requested by nobody", func(r *pb.ClosedMergeRequestRow) { r.RequesterOwnerAddress = nil }, "requester_owner_address").and(BadDerived),
		edit("replaces half an id", func(r *pb.ClosedMergeRequestRow) { r.Replaces = one[:16] }, "replaces has 16 bytes"),
		edit("merged nowhere", func(r *pb.ClosedMergeRequestRow) { r.MergeCommit = nil }, "merge_commit has 0 bytes"),
		edit("merged and replaced", func(r *pb.ClosedMergeRequestRow) { r.ReplacedBy = one[:] }, "replaced_by has 32 bytes"),
		outcome("closed without an outcome", 0, "outcome is not set"),
		outcome("closed with an unknown outcome", 9, "outcome 9"),
		outcome("withdrawn by another", pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_WITHDRAWN, "did not close it"),
		outcome("superseded by nothing", pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_SUPERSEDED, "replaced_by has 0 bytes"),
		{"closed and open", func(s state) {
			s[string(schema.ClosedMergeRequestKey(original, request))] = s[string(mergedKey)]
			s[string(schema.ClosedAgeKey(original, 6, request))] = schema.Present
			s[string(schema.ClosedByRequesterKey(bob, 6, original, request))] = schema.Present
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.ClosedMergeRequestCount++ })
		}, []Class{BadTombstone}, "closed and open"},
		{"closed request of no project", func(s state) {
			s[string(schema.ClosedMergeRequestKey(ident.Hash{9}, merged))] = s[string(mergedKey)]
			s[string(schema.ClosedAgeKey(ident.Hash{9}, 6, merged))] = schema.Present
			s[string(schema.ClosedByRequesterKey(bob, 6, ident.Hash{9}, merged))] = schema.Present
		}, []Class{Orphan}, "does not exist"},
	}
}

func removalDamage() []damage {
	return []damage{
		{"content without a block", func(s state) {
			change(s, schema.ContentKey(original, pack), func(r *pb.ContentRow) { r.BlockNumber = 0 })
		}, []Class{BadValue}, "block_number is 0"},
		{"content of no project", func(s state) { s.put(schema.ContentKey(ident.Hash{9}, pack), &pb.ContentRow{BlockNumber: 1}) }, []Class{Orphan}, "does not exist"},
		{"swept but not removed", func(s state) {
			change(s, schema.ProjectKey(fork), func(r *pb.ProjectRow) { r.Swept = true })
		}, []Class{BadRemoval}, "not removed"},
		{"swept with metadata", func(s state) {
			s.put(schema.ProjectMetadataKey(swept, nameField), &pb.ProjectMetadataRow{Timestamp: 9, Value: "x"})
		}, []Class{BadRemoval}, "has 1 rows"},
		{"swept with content", func(s state) {
			s.put(schema.ContentKey(swept, pack), &pb.ContentRow{BlockNumber: 1})
			change(s, schema.ProjectKey(swept), func(r *pb.ProjectRow) { r.ContentCount = 1 })
		}, []Class{BadRemoval}, "has 1 rows"},
	}
}

// longLineage adds a merge request from a fork that is one level too deep.
func longLineage(s state) {
	last := original
	for i := range maxForkDepth + 1 {
		id := ident.Hash{0x77, byte(i >> 8), byte(i)}
		s.project(id, alice, "fork", &pb.ProjectRow{ForkSource: last[:], Status: pb.ProjectStatus_PROJECT_STATUS_REMOVED})
		s.put(schema.ForkParentKey(id), &pb.ForkParentRow{SourceProjectId: last[:], SourceCommitHash: one[:]})
		last = id
	}
	s.drop(schema.ProjectNameKey(alice, "fork"))
	change(s, openKey, func(r *pb.MergeRequestRow) { r.SourceProjectId = last[:] })
}

func commitDamage() []damage {
	edit := func(name string, commit ident.Hash, edit func(*pb.CommitRow), text string) damage {
		return damage{name, func(s state) { change(s, schema.CommitKey(original, commit), edit) }, []Class{BadCommit}, text}
	}
	return []damage{
		edit("root with a depth", one, func(r *pb.CommitRow) { r.JumpDepth = 1 }, "without parents"),
		edit("generation too high", five, func(r *pb.CommitRow) { r.Generation = 6 }, "is 6"),
		edit("generation too low", five, func(r *pb.CommitRow) { r.Generation = 4 }, "are inconsistent"),
		edit("depth off", five, func(r *pb.CommitRow) { r.Depth, r.Generation = 5, 6 }, "depth is 5"),
		edit("no jump", five, func(r *pb.CommitRow) { r.Jump = nil }, "are inconsistent"),
		edit("jump too short", four, func(r *pb.CommitRow) { r.Jump, r.JumpDepth = three[:], 2 }, "the jump is"),
		edit("jump too long", five, func(r *pb.CommitRow) { r.Jump, r.JumpDepth = one[:], 0 }, "the jump is"),
		{"parent gone", func(s state) {
			s.drop(schema.CommitKey(original, two), schema.CommitAgeKey(original, 1, two))
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.CommitCount-- })
		}, []Class{BadCommit}, "was pruned"},
		{"parent pruned", func(s state) {
			s.drop(schema.CommitKey(original, two), schema.CommitAgeKey(original, 1, two))
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.CommitCount, r.PrunedBundleTimestamp = 4, 10 })
		}, nil, "0 findings"},
		{"parent pruned and declared anew", func(s state) {
			s.drop(schema.CommitAgeKey(original, 1, two))
			s.commit(original, two, &pb.CommitRow{BlockNumber: 9, Generation: 1})
			change(s, schema.ProjectKey(original), func(r *pb.ProjectRow) { r.PrunedBundleTimestamp = 10 })
		}, nil, "0 findings"},
	}
}
