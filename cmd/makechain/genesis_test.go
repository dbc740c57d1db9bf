package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/node/nodetest"
	"makechain/internal/settlement/settlementtest"
)

// operators is the number of validators of the ceremony, each with a home of its own.
const operators = 3

// TestGenesisCeremony creates a MAINNET as docs/network.md describes: each operator creates the keys in a home of its own, one of them
// the genesis file, all verify the same hash, start, and decide the first block.
func TestGenesisCeremony(t *testing.T) { //nolint:paralleltest // three validators need the machine
	if testing.Short() {
		t.Skip("runs a network")
	}
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		command := program(t, args...)
		command.Dir = dir
		printed, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, printed)
		}
		return string(printed)
	}
	n := &network{t: t}
	var entries, peers []string
	for i := range operators {
		name := string(rune('a' + i))
		home := filepath.Join(dir, name)
		address := nodetest.FreeAddress(t)
		printed := run("genesis", "key", "--home", home, "--name", name, "--address", address)
		var described struct {
			Peer string `json:"peer"`
		}
		if err := json.Unmarshal([]byte(printed), &described); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(printed), 0o600); err != nil {
			t.Fatal(err)
		}
		entries, peers = append(entries, name+".json"), append(peers, described.Peer)
		n.nodes = append(n.nodes, &runningNode{name: name, home: home, flags: []string{"--p2p-addr", address}})
	}
	attester := &settlementtest.Attester{Seed: nodetest.Random(t)}
	run("genesis", "new", entries[0], "--chain-id", "ceremony", "--network", "mainnet", "--settlement-chain-id", "1",
		"--contract", "0x5fbdb2315678afecb367f032d93f642f64180aa3", "--attesters", attester.Listed("").Key.String()+"=https://a.example")
	run(append([]string{"genesis", "add", "genesis.json"}, entries[1:]...)...)
	hash := regexp.MustCompile(`hash: [0-9a-f]{64}`).FindString(run("genesis", "verify", "genesis.json"))
	document, err := os.ReadFile(filepath.Join(dir, "genesis.json"))
	if err != nil || hash == "" {
		t.Fatal(hash, err)
	}
	for i, one := range n.nodes {
		// Each operator receives a copy of the file.
		copied := filepath.Join(one.home, "received.json")
		if err := os.WriteFile(copied, document, 0o600); err != nil {
			t.Fatal(err)
		}
		others := append(append([]string{}, peers[:i]...), peers[i+1:]...)
		one.flags = append(one.flags, "--genesis", copied, "--peers", strings.Join(others, ","), "--grpc-addr", "127.0.0.1:0",
			"--rest-addr", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0")
	}
	n.start(n.nodes...)
	var first []byte
	for _, one := range n.nodes {
		nodetest.Await(t, "the first block of "+one.name, func() bool {
			return nodetest.Call(t, one.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock() >= 1
		})
		block := nodetest.Call(t, one.GetBlock, &pb.GetBlockRequest{BlockNumber: 1}).GetBlock().GetHash()
		if first == nil {
			first = block
		}
		if !bytes.Equal(first, block) {
			t.Errorf("%s has another first block", one.name)
		}
		if printed := run("genesis", "verify", filepath.Join(one.home, "config", "genesis.json")); !strings.Contains(printed, hash) {
			t.Errorf("%s prints another hash than %s:\n%s", one.name, hash, printed)
		}
	}
}
