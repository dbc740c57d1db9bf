package attester

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"makechain/internal/comet"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/validators"
)

// TestSettlementFromNode checks that the settlement is read from a node, verified from the genesis on, that changes of it are followed, and
// that it is not known when the node does not respond.
func TestSettlementFromNode(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	f := &flags{home: t.TempDir(), node: n.GRPCAddr(), genesis: filepath.Join(n.Home(), "config", "genesis.json")}
	read, disconnect, err := f.settlement(&cobra.Command{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(disconnect)
	first, err := read(t.Context())
	if err != nil || len(first.Attesters) != 1 || first.Domain.Contract != (ident.Address{}) {
		t.Fatalf("%+v, %v", first, err)
	}
	next := ledger.Settlement{
		ChainID: 42, Contract: ident.Address{7}, Threshold: 1, Attesters: []ledger.Attester{{Key: ident.PublicKey{3}, URL: "https://one.example"}},
	}
	change := &validators.Change{ChainID: n.ChainID(), Sequence: 1, Content: validators.Settlement(next)}
	if _, err := comet.SignChange(n.Home(), change); err != nil {
		t.Fatal(err)
	}
	if err := node.QueueChange(n.Home(), change); err != nil {
		t.Fatal(err)
	}
	nodetest.Await(t, "the change to be decided", func() bool {
		waits, refused, err := node.ChangeStatus(n.Home())
		if err != nil || refused != "" {
			t.Fatal(refused, err)
		}
		return !waits
	})
	second, err := read(t.Context())
	if err != nil || !slices.Equal(second.Attesters, []ident.PublicKey{{3}}) || second.Domain.SettlementChainID != 42 ||
		second.Domain.Contract != next.Contract || second.Domain.ChainID != n.ChainID() {
		t.Errorf("after the change: %+v, %v", second, err)
	}
	alone := &flags{genesis: f.genesis}
	if _, _, err := alone.settlement(&cobra.Command{}); err == nil {
		t.Error("a genesis without a contract is enough without a node")
	}
	n.Stop(t)
	if unknown, err := read(t.Context()); err == nil || unknown.Domain.ChainID != n.ChainID() {
		t.Errorf("without the node: %+v, %v", unknown, err)
	}
}
