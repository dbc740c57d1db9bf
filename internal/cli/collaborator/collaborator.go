// Package collaborator has the commands about the collaborators of a project.
package collaborator

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
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/message"
)

const permissionPrefix = "PERMISSION_"

// New returns the command collaborator.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:     "collaborator",
		Short:   "Manage collaborators",
		Example: "  makechain collaborator add alice/hello bob --permission write",
	}
	command.AddCommand(newAddCommand(), newRemoveCommand(), newListCommand())
	return command
}

func newAddCommand() *cobra.Command {
	var permission string
	command := submit.Command(&cobra.Command{
		Use:   "add <project> <account>",
		Short: "Add a collaborator, or change its permission",
		Long: `read   fork a private project, and propose changes to it
write  push, delete refs, close merge requests, set description and license
admin  add and remove collaborators, rename, change visibility
owner  as admin; only the owner of the project can grant it`,
		Example:           "  makechain collaborator add alice/hello bob\n  makechain collaborator add alice/hello bob --permission admin",
		Args:              usage.Args("a project", "an account"),
		ValidArgsFunction: connection.Complete(connection.Projects, connection.Accounts),
	}, func(q *query.Query, args []string) (*submit.Plan, error) {
		granted, known := pb.Permission_value[permissionPrefix+strings.ToUpper(permission)]
		if !known {
			return nil, usage.Errorf(q.Command, "--permission: %q is none of %s", permission, strings.Join(permissions(), ", "))
		}
		project, account, err := resolve(q, args)
		return &submit.Plan{
			Done:     fmt.Sprintf("%s has permission %s on %s", args[1], permission, args[0]),
			Messages: []*pb.MessageData{message.CollaboratorAdd(project, account, pb.Permission(granted))},
		}, err
	})
	command.Flags().StringVar(&permission, "permission", "write", strings.Join(permissions(), ", "))
	return command
}

// permissions returns the names of the permissions, the weakest first.
func permissions() []string {
	var names []string
	for _, number := range slices.Sorted(maps.Keys(pb.Permission_name)) {
		names = append(names, output.Enum(pb.Permission(number), permissionPrefix))
	}
	return names
}

// resolve returns the project and the account that a command names.
func resolve(q *query.Query, names []string) (project message.Hash, account message.Address, err error) {
	if project, err = q.Client.Project(q.Context(), names[0]); err != nil {
		return project, account, err
	}
	account, err = q.Client.Account(q.Context(), names[1])
	return project, account, err
}

func newRemoveCommand() *cobra.Command {
	return submit.Command(&cobra.Command{
		Use:               "remove <project> <account>",
		Short:             "Remove a collaborator",
		Example:           "  makechain collaborator remove alice/hello bob",
		Args:              usage.Args("a project", "an account"),
		ValidArgsFunction: connection.Complete(connection.Projects, connection.Accounts),
	}, func(q *query.Query, args []string) (*submit.Plan, error) {
		project, account, err := resolve(q, args)
		return &submit.Plan{
			Done:     "removed " + args[1] + " from " + args[0],
			Messages: []*pb.MessageData{message.CollaboratorRemove(project, account)},
		}, err
	})
}

func newListCommand() *cobra.Command {
	return query.List(&cobra.Command{
		Use:               "list <project>",
		Short:             "List the collaborators of a project",
		Example:           "  makechain collaborator list alice/hello",
		Args:              usage.Args("a project"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, query.Listing[message.Hash, *pb.ListCollaboratorsResponse, *pb.CollaboratorEntry]{
		Resolve: query.Project,
		Fetch: func(ctx context.Context, c *client.Client, project message.Hash, limit uint32, cursor []byte) (*pb.ListCollaboratorsResponse, error) {
			return client.Call(ctx, c.ListCollaborators, &pb.ListCollaboratorsRequest{ProjectId: project[:], Limit: limit, Cursor: cursor})
		},
		Columns: []string{"ACCOUNT", "ADDRESS", "PERMISSION"},
		Items:   (*pb.ListCollaboratorsResponse).GetCollaborators,
		Row: func(p *output.Printer, _ message.Hash, entry *pb.CollaboratorEntry) []string {
			// In full, because an account without state cannot be found by a prefix of its address.
			address := "0x" + hex.EncodeToString(entry.GetOwnerAddress())
			return []string{p.Account(entry.GetOwnerAddress()), address, output.Enum(entry.GetPermission(), permissionPrefix)}
		},
		Empty: "no collaborators",
	})
}
