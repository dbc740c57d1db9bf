package rules

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/clitest"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/query"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// operated is a node whose operator runs commands.
type operated struct {
	*testing.T
	node   *nodetest.Node
	config string
}

// run runs a command and returns its output, and the text of its error.
func (o *operated) run(args ...string) (output, failed string) {
	o.Helper()
	args = append(args, "--home", o.node.Home(), "--node", o.node.GRPCAddr(), "--config-dir", o.config)
	stdout, _, err := clitest.Run(o.Context(), New(), args...)
	if err != nil {
		failed = err.Error()
	}
	return stdout, failed
}

// must runs a command whose output must contain the texts, with single spaces.
func (o *operated) must(args []string, texts ...string) {
	o.Helper()
	output, failed := o.run(args...)
	output = strings.Join(strings.Fields(output), " ")
	for _, text := range texts {
		if failed != "" || !strings.Contains(output, text) {
			o.Fatalf("%v: %s, printed %s, want %q", args, failed, output, text)
		}
	}
}

// refuse runs a command that must fail with a text.
func (o *operated) refuse(args []string, text string) {
	o.Helper()
	if output, failed := o.run(args...); !strings.Contains(failed, text) {
		o.Errorf("%v: %q, printed %s, want %q", args, failed, output, text)
	}
}

// signsVersion3 reports whether a client signs attestations by rules version 3, from the genesis and proofs of the state.
func (o *operated) signsVersion3() bool {
	o.Helper()
	path := filepath.Join(o.node.Home(), "config", "genesis.json")
	g, err := query.ReadGenesis(path)
	if err != nil {
		o.Fatal(err)
	}
	flags := &connection.Flags{Node: o.node.GRPCAddr(), Genesis: path, ConfigDir: connection.ConfigDir{Given: o.config}}
	c, err := flags.Dial(&cobra.Command{})
	if err != nil {
		o.Fatal(err)
	}
	defer c.Close()
	params, err := query.Params(o.Context(), c, g)
	if err != nil {
		o.Fatal(err)
	}
	return params.Settlement.Domain(params).V1
}

// TestActivate activates rules version 4 on a chain of version 3 with the commands of docs/operate.md, and replaces the activation before.
//
// Rules: P11.2, P11.3.
func TestActivate(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a node")
	}
	o := &operated{T: t, node: nodetest.Start(t, nodetest.Rules3Home(t)), config: t.TempDir()}
	current := func() uint64 {
		return nodetest.Call(t, o.node.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock()
	}
	o.must([]string{"show"}, "changes 0", "version 3, in block")
	file, next := filepath.Join(t.TempDir(), "change.json"), filepath.Join(t.TempDir(), "next.json")
	o.refuse([]string{"change", "new", file}, "want --version and --height")
	o.refuse([]string{"change", "new", file, "--version", "5", "--height", "1000"}, "this program has rules versions 3 to 4, not 5")
	o.refuse([]string{"change", "new", file, "--version", "4", "--height", "2"}, "height 2, want at least")
	o.refuse([]string{"change", "new", file, "--version", "3", "--height", "1000"}, "version 3, want 4")

	o.must([]string{"change", "new", file, "--version", "4", "--height", "1000"}, "signed by power 0 of 10, required is 7", "in force 3", "activated 4 1000")
	o.refuse([]string{"change", "submit", file}, "signed by voting power 0 of 10")
	o.must([]string{"change", "sign", file}, "signed by power 10 of 10", "next makechain rules change submit")
	o.must([]string{"change", "submit", file}, "changes 1", "activated version 4, from block 1000 on")
	o.refuse([]string{"change", "submit", file}, "sequence is 1, want 2")
	height := current() + 16
	text := strconv.FormatUint(height, 10)
	o.must([]string{"change", "new", next, "--version", "4", "--height", text}, "replaced 4 1000", "activated 4 "+text)
	o.must([]string{"change", "sign", next}, "signed by power 10 of 10")
	o.must([]string{"change", "submit", next}, "changes 2", "version 3, in block", "from block "+text+" on")
	if !o.signsVersion3() {
		t.Error("a client uses version 4 before the activation")
	}

	alice := nodetest.Rules3Account(t)
	for i := byte(1); current() <= height; i++ {
		m := alice.Sign(message.Follow(ident.Address{i}))
		o.node.Submit(t, m)
		o.node.MustCommit(t, m)
	}
	output, failed := o.run("show", "--json")
	if want := `"version":"` + strconv.Itoa(ledger.RulesVersion) + `"`; failed != "" || !strings.Contains(output, want) || strings.Contains(output, "pending") {
		t.Errorf("after the height: %s %s", output, failed)
	}
	if o.signsVersion3() {
		t.Error("a client uses version 3 after the activation")
	}
}
