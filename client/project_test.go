package client_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/message"
	"makechain/proof"
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
	n.rejectFalseProjects(t)
	if _, err := dial(t, n.GRPCAddr()).ProjectProof(t.Context(), n.hello); !errors.Is(err, client.ErrNoTrust) {
		t.Errorf("without trust: %v", err)
	}
}

// rejectFalseProjects checks that a node can neither hide nor change a part of a project.
//
// Rules: T3.9, T3.10.
func (n *chain) rejectFalseProjects(t *testing.T) {
	t.Helper()
	honest := dial(t, n.GRPCAddr())
	type page = *pb.GetProjectProofResponse
	for name, change := range map[string]func(page){
		"a branch hidden":      func(p page) { p.Refs.Rows = p.Refs.Rows[1:] },
		"no refs":              func(p page) { p.Refs = p.ForkParent },
		"another commit":       func(p page) { p.Refs.Rows[0].Value[6] ^= 1 },
		"no project":           func(p page) { p.Project = p.ForkParent },
		"no metadata":          func(p page) { p.Metadata = nil },
		"a fork":               func(p page) { p.ForkParent = p.Project },
		"a next page":          func(p page) { p.NextCursor = []byte("next") },
		"another block":        func(p page) { p.BlockNumber++ },
		"no signatures":        func(p page) { p.LightBlock = nil },
		"a forged light block": func(p page) { p.LightBlock[len(p.LightBlock)/2] ^= 1 },
	} {
		node := &dishonestNode{honest: honest, project: change}
		failed := (*proof.StepError)(nil)
		if project, err := dial(t, serve(t, node), client.WithTrust(n.trust)).ProjectProof(t.Context(), n.hello); !errors.As(err, &failed) {
			t.Errorf("%s: %+v, %v", name, project, err)
		}
	}
}

// memory is a client.BlockMemory.
type memory map[string]uint64

func (m memory) HighestBlock(chainID string) (uint64, error) { return m[chainID], nil }

func (m memory) SetHighestBlock(chainID string, number uint64) error {
	m[chainID] = number
	return nil
}

// TestRollback checks that a state before the highest known block is refused with an error that names the node and both blocks, that
// a node which catches up is waited for, and that the highest block is stored.
//
// Rules: P6.6.
func TestRollback(t *testing.T) {
	t.Parallel()
	n := newChain(t)
	known := memory{}
	first, err := dial(t, n.GRPCAddr(), client.WithTrust(n.trust), client.WithBlockMemory(known)).ProjectProof(t.Context(), n.hello)
	if err != nil || known[n.trust.ChainID] != first.Block {
		t.Fatalf("block %d is stored as %d: %v", first.Block, known[n.trust.ChainID], err)
	}
	known[n.trust.ChainID] = first.Block + 1_000
	impatient := dial(t, n.GRPCAddr(), client.WithTrust(n.trust), client.WithBlockMemory(known), client.WithRollbackTimeout(time.Millisecond))
	_, err = impatient.ProjectProof(t.Context(), n.hello)
	refused := (*client.RollbackError)(nil)
	if !errors.As(err, &refused) || refused.Node != n.GRPCAddr() || refused.Block < first.Block || refused.Highest != first.Block+1_000 {
		t.Fatalf("an old state: %v", err)
	}
	for _, part := range []string{n.GRPCAddr(), strconv.FormatUint(refused.Block, 10), strconv.FormatUint(refused.Highest, 10)} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not contain %s", err, part)
		}
	}
	if _, err := impatient.ProjectProof(t.Context(), message.Hash{1}); !errors.As(err, &refused) {
		t.Errorf("a project that does not exist in an old state: %v", err)
	}
	if _, err := impatient.Project(t.Context(), "alice/hello"); !errors.As(err, &refused) {
		t.Errorf("a name in an old state: %v", err)
	}
	// Two more blocks, of which the node reports the first ones only at first.
	known[n.trust.ChainID] = first.Block + 2
	waiting := make(chan error, 1)
	c := dial(t, n.GRPCAddr(), client.WithTrust(n.trust), client.WithBlockMemory(known), client.WithRollbackTimeout(time.Minute))
	go func() { _, err := c.ProjectProof(t.Context(), n.hello); waiting <- err }()
	for i := range 3 {
		commit := message.Commit{Hash: message.Hash{0x77, byte(i)}, Author: n.alice.Address()}
		bundle := n.alice.Sign(message.CommitBundle(n.hello, message.Content{}, commit))
		n.Submit(t, bundle)
		n.MustCommit(t, bundle)
	}
	if err := <-waiting; err != nil {
		t.Errorf("a node that catches up: %v", err)
	}
}
