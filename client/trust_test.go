package client_test

import (
	"errors"
	"testing"
	"time"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/node/nodetest"
	"makechain/proof/finality"
)

// TestLightBlock checks that a light client can follow a node from its first block to its newest one, and that a block
// that does not exist is ErrNotFound.
//
// Rules: P11.2.
func TestLightBlock(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	account := nodetest.NewAccount(t)
	key := account.AddKey()
	n.Submit(t, key)
	n.MustCommit(t, key)
	c, err := client.New(n.GRPCAddr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	first := nodetest.Call(t, n.GetBlock, &pb.GetBlockRequest{BlockNumber: 1}).GetBlock()
	anchor := finality.TrustedBlock{ChainID: n.ChainID(), Number: 1, Hash: [32]byte(first.GetHash())}
	follower, err := finality.NewLightClient(t.Context(), anchor, c, finality.Options{Now: time.Now, Witnesses: []finality.Provider{c}})
	if err != nil {
		t.Fatal(err)
	}
	number := n.AwaitStatus(t, key.Hash).GetBlockNumber()
	nodetest.Await(t, "the block that certifies the message", func() bool {
		_, err := c.LightBlock(t.Context(), number+1)
		return err == nil
	})
	light, err := follower.LightBlock(t.Context(), number+1)
	if err != nil {
		t.Fatal(err)
	}
	trust, err := follower.Trust(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	after := nodetest.Call(t, n.GetBlock, &pb.GetBlockRequest{BlockNumber: number}).GetBlock().GetHeader().GetStateRoot()
	if root, err := finality.Verify(light, number, trust); err != nil || root != [32]byte(after) {
		t.Errorf("root %x, %v, want %x", root, err, after)
	}
	for _, missing := range []uint64{0, 1 << 40} {
		if _, err := c.LightBlock(t.Context(), missing); !errors.Is(err, finality.ErrNotFound) {
			t.Errorf("block %d: %v", missing, err)
		}
	}
}
