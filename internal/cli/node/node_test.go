package node

import (
	"strings"
	"testing"

	"makechain/internal/cli/clitest"
	"makechain/internal/cli/usage"
	"makechain/internal/node/nodetest"
)

// TestSecondNode checks that a second node in a home fails with the home and a next step, and that the first is not
// disturbed.
func TestSecondNode(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	stdout, _, err := clitest.Run(t.Context(), New(), "--home", n.Home(), "--grpc-addr", "127.0.0.1:0", "--rest-addr", "127.0.0.1:0", "--p2p-addr", "127.0.0.1:0")
	if err == nil || stdout != "" || err.Error() != "a node is already running in the home "+n.Home() ||
		!strings.Contains(usage.Advice(err), "--home <directory>") {
		t.Errorf("printed %q, error %v, advice %q", stdout, err, usage.Advice(err))
	}
	n.Register(nodetest.NewAccount(t), 1, "alice")
}
