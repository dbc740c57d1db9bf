package node_test

import (
	"bytes"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
	"makechain/proof"
)

// proven is the state of an idle chain with its certified root.
type proven struct {
	*scenario

	root   ident.Hash
	number uint64 // of the block whose state it is
}

// readProofs reads every kind of proof and verifies it up to the validators' signatures.
func (s *scenario) readProofs(t *testing.T) {
	number := awaitIdle(t, s.Client)
	// The empty block at the end does not change the root (P6.6), and certifies that of the block before it.
	p := &proven{scenario: s, root: certified(t, s.Client, trustIn(t, s.Home()), number-1), number: number}
	rows := p.allRows(t)
	entries := nodetest.Call(t, s.GetChainStats, &pb.GetChainStatsRequest{}).GetStateEntries()
	if len(rows) != int(entries) {
		t.Errorf("%d rows in range proofs, the state has %d", len(rows), entries)
	}
	for _, row := range rows {
		p.presence(t, row)
		p.absence(t, append(bytes.Clone(row.GetKey()), 0))
	}
	p.memberships(t)
	p.quotas(t)
	p.project(t)
	for _, key := range [][]byte{{}, {0x02, 1}, {0x80, 1}} {
		nodetest.MustFail(t, s.GetOperationProof, &pb.GetOperationProofRequest{Key: key}, connect.CodeInvalidArgument)
	}
}

// project verifies the compact proofs of a project and of its contents.
func (p *proven) project(t *testing.T) {
	t.Helper()
	got := nodetest.Call(t, p.GetProjectProof, &pb.GetProjectProofRequest{ProjectId: p.hello[:]})
	contents := nodetest.Call(t, p.ListContent, &pb.ListContentRequest{ProjectId: p.hello[:]})
	for _, list := range []struct {
		name   string
		prefix []byte
		proof  *pb.CompactRangeProof
		rows   int
	}{
		{"project", schema.ProjectKey(p.hello), got.GetProject(), 1},
		{"metadata", schema.ProjectMetadataPrefix(p.hello), got.GetMetadata(), 4},
		{"fork parent", schema.ForkParentKey(p.hello), got.GetForkParent(), 0},
		{"refs", schema.RefKey(p.hello, nil), got.GetRefs(), 3},
		{"contents", schema.ContentPrefix(p.hello), contents.GetContents(), 5},
	} {
		if err := proof.VerifyCompactRange(p.root, list.prefix, nil, true, list.proof); err != nil || len(list.proof.GetRows()) != list.rows {
			t.Errorf("%s: %d rows, want %d: %v", list.name, len(list.proof.GetRows()), list.rows, err)
		}
	}
}

// allRows reads the whole state with range proofs.
func (p *proven) allRows(t *testing.T) []*pb.RangeProofEntry {
	t.Helper()
	var rows []*pb.RangeProofEntry
	for prefix := schema.PrefixTombstone; prefix <= schema.LastPrefix; prefix++ {
		if !prefix.Merkleized() {
			nodetest.MustFail(t, p.GetRangeProof, &pb.GetRangeProofRequest{Prefix: []byte{byte(prefix)}}, connect.CodeInvalidArgument)
			continue
		}
		request := &pb.GetRangeProofRequest{Prefix: []byte{byte(prefix)}, Limit: 20}
		for done := false; !done; {
			page := nodetest.Call(t, p.GetRangeProof, request)
			if err := proof.VerifyRange(p.root, request.GetPrefix(), request.GetCursor(), page); err != nil {
				t.Fatalf("prefix %#x: %v", prefix, err)
			}
			if page.GetBlockNumber() != p.number {
				t.Errorf("prefix %#x: of block %d", prefix, page.GetBlockNumber())
			}
			rows = append(rows, page.GetEntries()...)
			request.Cursor, done = page.GetNextCursor(), page.GetComplete()
		}
	}
	return rows
}

// presence verifies an existence proof, here and with the node.
func (p *proven) presence(t *testing.T, row *pb.RangeProofEntry) {
	t.Helper()
	got := nodetest.Call(t, p.GetOperationProof, &pb.GetOperationProofRequest{Key: row.GetKey()})
	if err := proof.VerifyOperation(p.root, row.GetKey(), got.GetValue(), got.GetProof()); err != nil {
		t.Errorf("row %x: %v", row.GetKey(), err)
	}
	if !bytes.Equal(got.GetValue(), row.GetValue()) || got.GetBlockNumber() != p.number || !bytes.Equal(got.GetRoot(), p.root[:]) {
		t.Errorf("row %x: %v", row.GetKey(), got)
	}
	request := &pb.VerifyOperationProofRequest{Proof: got.GetProof(), Key: row.GetKey(), Root: got.GetRoot(), Value: got.GetValue()}
	if result := nodetest.Call(t, p.VerifyOperationProof, request); !result.GetValid() {
		t.Errorf("row %x: %s", row.GetKey(), result.GetError())
	}
	at := &pb.VerifyOperationProofAtBlockRequest{Proof: got.GetProof(), Key: row.GetKey(), BlockNumber: p.number, Value: got.GetValue()}
	if result := nodetest.Call(t, p.VerifyOperationProofAtBlock, at); !result.GetValid() {
		t.Errorf("row %x: %s", row.GetKey(), result.GetError())
	}
	at.BlockNumber = 1
	if result := nodetest.Call(t, p.VerifyOperationProofAtBlock, at); result.GetValid() || result.GetError() == "" {
		t.Errorf("row %x is proven for block 1, which has no rows", row.GetKey())
	}
	nodetest.MustFail(t, p.GetExclusionProof, &pb.GetExclusionProofRequest{Key: row.GetKey()}, connect.CodeFailedPrecondition)
}

// absence verifies a non-existence proof.
func (p *proven) absence(t *testing.T, key []byte) {
	t.Helper()
	got := nodetest.Call(t, p.GetExclusionProof, &pb.GetExclusionProofRequest{Key: key})
	if err := proof.VerifyExclusion(p.root, key, got.GetProof()); err != nil {
		t.Errorf("no row %x: %v", key, err)
	}
	request := &pb.VerifyExclusionProofRequest{Proof: got.GetProof(), Key: key, Root: got.GetRoot()}
	if result := nodetest.Call(t, p.VerifyExclusionProof, request); !result.GetValid() {
		t.Errorf("no row %x: %s", key, result.GetError())
	}
	at := &pb.VerifyExclusionProofAtBlockRequest{Proof: got.GetProof(), Key: key, BlockNumber: got.GetBlockNumber()}
	if result := nodetest.Call(t, p.VerifyExclusionProofAtBlock, at); !result.GetValid() {
		t.Errorf("no row %x: %s", key, result.GetError())
	}
	nodetest.MustFail(t, p.GetOperationProof, &pb.GetOperationProofRequest{Key: key}, connect.CodeNotFound)
}

// memberships verifies membership proofs of active, removed and absent set members.
func (p *proven) memberships(t *testing.T) {
	t.Helper()
	bob, carol, ethereum := p.bob.Address(), p.carol.Address(), p.ethereum.KeyID()
	alice, follow, like := p.alice.Address(), byte(pb.LinkType_LINK_TYPE_FOLLOW), byte(pb.ReactionType_REACTION_TYPE_LIKE)
	for _, member := range []struct {
		name            string
		key             []byte
		active, removed bool
	}{
		{"collaborator", schema.CollaboratorKey(p.hello, bob), true, false},
		{"former collaborator", schema.CollaboratorKey(p.hello, carol), false, true},
		{"no collaborator", schema.CollaboratorKey(p.fork, carol), false, false},
		{"follow", schema.LinkKey(alice, follow, bob[:]), true, false},
		{"unfollowed", schema.LinkKey(alice, follow, carol[:]), false, true},
		{"like", schema.ReactionKey(bob, like, p.hello, p.commits[0].Hash), true, false},
		{"unliked", schema.ReactionKey(bob, like, p.hello, p.commits[1].Hash), false, true},
		{"verification", schema.VerificationKey(alice, ethereum[:]), true, false},
		{"merge request", schema.MergeRequestKey(p.hello, p.request), true, false},
		{"withdrawn", schema.MergeRequestKey(p.hello, p.withdrawn), false, true},
	} {
		answer := nodetest.Call(t, p.GetCompoundProof, &pb.GetCompoundProofRequest{Key: member.key})
		got, err := proof.VerifyCompound(p.root, member.key, answer)
		if err != nil || got.Active != member.active || got.Tombstoned != member.removed || answer.GetBlockNumber() != p.number {
			t.Errorf("%s: %+v, %v", member.name, got, err)
		}
	}
}

// quotas verifies the storage quotas of accounts, one of which has none.
func (p *proven) quotas(t *testing.T) {
	t.Helper()
	for owner, units := range map[ident.Address]uint32{p.alice.Address(): storageUnits, p.bob.Address(): storageUnits, p.carol.Address(): 0} {
		answer := nodetest.Call(t, p.GetStorageQuotaProof, &pb.GetStorageQuotaProofRequest{OwnerAddress: owner[:]})
		quota, err := proof.VerifyStorageQuota(p.root, owner, answer.GetAsOfUnixTime(), answer)
		if err != nil || quota.StorageUnits != units || quota.UsableStorageUnits != units || quota.MaxProjects != 10*units {
			t.Errorf("%s: %+v, %v", owner, quota, err)
		}
		result := nodetest.Call(t, p.VerifyStorageQuotaProof, &pb.VerifyStorageQuotaProofRequest{QuotaProof: answer})
		if !result.GetValid() {
			t.Errorf("%s: %s", owner, result.GetError())
		}
	}
}
