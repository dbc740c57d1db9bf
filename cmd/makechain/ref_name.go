package main

import (
	"context"
	"errors"
	"strings"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/message"
)

// newRefName is the full name of a ref to be made: what has a place already keeps it.
func newRefName(label, place string) string {
	if strings.HasPrefix(label, "refs/") {
		return label
	}
	return place + label
}

// refLog reads how a ref moved. One that was deleted has no row any more, but still its log.
func refLog(ctx context.Context, c *client.Client, place string, limit uint32) (*pb.GetRefLogResponse, error) {
	project, ref, err := placeOfRef(ctx, c, place)
	if err != nil {
		return nil, err
	}
	names := []string{ref.Name}
	if ref.Nonce == 0 {
		if names, err = client.RefCandidates(ref.Name); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		log, err := client.Call(ctx, c.GetRefLog, &pb.GetRefLogRequest{ProjectId: project[:], RefName: []byte(name), Limit: limit})
		if connect.CodeOf(err) != connect.CodeNotFound {
			return log, err
		}
	}
	return nil, &client.NotFoundError{Kind: "ref", Name: ref.Name}
}

// namedProject is the project that is named, or the one that the git repository around is pushed to.
func namedProject(ctx context.Context, command *cobra.Command, c *client.Client, args []string) (message.Hash, error) {
	if len(args) > 0 {
		return c.Project(ctx, args[0])
	}
	name, err := rememberedProject(ctx, command)
	if err != nil {
		return message.Hash{}, err
	}
	return c.Project(ctx, name)
}

// rememberedProject is the project that the git repository around is pushed to.
func rememberedProject(ctx context.Context, command *cobra.Command) (string, error) {
	repo, err := gitrepo.Open(ctx, ".")
	if err == nil {
		name, err := repo.Config(ctx, settingProject)
		if err != nil || name != "" {
			return name, err
		}
	} else if !errors.Is(err, gitrepo.ErrNoRepository) {
		return "", err
	}
	return "", misused(command, "missing a project: there is no git repository here that was pushed to one")
}
