package client_test

import (
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/lint"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// TestGuide builds the program of docs/api/go.md in a module outside this repository, and runs it against a node on
// which alice has a project with a branch.
func TestGuide(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	program := buildGuide(t, dir)

	n := nodetest.Start(t, t.TempDir())
	seed := nodetest.Random(t)
	alice := nodetest.NewAccount(t)
	alice.Author = message.NewAuthor(seed, pb.Network_NETWORK_DEVNET, alice.Address())
	n.Register(alice, 1, "alice")
	commit := message.Commit{Hash: nodetest.Random(t), TreeRoot: nodetest.Random(t), Title: "one", MessageHash: nodetest.Random(t), Author: alice.Address()}
	created := alice.Sign(message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	for _, m := range []*message.Envelope{
		created,
		alice.Sign(message.CommitBundle(created.Hash, message.Content{}, commit)),
		alice.Sign(message.RefUpdate(created.Hash, "refs/heads/main", message.RefMove{New: commit.Hash, Nonce: 1})),
	} {
		n.Submit(t, m)
		n.MustCommit(t, m)
	}
	seedFile := filepath.Join(dir, "seed")
	if err := os.WriteFile(seedFile, []byte(hex.EncodeToString(seed[:])+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	genesis := filepath.Join(n.Home(), "config", "genesis.json")
	run := func() string {
		output, err := exec.CommandContext(t.Context(), program, n.GRPCAddr(), genesis, "alice/hello", seedFile).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		return string(output)
	}
	output := run()
	for _, want := range []string{
		"project hello has 1 commits\n", "refs/heads/main was at " + commit.Hash.String(), "signing with key " + alice.Key().String(),
		" is in block ", ": MESSAGE_TYPE_PROJECT_CREATE\n",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("the output lacks %q:\n%s", want, output)
		}
	}
	// Within the same second the program signs the same message, which is committed already.
	nodetest.Await(t, "the second project to be refused", func() bool { return strings.Contains(run(), "the project exists already\n") })
}

// buildGuide builds the program of the page in dir and returns the path of the executable. All dependencies are
// those of this repository, but go may have to download go.mod files that building the repository did not need.
func buildGuide(t *testing.T, dir string) string {
	t.Helper()
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(repository, "docs", "api", "go.md"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"go.sum": string(sums)}
	for _, block := range lint.Blocks(string(page)) {
		switch block.Language {
		case "gomod":
			files["go.mod"] = strings.Replace(block.Text, "../makechain", repository, 1)
		case "go":
			files["main.go"] += block.Text + "\n"
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "hello")
	build := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "-trimpath", "-o", program, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	return program
}
