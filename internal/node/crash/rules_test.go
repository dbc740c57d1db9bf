package crash_test

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// TestKillEarlierHome kills nodes in a home that a release with an earlier version of the rules wrote: after the first block,
// which adds the index of forks, and before or during it.
//
// Rules: P11.3, T2/crash.
func TestKillEarlierHome(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("crashes nodes")
	}
	for _, committed := range []bool{false, true} {
		home := nodetest.Rules3Home(t)
		killed := launch(t, home)
		client := killed.MustServe(t)
		alice := nodetest.Rules3Account(t)
		claim := client.Claim(alice, 1)
		if committed {
			client.AwaitStatus(t, claim)
		}
		client.Close()
		killed.Kill()
		<-killed.Done()
		if err := node.Check(home, node.CheckOptions{Replay: true}); err != nil {
			t.Fatalf("committed %v: %v", committed, err)
		}
		again := launch(t, home)
		client = again.MustServe(t)
		client.AwaitStatus(t, client.Claim(alice, 1))
		bio := alice.Sign(message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "again"))
		client.Submit(t, bio)
		client.MustCommit(t, bio)
		client.Close()
	}
}
