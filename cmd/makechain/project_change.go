package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/message"
)

// acting finds what a command line means, then unlocks the account's key, then sends what follows from it. Names are
// looked up first, so that nobody types a passphrase for a typing mistake.
func (r *remote) acting(command *cobra.Command, plan func(context.Context, *client.Client) (done string, data []*pb.MessageData, err error)) error {
	return r.reading(command, func(ctx context.Context, c *client.Client) error {
		done, data, err := plan(ctx, c)
		if err != nil {
			return err
		}
		author, err := r.author(command, c)
		if err != nil {
			return err
		}
		return r.send(command, c, author, done, data...)
	})
}

// projectField is a field of a project that can be changed, and its flag.
type projectField struct {
	flag, help string
	field      pb.ProjectMetadataType
}

func newProjectSetCommand() *cobra.Command {
	var r remote
	fields := []projectField{
		{"name", "a new name; needs to be an admin", pb.ProjectMetadataType_PROJECT_METADATA_NAME},
		{"description", "what it is", pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION},
		{"license", "its license", pb.ProjectMetadataType_PROJECT_METADATA_LICENSE},
		{"visibility", "public or private; needs to be an admin", pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY},
	}
	values := make([]string, len(fields))
	command := &cobra.Command{
		Use:               "set <project>",
		Short:             "Change the name, description, license or visibility of a project",
		Example:           "  makechain project set alice/hello --description \"Says hello\"",
		Args:              arguments("a project"),
		ValidArgsFunction: completing(projectNames),
		RunE: func(command *cobra.Command, args []string) error {
			if !slices.ContainsFunc(fields, func(field projectField) bool { return command.Flags().Changed(field.flag) }) {
				return misused(command, "nothing to change: want --name, --description, --license or --visibility")
			}
			return r.acting(command, func(ctx context.Context, c *client.Client) (string, []*pb.MessageData, error) {
				var data []*pb.MessageData
				id, err := c.Project(ctx, args[0])
				for i, field := range fields {
					if command.Flags().Changed(field.flag) {
						data = append(data, message.ProjectMetadata(id, field.field, values[i]))
					}
				}
				return "changed " + args[0], data, err
			})
		},
	}
	r.registerWriter(command)
	for i, field := range fields {
		command.Flags().StringVar(&values[i], field.flag, "", field.help)
	}
	return command
}

func newProjectArchiveCommand() *cobra.Command {
	return newProjectEndCommand(&cobra.Command{
		Use:     "archive <project>",
		Short:   "Close a project for writing, for good",
		Example: "  makechain project archive alice/hello --yes",
	}, "Archive", "archived", message.ProjectArchive)
}

func newProjectRemoveCommand() *cobra.Command {
	return newProjectEndCommand(&cobra.Command{
		Use:     "remove <project>",
		Short:   "Remove a project, for good",
		Example: "  makechain project remove alice/hello --yes",
	}, "Remove", "removed", message.ProjectRemove)
}

// newProjectEndCommand completes a command that ends a project, which asks first.
func newProjectEndCommand(command *cobra.Command, verb, done string, end func(message.Hash) *pb.MessageData) *cobra.Command {
	var r remote
	var yes bool
	command.Args = arguments("a project")
	command.ValidArgsFunction = completing(projectNames)
	command.RunE = func(command *cobra.Command, args []string) error {
		return r.acting(command, func(ctx context.Context, c *client.Client) (string, []*pb.MessageData, error) {
			id, err := c.Project(ctx, args[0])
			if err != nil {
				return "", nil, err
			}
			err = confirm(command, yes, "%s %s (%s)? This cannot be undone.", verb, args[0], id)
			return done + " " + args[0], []*pb.MessageData{end(id)}, err
		})
	}
	r.registerWriter(command)
	command.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return command
}

func newProjectForkCommand() *cobra.Command {
	var r remote
	var name string
	var private bool
	command := &cobra.Command{
		Use:   "fork <project>[@<ref or commit>]",
		Short: "Make a project of your own from a commit of another",
		Long: `Make a project of your own from a commit of another.

The commit is that of the ref; without one, of the branch main or master, or of the
only branch there is. The fork begins with this commit alone.`,
		Example:           "  makechain project fork alice/hello\n  makechain project fork alice/hello@v1.0 --name hello-again",
		Args:              arguments("a project"),
		ValidArgsFunction: completing(placeNames),
		RunE: func(command *cobra.Command, args []string) error {
			source, err := r.forkSource(command, args[0])
			if err != nil {
				return err
			}
			if name == "" {
				name = source.name
			}
			return r.creating(command, name, message.Fork(source.project, source.commit, name, visibility(private)))
		},
	}
	r.registerWriter(command)
	command.Flags().StringVar(&name, "name", "", "name of the fork (default that of its source)")
	command.Flags().BoolVar(&private, "private", false, "mark the fork private")
	return command
}

// source is what a fork is made of.
type source struct {
	project, commit message.Hash
	name            string
}

func (r *remote) forkSource(command *cobra.Command, place string) (found source, err error) {
	return found, r.reading(command, func(ctx context.Context, c *client.Client) error {
		project, ref, err := projectAndRef(ctx, c, place)
		if err != nil {
			return err
		}
		if found.commit, err = c.Commit(ctx, project, ref); err != nil {
			return err
		}
		answer, err := client.Call(ctx, c.GetProject, &pb.GetProjectRequest{ProjectId: project[:]})
		found.project, found.name = project, answer.GetName()
		return err
	})
}

// projectAndRef finds a project and the name of a ref or commit in it, which may be left out.
func projectAndRef(ctx context.Context, c *client.Client, place string) (project message.Hash, ref string, err error) {
	name, ref, err := client.SplitRevision(place)
	if err != nil {
		name = place
	}
	if project, err = c.Project(ctx, name); err != nil || ref != "" {
		return project, ref, err
	}
	ref, err = mainBranch(ctx, c, project, name)
	return project, ref, err
}

// mainBranch is the branch that a project is about: main, master, or the only one.
func mainBranch(ctx context.Context, c *client.Client, project message.Hash, name string) (string, error) {
	for _, usual := range []string{"refs/heads/main", "refs/heads/master"} {
		_, err := c.Ref(ctx, project, usual)
		if missing := (*client.NotFoundError)(nil); !errors.As(err, &missing) {
			return usual, err
		}
	}
	list, err := client.Call(ctx, c.ListRefs, &pb.ListRefsRequest{ProjectId: project[:], Limit: maxPage})
	if err != nil {
		return "", err
	}
	var branches []string
	for _, ref := range list.GetRefs() {
		if ref.GetRefType() == pb.RefType_REF_TYPE_BRANCH {
			branches = append(branches, string(ref.GetRefName()))
		}
	}
	if len(branches) != 1 {
		err := fmt.Errorf("%s has %d branches, and none is main or master", name, len(branches))
		return "", advise(err, "%s@<ref or commit>", name)
	}
	return branches[0], nil
}
