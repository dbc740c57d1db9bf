package connection

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/output"
	"makechain/internal/cli/paging"
	"makechain/internal/cli/usage"
	"makechain/internal/identity"
	"makechain/message"
)

// completionTimeout limits how long a shell waits for names.
const completionTimeout = time.Second

// Completer returns the completions of a word.
type Completer func(ctx context.Context, c *client.Client, word string) ([]string, cobra.ShellCompDirective)

// Complete completes arguments with names from the node, one completer for each argument. The names are not verified;
// without a node there are no completions.
func Complete(completers ...Completer) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(completers) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		target := givenFlag(command, "node")
		if target == "" {
			target = client.DefaultTarget
		}
		c, err := client.New(target)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer c.Close()
		ctx, cancel := context.WithTimeout(command.Context(), completionTimeout)
		defer cancel()
		return completers[len(args)](ctx, c, word)
	}
}

// givenFlag returns the value of a flag or of its environment variable. The shell asks for completions before flags
// are set from the environment.
func givenFlag(command *cobra.Command, name string) string {
	if flag := command.Flags().Lookup(name); flag != nil && flag.Changed {
		return flag.Value.String()
	}
	return os.Getenv(usage.EnvironmentPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
}

// Accounts completes usernames: alice.
func Accounts(ctx context.Context, c *client.Client, word string) ([]string, cobra.ShellCompDirective) {
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

// Projects completes projects, first the account: alice/hello.
func Projects(ctx context.Context, c *client.Client, word string) ([]string, cobra.ShellCompDirective) {
	owner, name, hasOwner := strings.Cut(word, "/")
	if !hasOwner {
		found, directive := Accounts(ctx, c, word)
		for i := range found {
			found[i] += "/"
		}
		return found, directive | cobra.ShellCompDirectiveNoSpace
	}
	address, err := c.Account(ctx, owner)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := projectsWithPrefix(ctx, c, address, name)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	for _, project := range list.GetProjects() {
		found = append(found, owner+"/"+project.GetName())
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// projectsWithPrefix lists an account's projects by a prefix of their names. A search needs at least one letter.
func projectsWithPrefix(ctx context.Context, c *client.Client, owner message.Address, name string) (*pb.ListProjectsResponse, error) {
	if name == "" {
		return client.Call(ctx, c.ListProjects, &pb.ListProjectsRequest{OwnerAddress: owner[:]})
	}
	return client.Call(ctx, c.SearchProjects, &pb.SearchProjectsRequest{Query: name, OwnerAddress: owner[:]})
}

// Refs completes refs, first the project: alice/hello@main.
func Refs(ctx context.Context, c *client.Client, word string) ([]string, cobra.ShellCompDirective) {
	project, prefix, err := client.SplitRevision(word + "?") // an empty prefix after the @ is allowed here
	if err != nil {
		found, directive := Projects(ctx, c, word)
		return found, directive | cobra.ShellCompDirectiveNoSpace
	}
	prefix = strings.TrimSuffix(prefix, "?")
	id, err := c.Project(ctx, project)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := client.Call(ctx, c.ListRefs, &pb.ListRefsRequest{ProjectId: id[:], Limit: paging.Max})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	for _, ref := range list.GetRefs() {
		if short := output.Ref(ref.GetRefName()); strings.HasPrefix(short, prefix) {
			found = append(found, project+"@"+short)
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// LocalNames lists names of the user's files.
type LocalNames = func(*identity.Store) ([]string, error)

// CompleteLocal completes the only argument of a command with names of the user's files.
func CompleteLocal(list LocalNames) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return localNames(command, list), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteLocalFlag completes a flag with names of the user's files.
func CompleteLocalFlag(command *cobra.Command, flag string, list LocalNames) {
	usage.CompleteFlag(command, flag, func(command *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return localNames(command, list), cobra.ShellCompDirectiveNoFileComp
	})
}

// localNames lists names. Files that cannot be read have no completions.
func localNames(command *cobra.Command, list LocalNames) []string {
	dir := ConfigDir{Given: givenFlag(command, configDirFlag)}
	store, err := dir.Store()
	if err != nil {
		return nil
	}
	names, err := list(store)
	if err != nil {
		return nil
	}
	return names
}
