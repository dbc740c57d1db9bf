package schema_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// TestLineage checks that the lineage read from an encoded commit row equals that of the decoded row.
func TestLineage(t *testing.T) {
	t.Parallel()
	hash := rapid.SliceOfN(rapid.Byte(), 32, 32)
	rapid.Check(t, func(t *rapid.T) {
		row := &pb.CommitRow{
			Parents: rapid.SliceOfN(hash, 0, 3).Draw(t, "parents"), TreeRoot: hash.Draw(t, "tree"),
			AuthorTimestamp: rapid.Uint32().Draw(t, "written"), Title: rapid.String().Draw(t, "title"),
			BlockNumber: rapid.Uint64().Draw(t, "block"),
			Generation:  rapid.Uint32().Draw(t, "generation"), Depth: rapid.Uint32().Draw(t, "depth"),
			Jump: rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "jump"), JumpDepth: rapid.Uint32().Draw(t, "jump depth"),
		}
		value, err := schema.Encode(row)
		if err != nil {
			t.Fatal(err)
		}
		got, err := schema.ParseLineage(value)
		if err != nil {
			t.Fatal(err)
		}
		parents := slices.Collect(got.Parents())
		if !slices.EqualFunc(parents, row.GetParents(), bytes.Equal) || len(parents) > 0 && !bytes.Equal(got.FirstParent, parents[0]) || got.Generation != row.GetGeneration() ||
			got.Depth != row.GetDepth() || !bytes.Equal(got.Jump, row.GetJump()) || got.JumpDepth != row.GetJumpDepth() {
			t.Fatalf("%+v of %v", got, row)
		}
		if len(value) > 0 {
			if _, err := schema.ParseLineage(value[:len(value)-1]); err == nil && len(row.GetJump()) > 0 && row.GetJumpDepth() == 0 {
				t.Fatal("a truncated row is read without an error")
			}
		}
	})
}
