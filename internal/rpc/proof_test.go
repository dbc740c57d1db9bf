package rpc_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
	"makechain/proof"
)

// TestProofs checks every kind of proof with the verifiers of package proof and the root of the block in the response.
//
// Rules: T3.1, T3.2, T3.3, T3.4, T3.5.
func TestProofs(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	rootOf := func(number uint64, claimed []byte) ident.Hash {
		t.Helper()
		root := get[*pb.GetBlockResponse](s.node, "GetBlock", &pb.GetBlockRequest{BlockNumber: number}).GetBlock().GetHeader().GetStateRoot()
		if number != s.blocks.Height() || !bytes.Equal(root, claimed) {
			t.Errorf("the response has block %d and root %x", number, claimed)
		}
		return ident.Hash(root)
	}
	project := schema.ProjectKey(s.hello)
	exists := get[*pb.GetOperationProofResponse](s.node, "GetOperationProof", &pb.GetOperationProofRequest{Key: project})
	if err := proof.VerifyOperation(rootOf(exists.GetBlockNumber(), exists.GetRoot()), project, exists.GetValue(), exists.GetProof()); err != nil {
		t.Error(err)
	}
	missing := schema.ProjectKey(s.one)
	absent := get[*pb.GetExclusionProofResponse](s.node, "GetExclusionProof", &pb.GetExclusionProofRequest{Key: missing})
	if err := proof.VerifyExclusion(rootOf(absent.GetBlockNumber(), absent.GetRoot()), missing, absent.GetProof()); err != nil {
		t.Error(err)
	}
	star := schema.LinkKey(s.bobby.Address, byte(pb.LinkType_LINK_TYPE_STAR), s.secret[:])
	buried := get[*pb.GetCompoundProofResponse](s.node, "GetCompoundProof", &pb.GetCompoundProofRequest{Key: star})
	member, err := proof.VerifyCompound(rootOf(buried.GetBlockNumber(), buried.GetRoot()), star, buried)
	if err != nil || member.Active {
		t.Errorf("the removed star: %+v, %v", member, err)
	}
	quota := get[*pb.GetStorageQuotaProofResponse](s.node, "GetStorageQuotaProof", &pb.GetStorageQuotaProofRequest{OwnerAddress: s.alice.Address[:]})
	if q, err := proof.VerifyStorageQuota(rootOf(quota.GetBlockNumber(), quota.GetRoot()), s.alice.Address, s.stamp(), quota); err != nil || q.UsableStorageUnits != 3 {
		t.Errorf("the quota of alice: %+v, %v", q, err)
	}
	var names []string
	req := &pb.GetRangeProofRequest{Prefix: schema.RefKey(s.hello, nil), Limit: 1}
	for complete := false; !complete; {
		page := get[*pb.GetRangeProofResponse](s.node, "GetRangeProof", req)
		if err := proof.VerifyRange(rootOf(page.GetBlockNumber(), page.GetRoot()), req.GetPrefix(), req.GetCursor(), page); err != nil {
			t.Fatal(err)
		}
		for _, entry := range page.GetEntries() {
			names = append(names, string(bytes.TrimPrefix(entry.GetKey(), req.GetPrefix())))
		}
		complete, req.Cursor = page.GetComplete(), page.GetNextCursor()
	}
	if !slices.Equal(names, []string{"main", "v1"}) {
		t.Errorf("the proven refs are %q", names)
	}
}

// TestProofKeys checks that keys outside of the state tree have no proofs.
//
// Rules: T3.6.
func TestProofKeys(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	for _, key := range [][]byte{nil, {0x00}, {0x02}, {0x18, 1}, {0x19, 1}, {byte(schema.LastPrefix) + 1}, {0x80}, bytes.Repeat([]byte{0x0D}, proof.MaxKeySize+1)} {
		s.expectError(t, "GetOperationProof", &pb.GetOperationProofRequest{Key: key}, connect.CodeInvalidArgument, "key: ")
		s.expectError(t, "GetExclusionProof", &pb.GetExclusionProofRequest{Key: key}, connect.CodeInvalidArgument, "key: ")
		s.expectError(t, "GetCompoundProof", &pb.GetCompoundProofRequest{Key: key}, connect.CodeInvalidArgument, "key: ")
		s.expectError(t, "GetRangeProof", &pb.GetRangeProofRequest{Prefix: key}, connect.CodeInvalidArgument, "prefix: ")
		s.expectError(t, "VerifyOperationProof", &pb.VerifyOperationProofRequest{Key: key}, connect.CodeInvalidArgument, "key: ")
		s.expectError(t, "VerifyExclusionProof", &pb.VerifyExclusionProofRequest{Key: key}, connect.CodeInvalidArgument, "key: ")
	}
	account := schema.AccountKey(s.alice.Address) // is in the root, and no member of a set
	s.expectError(t, "GetCompoundProof", &pb.GetCompoundProofRequest{Key: account}, connect.CodeInvalidArgument, "key: ")
}

// TestStaleProofs checks that proofs of an older root are not valid, whether or not they name it.
//
// Rules: T3.7.
func TestStaleProofs(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	present, missing := schema.ProjectKey(s.hello), schema.ProjectKey(s.one)
	exists := get[*pb.GetOperationProofResponse](s.node, "GetOperationProof", &pb.GetOperationProofRequest{Key: present})
	absent := get[*pb.GetExclusionProofResponse](s.node, "GetExclusionProof", &pb.GetExclusionProofRequest{Key: missing})
	quota := get[*pb.GetStorageQuotaProofResponse](s.node, "GetStorageQuotaProof", &pb.GetStorageQuotaProofRequest{OwnerAddress: s.alice.Address[:]})
	s.must()
	root := s.blocks.kept[s.blocks.Height()].GetBlock().GetHeader().GetStateRoot()
	type verification interface {
		GetValid() bool
		GetError() string
		GetRoot() []byte
	}
	fresh := get[*pb.GetOperationProofResponse](s.node, "GetOperationProof", &pb.GetOperationProofRequest{Key: present})
	for name, v := range map[string]verification{
		"good, and another root named": get[*pb.VerifyOperationProofResponse](s.node, "VerifyOperationProof", &pb.VerifyOperationProofRequest{
			Proof: fresh.GetProof(), Key: present, Value: fresh.GetValue(), Root: exists.GetRoot(),
		}),
		"operation, root named": get[*pb.VerifyOperationProofResponse](s.node, "VerifyOperationProof", &pb.VerifyOperationProofRequest{
			Proof: exists.GetProof(), Key: present, Value: exists.GetValue(), Root: exists.GetRoot(),
		}),
		"operation": get[*pb.VerifyOperationProofResponse](s.node, "VerifyOperationProof", &pb.VerifyOperationProofRequest{
			Proof: exists.GetProof(), Key: present, Value: exists.GetValue(),
		}),
		"exclusion, root named": get[*pb.VerifyExclusionProofResponse](s.node, "VerifyExclusionProof", &pb.VerifyExclusionProofRequest{
			Proof: absent.GetProof(), Key: missing, Root: absent.GetRoot(),
		}),
		"exclusion": get[*pb.VerifyExclusionProofResponse](s.node, "VerifyExclusionProof", &pb.VerifyExclusionProofRequest{
			Proof: absent.GetProof(), Key: missing,
		}),
		"quota": get[*pb.VerifyStorageQuotaProofResponse](s.node, "VerifyStorageQuotaProof", &pb.VerifyStorageQuotaProofRequest{QuotaProof: quota}),
	} {
		if v.GetValid() || !strings.Contains(v.GetError(), "root") || !bytes.Equal(v.GetRoot(), root) {
			t.Errorf("%s: %v, against %x", name, v, root)
		}
	}
}

// TestProofsAtBlocks checks that a proof is valid for its own block only.
//
// Rules: T3.7.
func TestProofsAtBlocks(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	height := s.blocks.Height()
	present, missing := schema.ProjectKey(s.hello), schema.ProjectKey(s.one)
	exists := get[*pb.GetOperationProofResponse](s.node, "GetOperationProof", &pb.GetOperationProofRequest{Key: present})
	absent := get[*pb.GetExclusionProofResponse](s.node, "GetExclusionProof", &pb.GetExclusionProofRequest{Key: missing})
	s.must(s.sign(s.alice, message.Star(s.mine)))
	for number := range s.blocks.Height() + 1 {
		operation := get[*pb.VerifyOperationProofAtBlockResponse](s.node, "VerifyOperationProofAtBlock", &pb.VerifyOperationProofAtBlockRequest{
			Proof: exists.GetProof(), Key: present, Value: exists.GetValue(), BlockNumber: number,
		})
		exclusion := get[*pb.VerifyExclusionProofAtBlockResponse](s.node, "VerifyExclusionProofAtBlock", &pb.VerifyExclusionProofAtBlockRequest{
			Proof: absent.GetProof(), Key: missing, BlockNumber: number,
		})
		want := number == height
		if operation.GetValid() != want || (operation.GetError() == "") != want || operation.GetBlockNumber() != number {
			t.Errorf("operation proof at block %d: %v", number, operation)
		}
		if exclusion.GetValid() != want || (exclusion.GetError() == "") != want || exclusion.GetBlockNumber() != number {
			t.Errorf("exclusion proof at block %d: %v", number, exclusion)
		}
	}
	s.blocks.prune(height)
	before := &pb.VerifyOperationProofAtBlockRequest{Proof: exists.GetProof(), Key: present, Value: exists.GetValue(), BlockNumber: height - 1}
	s.expectError(t, "VerifyOperationProofAtBlock", before, connect.CodeOutOfRange, "block_number")
}

// TestRootOfIdleChain checks that the root after the latest block is not certified unless the block is empty and has the
// root of its predecessor.
//
// Rules: P11.2.
func TestRootOfIdleChain(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	s.expectError(t, "GetFinalizedRoot", &pb.GetFinalizedRootRequest{BlockNumber: s.blocks.Height()}, connect.CodeUnavailable, "does not exist yet")
	s.must()
	s.next()
	height := s.blocks.Height()
	want := &pb.GetFinalizedRootResponse{
		BlockNumber: height - 1, StateRoot: s.blocks.kept[height].GetBlock().GetHeader().GetStateRoot(), LightBlock: fmt.Appendf(nil, "light block %d", height),
	}
	s.expectResponse(t, "GetFinalizedRoot", &pb.GetFinalizedRootRequest{BlockNumber: height}, want)
	s.expectResponse(t, "GetFinalizedRoot", &pb.GetFinalizedRootRequest{BlockNumber: height - 1}, want)
}

// TestPastQuota checks quota proofs of an earlier time.
//
// Rules: T3.5.
func TestPastQuota(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice := n.actor("alice")
	n.must(n.join(alice, 1)...)
	n.clock.Add(2 * term)
	for asOf, units := range map[uint32]uint32{0: 0, n.stamp(): 0, n.stamp() - term: 0, n.stamp() - term - 2: 1} {
		req := &pb.GetStorageQuotaProofRequest{OwnerAddress: alice.Address[:], AsOfUnixTime: asOf}
		answer := get[*pb.GetStorageQuotaProofResponse](n, "GetStorageQuotaProof", req)
		if asOf == 0 {
			asOf = n.stamp()
		}
		if answer.GetAsOfUnixTime() != asOf || answer.GetStorageUnits() != units {
			t.Errorf("as of %d: %d units as of %d, want %d", asOf, answer.GetStorageUnits(), answer.GetAsOfUnixTime(), units)
		}
		verified := get[*pb.VerifyStorageQuotaProofResponse](n, "VerifyStorageQuotaProof", &pb.VerifyStorageQuotaProofRequest{QuotaProof: answer})
		if !verified.GetValid() {
			t.Errorf("as of %d: %v", asOf, verified)
		}
		answer.StorageUnits++
		if get[*pb.VerifyStorageQuotaProofResponse](n, "VerifyStorageQuotaProof", &pb.VerifyStorageQuotaProofRequest{QuotaProof: answer}).GetValid() {
			t.Errorf("as of %d: a forged proof is valid", asOf)
		}
	}
}
