package lint

import (
	"maps"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	pb "makechain/gen/makechain"
	_ "makechain/gen/makechain/dev" // registers the faucet
)

const wirePage = "docs/spec/wire.md"

// stateSchema is not part of the interface: the rows of the state are documented there.
const stateSchema = "makechain/state.proto"

// compiledFacts are the facts of the generated code.
func compiledFacts(t *testing.T) WireFacts {
	t.Helper()
	facts := WireFacts{}
	for _, name := range []protoreflect.FullName{"makechain", "makechain.dev"} {
		protoregistry.GlobalFiles.RangeFilesByPackage(name, func(file protoreflect.FileDescriptor) bool {
			if file.Path() == stateSchema {
				return true
			}
			if err := facts.AddFile(file); err != nil {
				t.Fatal(err)
			}
			return true
		})
	}
	return facts
}

// TestWireFacts compares the wire page with the schema, both ways.
//
// Rules: WIRE.
func TestWireFacts(t *testing.T) {
	t.Parallel()
	page, err := ParseWireFacts(readPage(t, moduleRoot, wirePage))
	if err != nil {
		t.Fatal(err)
	}
	schema := compiledFacts(t)
	for _, name := range []string{"Message.hash", "MakechainService.GetRef", "FaucetService.Claim"} {
		if schema[name] == "" {
			t.Errorf("%s was not found in the schema", name)
		}
	}
	report(t, CompareWireFacts(wirePage, page, schema))
}

func TestParseWireFacts(t *testing.T) {
	t.Parallel()
	const page = "## Methods of `S`\n\n| group | method |\n|---|---|\n" +
		"| x | `A`, `B` -> `List` · `C`: `In` -> stream of `Out` · `D` (ours) |\n\n" +
		"## Oneofs\n\n| message | oneof | fields |\n|---|---|---|\n| `M` | `body` | 2-3 |\n\n" +
		"## Types\n\n| name | fields |\n|---|---|\n| `M` | `1 id:bytes` · `2 list:N[]` · `3 maybe:uint32?` |\n" +
		"| `N` | (no fields) |\n| `E` (enum) | `0 ZERO` · `1 ONE` |\n"
	want := WireFacts{
		"S.A": "ARequest -> List", "S.B": "BRequest -> List", "S.C": "In -> stream Out", "S.D": "DRequest -> DResponse",
		"M.body": "oneof 2-3", "M": "message", "M.id": "1 bytes", "M.list": "2 N[]", "M.maybe": "3 uint32?",
		"N": "message", "E": "enum", "E.ZERO": "0", "E.ONE": "1",
	}
	got, err := ParseWireFacts(page)
	if err != nil {
		t.Fatal(err)
	}
	report(t, CompareWireFacts("page.md", got, want))
	for _, bad := range []string{
		"| `M` | `1 id` |", "| `M` | `id:bytes` |", "| `E` (enum) | `0 ZERO:bytes` |", "| `M` | `1 id:bytes` · `2 id:bytes` |",
	} {
		if _, err := ParseWireFacts("## Types\n\n| name | fields |\n|---|---|\n" + bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// TestCompareWireFacts checks that a difference in any fact of the real schema is found.
func TestCompareWireFacts(t *testing.T) {
	t.Parallel()
	schema := WireFacts{}
	if err := schema.AddFile(pb.File_makechain_social_proto); err != nil {
		t.Fatal(err)
	}
	for name := range schema {
		changed, missing := maps.Clone(schema), maps.Clone(schema)
		changed[name] += "x"
		delete(missing, name)
		expect(t, CompareWireFacts("page.md", changed, schema), name+" is ")
		expect(t, CompareWireFacts("page.md", missing, schema), "is in the schema and not on this page")
		expect(t, CompareWireFacts("page.md", schema, missing), "is on this page and not in the schema")
	}
	if !strings.HasPrefix(schema["LinkAddBody.target"], "oneof 2-3") {
		t.Errorf("the oneof of LinkAddBody is %q", schema["LinkAddBody.target"])
	}
}
