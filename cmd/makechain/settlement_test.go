package main

import (
	"path/filepath"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/identity"
	"makechain/internal/node"
	"makechain/internal/settlement/settlementtest"
	"makechain/message"
)

// TestReplaceAttester replaces an attester of a running network by a change of the settlement, as docs/operate.md describes. It checks that
// the signatures of the removed attester no longer count, those of the new one do, also after a node was killed, and that the home
// can be replayed.
func TestReplaceAttester(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	p := startPaidNetwork(t, pb.Network_NETWORK_TESTNET, 1)
	only := p.nodes[0]
	p.must([]string{"account", "create", "alice", "--insecure-plaintext"}, "makechain: storage: this node has no faucet")
	account, err := identity.Open(p.config).Account("alice")
	if err != nil {
		t.Fatal(err)
	}
	removed, kept := p.attesters[0], p.attesters[1]
	p.must([]string{"account", "create", "alice", "--claim-tx", p.pay(account.Owner, 2, removed, kept)}, "storage   2 units claimed")
	listed := p.addAttester(removed.Domain)
	added := p.attesters[3]

	file := filepath.Join(t.TempDir(), "change.json")
	shown := p.operate(only, "settlement", "change", "new", file, "--remove", removed.Listed("").Key.String(), "--add", listed.Key.String()+"="+listed.URL)
	for _, text := range []string{"required is ", "removed", "added", "makechain settlement change sign " + file} {
		if !strings.Contains(shown, text) {
			t.Errorf("the new change is printed without %q:\n%s", text, shown)
		}
	}
	p.operate(only, "settlement", "change", "sign", file)
	p.operate(only, "settlement", "change", "submit", file)
	only.Kill()
	p.start(only)
	shown = p.operate(only, "settlement", "show")
	if !strings.Contains(shown, listed.URL) || strings.Contains(shown, removed.Listed("").Key.String()) || !strings.Contains(shown, "2 of 3") {
		t.Errorf("the settlement is\n%s", shown)
	}

	claim := func(attesters ...*settlementtest.Attester) []string {
		return []string{"storage", "claim", p.pay(account.Owner, 3, attesters...)}
	}
	p.must(claim(removed, kept), "makechain: ", "1 of 2 required attestations")
	p.refuse(account.Owner, pb.Network_NETWORK_TESTNET, []*settlementtest.Attester{removed, kept}, message.CodeInsufficientAttestations)
	p.must(claim(added, kept), "3 units of storage for "+account.Owner.String()+", block ")
	only.Stop(t)
	if err := node.Check(only.home, node.CheckOptions{Replay: true}); err != nil {
		t.Error(err)
	}
}
