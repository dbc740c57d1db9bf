package client_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/lint"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
	"makechain/message"
	"makechain/proof"
	"makechain/proof/finality"
)

// guide is the program that docs/api/go.md shows in parts. A test compares the two, and runs this one; where a node
// is and who writes are the test's own.
type guide struct {
	target, genesis string
}

func (g guide) read(ctx context.Context) error {
	c, err := client.New(g.target)
	if err != nil {
		return err
	}
	defer c.Close()
	project, err := c.Project(ctx, "alice/hello")
	if err != nil {
		return err
	}
	answer, err := client.Call(ctx, c.GetProject, &pb.GetProjectRequest{ProjectId: project[:]})
	if err != nil {
		return err
	}
	fmt.Println(answer.GetName(), answer.GetCommitCount())
	return nil
}

func (g guide) believe(ctx context.Context, project message.Hash) error {
	genesis, err := os.ReadFile(g.genesis)
	if err != nil {
		return err
	}
	trust, err := finality.TrustGenesis(genesis)
	if err != nil {
		return err
	}
	c, err := client.New(g.target, client.WithTrust(trust))
	if err != nil {
		return err
	}
	defer c.Close()
	ref, err := c.Ref(ctx, project, "main")
	if err != nil {
		return err
	}
	fmt.Printf("main is at %s after %d moves\n", ref.Hash, ref.Nonce)
	evidence, err := c.ProveRow(ctx, schema.RefKey(project, []byte(ref.Name)))
	if err != nil {
		return err
	}
	return check(evidence, trust)
}

func check(evidence *client.RowProof, trust finality.Trust) error {
	root, err := finality.Verify(evidence.LightBlock, evidence.Block, trust)
	if err != nil {
		return err // which step failed is in *proof.StepError
	}
	return proof.VerifyOperation(root, evidence.Key, evidence.Value, evidence.Proof)
}

func write(ctx context.Context, c *client.Client, seed message.Seed, owner message.Address) error {
	author := message.NewAuthor(seed, pb.Network_NETWORK_DEVNET, owner)
	m, err := author.Sign(uint32(time.Now().Unix()), message.ProjectCreate("from-go", pb.Visibility_VISIBILITY_PUBLIC, "", "MIT"))
	if err != nil {
		return err
	}
	if err := c.Submit(ctx, m); err != nil {
		return err
	}
	block, err := c.AwaitCommitted(ctx, m.Hash)
	if err != nil {
		return err
	}
	fmt.Printf("project %s is in block %d\n", m.Hash, block)
	return nil
}

func unlessThere(err error) error {
	refused := (*client.RefusedError)(nil)
	if errors.As(err, &refused) && refused.Code == message.CodeNameTaken {
		return nil // it was there already
	}
	return err
}

func follow(ctx context.Context, c *client.Client, project message.Hash) error {
	start := uint64(1)
	stream, err := c.SubscribeMessages(ctx, connect.NewRequest(&pb.SubscribeRequest{ProjectId: project[:], StartBlock: &start}))
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	for stream.Receive() {
		m := stream.Msg()
		fmt.Println(m.GetBlockNumber(), m.GetIndex(), m.GetData().GetType())
	}
	return stream.Err()
}

// TestGuideRuns runs the program of the guide against a node on which alice has a project with a branch.
func TestGuideRuns(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	seed := nodetest.Random(t)
	alice := nodetest.NewAccount(t)
	alice.Author = message.NewAuthor(seed, pb.Network_NETWORK_DEVNET, alice.Address())
	n.Register(alice, 1, "alice")
	created := alice.Sign(message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	commit := message.Commit{Hash: nodetest.Random(t), TreeRoot: nodetest.Random(t), Title: "one", MessageHash: nodetest.Random(t), Author: alice.Address()}
	n.Submit(t, created)
	n.MustCommit(t, created)
	bundle := alice.Sign(message.CommitBundle(created.Hash, message.Content{}, commit))
	n.Submit(t, bundle)
	n.MustCommit(t, bundle)
	moved := alice.Sign(message.RefUpdate(created.Hash, "refs/heads/main", message.RefMove{New: commit.Hash, Nonce: 1}))
	n.Submit(t, moved)
	n.MustCommit(t, moved)

	g := guide{target: n.GRPCAddr(), genesis: filepath.Join(n.Home(), "config", "genesis.json")}
	c := dial(t, n.GRPCAddr())
	for name, run := range map[string]func() error{
		"read":         func() error { return g.read(t.Context()) },
		"believe":      func() error { return g.believe(t.Context(), created.Hash) },
		"write":        func() error { return write(t.Context(), c, seed, alice.Address()) },
		"unless there": func() error { return unlessThere(&client.RefusedError{Code: message.CodeNameTaken}) },
	} {
		if err := run(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := follow(ctx, c, created.Hash); connect.CodeOf(err) != connect.CodeDeadlineExceeded {
		t.Errorf("following ended with %v", err)
	}
}

// TestGuideIsThis checks that every snippet of the guide stands in this file, but for where it is indented and
// which node it asks.
func TestGuideIsThis(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/api/go.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("guide_test.go")
	if err != nil {
		t.Fatal(err)
	}
	actual := strings.NewReplacer("g.target", `"localhost:50051"`, "g.genesis", `"makechain-data/config/genesis.json"`).Replace(unindented(string(source)))
	found := 0
	for _, block := range lint.Blocks(string(page)) {
		if block.Language != "go" {
			continue
		}
		found++
		if !strings.Contains(actual, unindented(block.Text)) {
			t.Errorf("docs/api/go.md:%d: the snippet is not in guide_test.go", block.Line)
		}
	}
	if found == 0 {
		t.Error("the guide has no snippets")
	}
}

func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}
