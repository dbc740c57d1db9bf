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
	"makechain/message"
)

// completionPatience is how long a shell waits for names, at most.
const completionPatience = time.Second

// completer finds what a word may become.
type completer func(ctx context.Context, c *client.Client, word string) ([]string, cobra.ShellCompDirective)

// completing offers names to the shell, one completer for each argument. They are the node's word, and a node that
// does not answer offers nothing.
func completing(completers ...completer) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(completers) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c, err := client.New(completionTarget(command))
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer c.Close()
		ctx, cancel := context.WithTimeout(command.Context(), completionPatience)
		defer cancel()
		return completers[len(args)](ctx, c, word)
	}
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

// accountNames completes alice.
func accountNames(ctx context.Context, c *client.Client, word string) ([]string, cobra.ShellCompDirective) {
	list, err := client.Call(ctx, c.SearchAccounts, &pb.SearchAccountsRequest{Query: word})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	for _, account := range list.GetAccounts() {
		if strings.HasPrefix(account.GetUsername(), word) && account.GetUsername() != "" {
			found = append(found, account.GetUsername())
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// projectNames completes alice/hello, the account first.
func projectNames(ctx context.Context, c *client.Client, word string) ([]string, cobra.ShellCompDirective) {
	owner, name, begun := strings.Cut(word, "/")
	if !begun {
		found, directive := accountNames(ctx, c, word)
		for i := range found {
			found[i] += "/"
		}
		return found, directive | cobra.ShellCompDirectiveNoSpace
	}
	address, err := c.Account(ctx, owner)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := projectsBeginning(ctx, c, address, name)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	for _, project := range list.GetProjects() {
		found = append(found, owner+"/"+project.GetName())
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// projectsBeginning lists an account's projects by the beginning of their names. A search wants at least a letter.
func projectsBeginning(ctx context.Context, c *client.Client, owner message.Address, name string) (*pb.ListProjectsResponse, error) {
	if name == "" {
		return client.Call(ctx, c.ListProjects, &pb.ListProjectsRequest{OwnerAddress: owner[:]})
	}
	return client.Call(ctx, c.SearchProjects, &pb.SearchProjectsRequest{Query: name, OwnerAddress: owner[:]})
}

// placeNames completes alice/hello@main, the project first.
func placeNames(ctx context.Context, c *client.Client, word string) ([]string, cobra.ShellCompDirective) {
	project, begun, err := client.SplitRevision(word + "?") // so that nothing after the @ is a beginning too
	if err != nil {
		found, directive := projectNames(ctx, c, word)
		return found, directive | cobra.ShellCompDirectiveNoSpace
	}
	begun = strings.TrimSuffix(begun, "?")
	id, err := c.Project(ctx, project)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := client.Call(ctx, c.ListRefs, &pb.ListRefsRequest{ProjectId: id[:], Limit: maxPage})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	for _, ref := range list.GetRefs() {
		if short := refLabel(ref.GetRefName()); strings.HasPrefix(short, begun) {
			found = append(found, project+"@"+short)
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
