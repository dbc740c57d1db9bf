package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/rpc"
	"makechain/internal/schema"
	"makechain/message"
	"makechain/proof"
)

// TestResponsesAreOfOneBlock checks that responses are consistent while blocks are committed: every block sets two fields
// to the same value.
//
// Rules: P10.6, T2/reads.
func TestResponsesAreOfOneBlock(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice := n.actor("alice")
	n.must(n.join(alice, 1)...)
	reader := &reader{node: n, alice: alice, height: n.blocks.Height(), messages: 3}
	n.twins(alice, "begin")
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for _, read := range []func(context.Context) error{reader.account, reader.list, reader.proof, reader.stats} {
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := read(ctx); err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 200 {
		n.twins(alice, fmt.Sprintf("block %d", i))
	}
	stop()
	readers.Wait()
}

// twins commits a block that sets two fields to the same value.
func (n *node) twins(a *ledgertest.Actor, value string) {
	n.Helper()
	n.must(n.sign(a, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, value)),
		n.sign(a, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_AVATAR, value)))
}

// reader checks invariants that hold in every block.
type reader struct {
	node     *node
	alice    *ledgertest.Actor
	height   uint64
	messages uint64
}

func (r *reader) account(ctx context.Context) error {
	answer, err := r.node.client.GetAccount(ctx, connect.NewRequest(&pb.GetAccountRequest{OwnerAddress: r.alice.Address[:]}))
	if err != nil {
		return err
	}
	if answer.Msg.GetDisplayName() == "" || answer.Msg.GetDisplayName() != answer.Msg.GetAvatar() {
		return fmt.Errorf("fields of an account differ: %q and %q", answer.Msg.GetDisplayName(), answer.Msg.GetAvatar())
	}
	return nil
}

func (r *reader) list(ctx context.Context) error {
	answer, err := r.node.client.ListAccounts(ctx, connect.NewRequest(&pb.ListAccountsRequest{}))
	if err != nil {
		return err
	}
	if first := answer.Msg.GetAccounts()[0]; first.GetDisplayName() != first.GetAvatar() {
		return fmt.Errorf("fields of a list item differ: %q and %q", first.GetDisplayName(), first.GetAvatar())
	}
	return nil
}

// proof checks that value, proof, root and block belong together.
func (r *reader) proof(ctx context.Context) error {
	key := schema.AccountMetadataKey(r.alice.Address, byte(pb.AccountDataType_ACCOUNT_DATA_AVATAR))
	answer, err := r.node.client.GetOperationProof(ctx, connect.NewRequest(&pb.GetOperationProofRequest{Key: key}))
	if err != nil {
		return err
	}
	block, err := r.node.client.GetBlock(ctx, connect.NewRequest(&pb.GetBlockRequest{BlockNumber: answer.Msg.GetBlockNumber()}))
	if err != nil {
		return err
	}
	root := ident.Hash(block.Msg.GetBlock().GetHeader().GetStateRoot())
	return proof.VerifyOperation(root, key, answer.Msg.GetValue(), answer.Msg.GetProof())
}

// stats checks that there are two messages for every block.
func (r *reader) stats(ctx context.Context) error {
	answer, err := r.node.client.GetChainStats(ctx, connect.NewRequest(&pb.GetChainStatsRequest{}))
	if err != nil {
		return err
	}
	if stats := answer.Msg; stats.GetTotalMessages() != r.messages+2*(stats.GetBlockHeight()-r.height) {
		return fmt.Errorf("%d messages in %d blocks", stats.GetTotalMessages(), stats.GetBlockHeight())
	}
	return nil
}

// broken is a snapshot whose reads or Close fail.
type broken struct {
	rpc.Snapshot
	get, scan, close error
}

func (b broken) Get(key []byte) ([]byte, error) {
	if b.get != nil {
		return nil, b.get
	}
	return b.Snapshot.Get(key)
}

func (b broken) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	if b.scan != nil {
		return b.scan
	}
	return b.Snapshot.Scan(lower, upper, visit)
}

func (b broken) Close() error { return errors.Join(b.Snapshot.Close(), b.close) }

// TestReadErrors checks that a read error is returned as such, not as a missing row, and that the snapshot is closed
// nevertheless.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	failure := errors.New("the disk is on fire")
	whole := s.service.Latest
	for name, wrong := range map[string]broken{"get": {get: failure}, "scan": {scan: failure}, "close": {close: failure}} {
		s.service.Latest = whole
		examples := s.examples()
		s.service.Latest = func() rpc.Snapshot {
			wrong.Snapshot = whole()
			return wrong
		}
		failed := 0
		for _, q := range examples {
			_, err := s.call(q.method, q.req)
			if err == nil {
				continue
			}
			if failed++; connect.CodeOf(err) != connect.CodeUnknown {
				t.Errorf("%s: %s returns %v", name, q.method, err)
			}
		}
		if failed == 0 {
			t.Errorf("%s: no call fails", name)
		}
	}
}

// TestStalled checks that a node is not ready while it produces no blocks for pending messages.
func TestStalled(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	for _, stalled := range []bool{false, true, false} {
		n.stalled.Store(stalled)
		health := get[*pb.GetHealthResponse](n, "GetHealth", &pb.GetHealthRequest{})
		if health.GetReady() == stalled || !health.GetServing() {
			t.Errorf("stalled %v: health %v", stalled, health)
		}
	}
}

// TestNodeFromSnapshot checks the status of a node that restored a snapshot and is catching up.
func TestNodeFromSnapshot(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	n.restored, n.blocks.status.CatchingUp = 5, true
	status := get[*pb.GetNodeStatusResponse](n, "GetNodeStatus", &pb.GetNodeStatusRequest{})
	health := get[*pb.GetHealthResponse](n, "GetHealth", &pb.GetHealthRequest{})
	if !status.GetCatchingUp() || health.GetReady() || !health.GetServing() {
		t.Errorf("status %v, health %v", status, health)
	}
	for _, info := range []*pb.ReplayVerificationInfo{status.GetReplayVerification(), health.GetReplayVerification()} {
		if info.GetStatus() != pb.ReplayVerificationStatus_REPLAY_VERIFICATION_STATUS_TRUSTED_SNAPSHOT || info.GetDetail() == "" {
			t.Errorf("replay verification: %v", info)
		}
	}
	n.clock.Add(-100) // the system clock is set back
	if up := get[*pb.GetHealthResponse](n, "GetHealth", &pb.GetHealthRequest{}).GetUptimeSecs(); up != 0 {
		t.Errorf("uptime is %d seconds, want 0", up)
	}
}
