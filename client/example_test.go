package client_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/message"
	"makechain/proof/finality"
)

// Someone who knows the genesis of a chain needs to trust no node.
func Example() {
	ctx := context.Background()
	genesis, err := os.ReadFile("genesis.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	trust, err := finality.TrustGenesis(genesis)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.New("localhost:50051", client.WithTrust(trust))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	project, commit, err := c.Place(ctx, "alice/hello@main")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(project, commit)
}

// A message is signed with the time of day, handed over, and followed to its block.
func ExampleClient_Submit() {
	ctx := context.Background()
	c, err := client.New("localhost:50051")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	var seed message.Seed // the secret of a key that is registered for the account
	var owner message.Address
	author := message.NewAuthor(seed, pb.Network_NETWORK_DEVNET, owner)
	create := message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "A first project", "MIT")
	m, err := author.Sign(uint32(time.Now().Unix()), create)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := c.Submit(ctx, m); err != nil {
		fmt.Println(err) // refused at authorization (unknown_signer): ...
		return
	}
	block, err := c.AwaitCommitted(ctx, m.Hash)
	fmt.Println(block, err)
}
