package client_test

import (
	"context"
	"fmt"

	"makechain/client"
	pb "makechain/gen/makechain"
)

// Names are parsed without a node.
func ExampleSplitRevision() {
	project, ref, err := client.SplitRevision("alice/hello@main")
	if err != nil {
		fmt.Println(err)
		return
	}
	name, err := client.ParseProject(project)
	fmt.Println(name.Owner, name.Name, ref, err)
	_, err = client.ParseProject("hello")
	fmt.Println(err)
	// Output:
	// alice hello main <nil>
	// "hello" is not a valid name: want owner/project (alice/hello) or a project id (64 hex digits, or the first 4 or more)
}

// IsUnreachable distinguishes a node that cannot be reached from one that returns an error.
func ExampleIsUnreachable() {
	c, err := client.New("127.0.0.1:1")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	_, err = client.Call(context.Background(), c.GetHealth, &pb.GetHealthRequest{})
	fmt.Println(client.IsUnreachable(err))
	// Output: true
}
