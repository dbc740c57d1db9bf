package node_test

import (
	"bytes"
	"log/slog"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/node/nodetest"
)

// TestSnapshotInfo checks the newest snapshot of a node that takes one after every block, also after a restart.
//
// Rules: P11.1.
func TestSnapshotInfo(t *testing.T) {
	t.Parallel()
	config := nodetest.Config(t.TempDir(), slog.New(slog.DiscardHandler))
	config.SnapshotEvery = 1
	n := nodetest.StartWith(t, config)
	account := nodetest.NewAccount(t)
	n.Register(account, 1, "alice")
	var newest *pb.GetSnapshotInfoResponse
	nodetest.Await(t, "a snapshot with the account", func() bool {
		answer, err := n.GetSnapshotInfo(t.Context(), connect.NewRequest(&pb.GetSnapshotInfoRequest{}))
		if err != nil {
			return false
		}
		newest = answer.Msg
		return newest.GetEntryCount() > 0
	})
	block := nodetest.Call(t, n.GetBlock, &pb.GetBlockRequest{BlockNumber: newest.GetBlockNumber()}).GetBlock()
	if root := block.GetHeader().GetStateRoot(); !bytes.Equal(root, newest.GetStateRoot()) || newest.GetEstimatedSizeBytes() == 0 {
		t.Errorf("the snapshot is %v, the root after its block is %x", newest, root)
	}
	n.Stop(t)
	n = nodetest.StartWith(t, config)
	if again := nodetest.Call(t, n.GetSnapshotInfo, &pb.GetSnapshotInfoRequest{}); again.GetBlockNumber() < newest.GetBlockNumber() {
		t.Errorf("after a restart the newest snapshot is %v", again)
	}
}
