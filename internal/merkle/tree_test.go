package merkle

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"makechain/internal/schema"
)

// state is a version with the rows it commits to.
type state struct {
	version *Version
	rows    *MemRows
}

// changesTo marks for every row to write or delete whether it existed, in order of keys.
func (s state) changesTo(rows []Row) []schema.Change {
	var out []schema.Change
	for _, r := range NewMemRows(rows...).rows {
		out = append(out, schema.Change{Key: r.Key, Value: r.Value})
	}
	for i := range out {
		value, _ := s.rows.Get(out[i].Key)
		out[i].Existed = value != nil
	}
	return out
}

func anyKey() *rapid.Generator[[]byte] {
	return rapid.OneOf(
		rapid.SliceOfN(rapid.SampledFrom([]byte{0x00, 0x01, 0x80, 0xff}), 0, 6),
		rapid.SliceOfN(rapid.Byte(), 1, 4),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1}), 1, 3), func(tail []byte) []byte {
			return slices.Concat([]byte("a long prefix that all of these share"), tail)
		}),
	)
}

// TestRandomBatches applies random batches of additions, changes and deletions and compares every version with the
// model, at several degrees of parallelism and after building from the rows.
//
// Rules: T1.1, T1.2, T1.3, T2/update, T4.
func TestRandomBatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tree := New(rapid.SampledFrom([]int{1, 2, 8}).Draw(t, "parallelism"))
		s := state{tree.Empty(), NewMemRows()}
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			var batch []Row
			for range rapid.IntRange(0, 12).Draw(t, "writes") {
				batch = append(batch, Row{anyKey().Draw(t, "key"), rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "value")})
			}
			changes := s.changesTo(batch)
			for i := range changes {
				if rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
					changes[i].Value = nil
				}
			}
			next, err := tree.Update(s.version, changes, s.rows)
			if err != nil {
				t.Fatal(err)
			}
			s.version.Release()
			s = state{next, s.rows.Apply(changes)}
			if want := modelRoot(s.rows.rows); next.Root() != want {
				t.Fatalf("root %x, want %x", next.Root(), want)
			}
			built, err := tree.Build(s.rows.All)
			if err != nil {
				t.Fatal(err)
			}
			if built.Root() != next.Root() || built.Len() != next.Len() || next.Len() != s.rows.Len() {
				t.Fatal("build differs")
			}
			built.Release()
			for _, r := range s.rows.rows {
				steps, err := next.Path(r.Key)
				if err != nil {
					t.Fatal(err)
				}
				if modelPath(r, steps) != next.Root() {
					t.Fatalf("path of %x", r.Key)
				}
			}
			if want := max(0, s.rows.Len()-1); tree.Nodes() != want {
				t.Fatalf("%d nodes, want %d", tree.Nodes(), want)
			}
		}
	})
}
