package main

import (
	"bytes"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
)

// operate runs the program as the operator of a node, and returns its output.
func (n *network) operate(at *runningNode, args ...string) string {
	n.t.Helper()
	address, _ := at.Address()
	command := program(n.t, append(args, "--home", at.home)...)
	command.Env = append(command.Environ(), "MAKECHAIN_NODE="+address)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	printed, err := command.Output()
	if err != nil {
		n.t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(printed))
}

// change creates a change, signs it with the keys of some validators, and submits it through a node.
func (n *network) change(file string, at *runningNode, signers []*runningNode, flags ...string) {
	n.t.Helper()
	n.operate(at, append([]string{"validator", "change", "new", file}, flags...)...)
	for _, one := range signers {
		n.operate(one, "validator", "change", "sign", file)
	}
	n.operate(at, "validator", "change", "submit", file)
}

// signers returns the keys that signed the newest block of a node, in hex.
func (n *network) signers(of *runningNode) map[string]bool {
	n.t.Helper()
	newest := nodetest.Call(n.t, of.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock()
	block := nodetest.Call(n.t, of.GetBlock, &pb.GetBlockRequest{BlockNumber: newest}).GetBlock()
	signed := map[string]bool{}
	for _, s := range block.GetCommits().GetSignatures() {
		signed[hex.EncodeToString(s.GetSigner())] = true
	}
	return signed
}

// TestValidatorProcedure follows the procedure of docs/validators.md: a follower of a running network becomes the fifth
// validator, and one of the first four is removed. It checks that messages are committed after each change, and that the
// data of every home matches its blocks.
//
// Rules: I1, P11.1.
func TestValidatorProcedure(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network of processes")
	}
	n, _ := startNetwork(t)
	n.join(n.nodes[0], "alice")
	fifth, leaving, files := n.follower(), n.nodes[3], t.TempDir()
	key, removed := n.operate(fifth, "validator", "key"), n.operate(leaving, "validator", "key")
	staying := n.nodes[:3]
	n.change(filepath.Join(files, "add.json"), fifth, staying, "--set", key+"=10")
	n.change(filepath.Join(files, "remove.json"), n.nodes[0], append(slices.Clone(staying), fifth), "--remove", removed)
	listed := n.operate(n.nodes[0], "validator", "list")
	if !strings.Contains(listed, key) || strings.Contains(listed, removed) || strings.Count(listed, "25.0 %") != 4 {
		t.Errorf("validators are\n%s", listed)
	}
	stopped := n.nodes[2] // three of the four validators must sign, so the fifth is needed
	stopped.Kill()
	leaving.Kill()
	n.join(n.nodes[0], "bob")
	if signed := n.signers(n.nodes[0]); len(signed) != 3 || !signed[key] || signed[removed] {
		t.Errorf("signed by %v", signed)
	}
	n.start(stopped, leaving) // leaving is a follower now
	n.agree(n.nodes...)
	for _, one := range n.nodes {
		one.Stop(t)
		if err := node.Check(one.home, node.CheckOptions{Replay: true}); err != nil {
			t.Errorf("%s: %v", one.name, err)
		}
	}
}
