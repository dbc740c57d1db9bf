package simtest

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/message"
)

var (
	seedFlag   = flag.Uint64("seed", 0, "run only the simulation of this seed")
	seedsFlag  = flag.Int("seeds", 10, "number of seeds to simulate")
	blocksFlag = flag.Int("blocks", 75, "number of blocks in each simulation")
)

// TestSimulation runs the simulation of several seeds. Together they must cover every message type and every refusal code
// of the ledger.
//
// Rules: I1, I2, I3, I4, I5, I6, I7, I8, I9, I10, I11, P6.2, T1.1.
func TestSimulation(t *testing.T) {
	t.Parallel()
	seeds := make([]uint64, *seedsFlag)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	if testing.Short() {
		seeds = seeds[:1]
	}
	if *seedFlag != 0 {
		seeds = []uint64{*seedFlag}
	}
	results := make([]stats, len(seeds))
	t.Cleanup(func() {
		if *seedFlag == 0 && !testing.Short() && !t.Failed() {
			checkCoverage(t, results)
		}
	})
	for i, seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			t.Logf("repeat with: go test ./internal/simtest -run TestSimulation -seed %d -blocks %d", seed, *blocksFlag)
			results[i] = simulate(t, seed)
			t.Log(&results[i])
		})
	}
}

func simulate(t *testing.T, seed uint64) stats {
	t.Helper()
	s := newSim(t, seed)
	for range *blocksFlag {
		s.act()
		s.commitBlock()
	}
	s.checkReplays(s.history)
	s.checkRoots()
	return s.stats
}

// checkCoverage checks that all simulations together cover every type, code and kind of pruning.
func checkCoverage(t *testing.T, results []stats) {
	t.Helper()
	total := newStats()
	for i := range results {
		total.add(&results[i])
	}
	t.Logf("all seeds: %v", &total)
	for n, name := range pb.MessageType_name {
		if n != 0 && total.applied[pb.MessageType(n)] == 0 {
			t.Errorf("no message of type %s applied", name)
		}
	}
	for _, code := range ledgerCodes(t) {
		if total.refused[code] == 0 {
			t.Errorf("no message was refused with %s", code)
		}
	}
	for _, p := range []schema.Prefix{schema.PrefixVerification, schema.PrefixCollaborator} {
		if total.pruned[p] == 0 {
			t.Errorf("no row with prefix %#x was pruned", byte(p))
		}
	}
	if total.swapped == 0 || total.lapsed == 0 {
		t.Errorf("%d groups were swapped, %d usernames lapsed", total.swapped, total.lapsed)
	}
	if total.reused < total.executed/10 || total.executed < total.reused/10 {
		t.Errorf("%d executions were reused, %d messages were executed again: want many of both", total.reused, total.executed)
	}
	if total.repeated < total.reused/4 {
		t.Errorf("%d executions were repeated in other sessions, want more", total.repeated)
	}
}

// ledgerCodes parses the codes of the two stages of the ledger from their declarations.
func ledgerCodes(t *testing.T) []message.Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../message/refusal.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var codes []message.Code
	for _, declaration := range file.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || !strings.HasPrefix(group.Doc.Text(), "Codes of the authorization stage") &&
			!strings.HasPrefix(group.Doc.Text(), "Codes of the state transition stage") {
			continue
		}
		for _, spec := range group.Specs {
			literal, isLiteral := spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit)
			if !isLiteral {
				t.Fatal("a code is not a literal")
			}
			codes = append(codes, message.Code(strings.Trim(literal.Value, `"`)))
		}
	}
	// If the comments of the groups change, this list must not become incomplete.
	if !slices.Contains(codes, message.CodeUnknownSigner) || !slices.Contains(codes, message.CodeClaimExpired) {
		t.Fatalf("the codes of the ledger were not found, only %v", codes)
	}
	return codes
}
