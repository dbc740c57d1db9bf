package main

import (
	"os"

	"github.com/spf13/cobra"

	"makechain/internal/identity"
)

// completeWallets offers the wallets of this machine.
func completeWallets(command *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return completeLocal(command, args, (*identity.Store).WalletNames)
}

// completeAccounts offers the accounts of this machine.
func completeAccounts(command *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return completeLocal(command, args, (*identity.Store).AccountNames)
}

// completeLocal offers names of files as the one argument of a command. The shell leaves out those that do not begin
// as its word does.
func completeLocal(command *cobra.Command, args []string, list func(*identity.Store) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return localNames(command, list), cobra.ShellCompDirectiveNoFileComp
}

// completeFlag offers names of files as the value of a flag.
func completeFlag(command *cobra.Command, flag string, list func(*identity.Store) ([]string, error)) {
	mustComplete(command, flag, func(command *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return localNames(command, list), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeWords offers the words that a flag knows.
func completeWords(command *cobra.Command, flag string, words ...string) {
	mustComplete(command, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// mustComplete adds the completion of a flag, which the command has.
func mustComplete(command *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := command.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

// localNames lists names of files. What cannot be read offers nothing. The shell asks before flags are filled from the
// environment.
func localNames(command *cobra.Command, list func(*identity.Store) ([]string, error)) []string {
	where := local{configDir: os.Getenv(environmentPrefix + "CONFIG_DIR")}
	if flag := command.Flags().Lookup("config-dir"); flag != nil && flag.Changed {
		where.configDir = flag.Value.String()
	}
	store, err := where.store()
	if err != nil {
		return nil
	}
	names, err := list(store)
	if err != nil {
		return nil
	}
	return names
}
