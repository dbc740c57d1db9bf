package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/term"
	"makechain/message"
)

const permissionPrefix = "PERMISSION_"

func newCollaboratorCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "collaborator",
		Short:   "Say who may work on a project",
		Example: "  makechain collaborator add alice/hello bob --permission write",
	}
	command.AddCommand(newCollaboratorAddCommand(), newCollaboratorRemoveCommand(), newCollaboratorListCommand())
	return command
}

func newCollaboratorAddCommand() *cobra.Command {
	var r remote
	var permission string
	command := &cobra.Command{
		Use:   "add <project> <account>",
		Short: "Give an account a permission on a project, or another one than it has",
		Long: `Give an account a permission on a project, or another one than it has.

read   fork a private project, and propose changes to it
write  push, delete refs, close merge requests, set description and license
admin  add and remove collaborators, rename, change visibility
owner  as admin; only the owner of the project can grant it`,
		Example:           "  makechain collaborator add alice/hello bob\n  makechain collaborator add alice/hello bob --permission admin",
		Args:              arguments("a project", "an account"),
		ValidArgsFunction: completing(projectNames, accountNames),
		RunE: func(command *cobra.Command, args []string) error {
			granted, known := pb.Permission_value[permissionPrefix+strings.ToUpper(permission)]
			if !known {
				return misused(command, "--permission: %q is none of %s", permission, strings.Join(permissionWords(), ", "))
			}
			return r.acting(command, func(ctx context.Context, c *client.Client) (string, []*pb.MessageData, error) {
				project, account, err := projectAndAccount(ctx, c, args)
				done := fmt.Sprintf("%s may %s on %s", args[1], permission, args[0])
				return done, []*pb.MessageData{message.CollaboratorAdd(project, account, pb.Permission(granted))}, err
			})
		},
	}
	r.registerWriter(command)
	command.Flags().StringVar(&permission, "permission", "write", strings.Join(permissionWords(), ", "))
	return command
}

// permissionWords are the permissions, the weakest first.
func permissionWords() []string {
	var words []string
	for _, number := range slices.Sorted(maps.Keys(pb.Permission_name)) {
		words = append(words, word(pb.Permission(number), permissionPrefix))
	}
	return words
}

// projectAndAccount finds the project and the account that a command names.
func projectAndAccount(ctx context.Context, c *client.Client, names []string) (project message.Hash, account message.Address, err error) {
	if project, err = c.Project(ctx, names[0]); err != nil {
		return project, account, err
	}
	account, err = c.Account(ctx, names[1])
	return project, account, err
}

func newCollaboratorRemoveCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:               "remove <project> <account>",
		Short:             "Take an account's permission on a project away",
		Example:           "  makechain collaborator remove alice/hello bob",
		Args:              arguments("a project", "an account"),
		ValidArgsFunction: completing(projectNames, accountNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.acting(command, func(ctx context.Context, c *client.Client) (string, []*pb.MessageData, error) {
				project, account, err := projectAndAccount(ctx, c, args)
				return "removed " + args[1] + " from " + args[0], []*pb.MessageData{message.CollaboratorRemove(project, account)}, err
			})
		},
	}
	r.registerWriter(command)
	return command
}

func newCollaboratorListCommand() *cobra.Command {
	var r remote
	var l listing
	command := &cobra.Command{
		Use:               "list <project>",
		Short:             "List who may work on a project, besides its owner",
		Example:           "  makechain collaborator list alice/hello",
		Args:              arguments("a project"),
		ValidArgsFunction: completing(projectNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				project, err := c.Project(ctx, args[0])
				if err != nil {
					return err
				}
				list, err := collect(command, &l, func(limit uint32, cursor []byte) (*pb.ListCollaboratorsResponse, error) {
					return client.Call(ctx, c.ListCollaborators, &pb.ListCollaboratorsRequest{ProjectId: project[:], Limit: limit, Cursor: cursor})
				})
				if err != nil {
					return err
				}
				return r.print(command, list, func(p *term.Printer) { printCollaborators(ctx, p, newLabels(c, p), list) })
			})
		},
	}
	r.register(command)
	l.register(command.Flags())
	return command
}

func printCollaborators(ctx context.Context, p *term.Printer, l *labels, list *pb.ListCollaboratorsResponse) {
	table := p.Table("ACCOUNT", "ADDRESS", "PERMISSION")
	for _, entry := range list.GetCollaborators() {
		// In full: an account that has done nothing yet cannot be found by the beginning of its address.
		address := "0x" + hex.EncodeToString(entry.GetOwnerAddress())
		table.Row(l.account(ctx, entry.GetOwnerAddress()), address, word(entry.GetPermission(), permissionPrefix))
	}
	table.Print("no collaborators")
	printMore(p, list)
}
