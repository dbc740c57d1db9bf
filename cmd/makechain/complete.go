package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/node"
)

// completionPatience is how long a shell waits for names, at most.
const completionPatience = time.Second

// completeProjects offers the projects of the account that a word begins with, for the shell. A node that does not
// answer offers nothing.
func completeProjects(command *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	owner, name, begun := strings.Cut(word, "/")
	if len(args) > 0 || !begun {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(command.Context(), completionPatience)
	defer cancel()
	c, err := client.New(completionTarget(command))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer c.Close()
	address, err := c.Account(ctx, owner)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := client.Call(ctx, c.SearchProjects, &pb.SearchProjectsRequest{Query: name, OwnerAddress: address[:]})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	for _, project := range list.GetProjects() {
		found = append(found, owner+"/"+project.GetName())
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completionTarget is --node. The shell asks before flags are filled from the environment.
func completionTarget(command *cobra.Command) string {
	if flag := command.Flags().Lookup("node"); flag != nil && flag.Changed {
		return flag.Value.String()
	}
	if target := os.Getenv(environmentPrefix + "NODE"); target != "" {
		return target
	}
	return node.DefaultGRPC
}
