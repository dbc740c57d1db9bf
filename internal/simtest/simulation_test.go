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
	seedFlag   = flag.Uint64("seed", 0, "run the simulation of this seed alone")
	seedsFlag  = flag.Int("seeds", 10, "run the simulation of so many seeds")
	blocksFlag = flag.Int("blocks", 75, "make so many blocks in each simulation")
)

// TestSimulation runs the simulation of several seeds. Together they must have reached every message type and
// every reason to refuse that the ledger has, or they would show nothing.
//
// Rules: I1, I2, I3, I4, I5, I6, I7, I8, I9, I10, P6.2, T1.1.
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
	tallies := make([]tally, len(seeds))
	t.Cleanup(func() {
		if *seedFlag == 0 && !testing.Short() && !t.Failed() {
			checkCoverage(t, tallies)
		}
	})
	for i, seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			t.Logf("repeat with: go test ./internal/simtest -run TestSimulation -seed %d -blocks %d", seed, *blocksFlag)
			tallies[i] = simulate(t, seed)
			t.Log(&tallies[i])
		})
	}
}

func simulate(t *testing.T, seed uint64) tally {
	t.Helper()
	s := newSim(t, seed)
	for range *blocksFlag {
		s.act()
		s.makeBlock()
	}
	s.checkReplays(s.history)
	s.checkRoots()
	return s.seen
}

// checkCoverage needs all simulations together to have reached what they are for.
func checkCoverage(t *testing.T, tallies []tally) {
	t.Helper()
	total := newTally()
	for i := range tallies {
		total.add(&tallies[i])
	}
	t.Logf("all seeds: %v", &total)
	for n, name := range pb.MessageType_name {
		if n != 0 && total.applied[pb.MessageType(n)] == 0 {
			t.Errorf("no message of type %s ever applied", name)
		}
	}
	for _, code := range ledgerCodes(t) {
		if total.refused[code] == 0 {
			t.Errorf("no message was ever refused with %s", code)
		}
	}
	for _, p := range []schema.Prefix{schema.PrefixVerification, schema.PrefixCollaborator, schema.PrefixMergeRequest} {
		if total.pruned[p] == 0 {
			t.Errorf("nothing under prefix %#x was ever pruned", byte(p))
		}
	}
	if total.swapped == 0 || total.lapsed == 0 {
		t.Errorf("%d groups were swapped, %d usernames lapsed", total.swapped, total.lapsed)
	}
}

// ledgerCodes reads the codes of the two stages that the ledger decides from where they are declared.
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
				t.Fatal("a code is no literal")
			}
			codes = append(codes, message.Code(strings.Trim(literal.Value, `"`)))
		}
	}
	// Both groups together; a comment that reads otherwise must not make this list short.
	if !slices.Contains(codes, message.CodeUnknownSigner) || !slices.Contains(codes, message.CodeClaimExpired) {
		t.Fatalf("the codes of the ledger are not where they were, found %v", codes)
	}
	return codes
}
