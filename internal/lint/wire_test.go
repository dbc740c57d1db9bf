package lint

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	pb "makechain/gen/makechain"
	_ "makechain/gen/makechain/dev" // registers the faucet
)

const wirePage = "docs/spec/wire.md"

// stateSchema is not part of the interface: the state rows are documented in the file itself.
const stateSchema = "makechain/state.proto"

// TestWirePage compares the wire page with the schema, or rewrites it with -update.
//
// Rules: WIRE.
func TestWirePage(t *testing.T) {
	t.Parallel()
	var files []protoreflect.FileDescriptor
	for _, name := range []protoreflect.FullName{"makechain", "makechain.dev"} {
		protoregistry.GlobalFiles.RangeFilesByPackage(name, func(file protoreflect.FileDescriptor) bool {
			if file.Path() != stateSchema {
				files = append(files, file)
			}
			return true
		})
	}
	page, err := WirePage(readPage(t, moduleRoot, wirePage), files)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"| `GetRef` | `GetRefRequest` | `GetRefResponse` |\n", "| `Claim` | `ClaimRequest` | `ClaimResponse` |\n", "| `MessageData` | `body` | 5-"} {
		if !strings.Contains(page, row) {
			t.Errorf("the page has no row %q", row)
		}
	}
	comparePage(t, wirePage, page)
}

// TestWirePageTables checks the tables of one file, and that a page without the marker is refused.
func TestWirePageTables(t *testing.T) {
	t.Parallel()
	files := []protoreflect.FileDescriptor{pb.File_makechain_social_proto}
	page, err := WirePage("# Prose\n"+wireMarker+"old tables", files)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Prose\n" + wireMarker + "\n## Oneofs\n",
		"| `LinkAddBody` | `target` | 2-3 |\n",
		"\n## `social.proto`\n",
		"| `LinkAddBody` | `1 link_type:LinkType` · `2 target_project_id:bytes` · `3 target_owner_address:bytes` |\n",
		"| `LinkType` (enum) | `0 LINK_TYPE_NONE` · `1 LINK_TYPE_FOLLOW` · `2 LINK_TYPE_STAR` |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "old tables") {
		t.Error("the old tables are still there")
	}
	if _, err := WirePage("# Prose\n", files); err == nil {
		t.Error("a page without the marker was accepted")
	}
}
