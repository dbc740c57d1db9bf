package client_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/message"
)

// readProject checks that a project and its refs are read with a proof, and that a missing project is an error.
func (n *chain) readProject(t *testing.T, c *client.Client) {
	t.Helper()
	before := time.Now()
	project, err := c.ProjectProof(t.Context(), n.hello)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, ref := range project.Refs {
		names = append(names, ref.Name)
		one, err := c.Ref(t.Context(), n.hello, ref.Name)
		if err != nil || *one != *ref {
			t.Errorf("ref %+v, want %+v: %v", ref, one, err)
		}
	}
	if want := []string{"feed", "refs/heads/both", "refs/heads/main", "refs/tags/both"}; !slices.Equal(names, want) {
		t.Errorf("refs %q, want %q", names, want)
	}
	if got := project.Metadata[pb.ProjectMetadataType_PROJECT_METADATA_NAME]; got != "hello" || project.ForkParent != nil || project.Row.GetRefCount() != 4 {
		t.Errorf("name %q, fork parent %v, row %v", got, project.ForkParent, project.Row)
	}
	if age := project.Age(before); project.Block == 0 || project.Time.IsZero() || age > time.Hour {
		t.Errorf("block %d, %v old", project.Block, age)
	}
	missing := (*client.NotFoundError)(nil)
	if _, err := c.ProjectProof(t.Context(), message.Hash{1}); !errors.As(err, &missing) {
		t.Errorf("a missing project: %v", err)
	}
	contents, err := c.Contents(t.Context(), n.hello)
	if err != nil || len(contents.Contents) != 0 || contents.Block == 0 {
		t.Errorf("contents %+v: %v", contents, err)
	}
	if _, err := dial(t, n.GRPCAddr()).ProjectProof(t.Context(), n.hello); !errors.Is(err, client.ErrNoTrust) {
		t.Errorf("without trust: %v", err)
	}
}
