package merkle

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
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

// write returns the changes that write rows, in order of keys.
func (s state) write(rows ...Row) []schema.Change {
	var changes []schema.Change
	for _, r := range NewMemRows(rows...).rows {
		old, _ := s.rows.Get(r.Key)
		changes = append(changes, schema.Change{Key: r.Key, Value: r.Value, Existed: old != nil})
	}
	return changes
}

// next applies changes. The caller still holds the state before.
func (s state) next(t testing.TB, changes []schema.Change) state {
	t.Helper()
	v, err := s.version.tree.Update(s.version, changes, s.rows)
	if err != nil {
		t.Fatal(err)
	}
	return state{v, s.rows.Apply(changes)}
}

// check compares a version with the model: root, number of rows and the path of every row.
func (s state) check(t testing.TB) {
	t.Helper()
	if got, want := s.version.Root(), modelRoot(s.rows.rows); got != want {
		t.Fatalf("root %x, want %x", got, want)
	}
	s.checkPaths(t)
}

func (s state) checkPaths(t testing.TB) {
	t.Helper()
	if got, want := s.version.Len(), s.rows.Len(); got != want {
		t.Fatalf("%d rows, want %d", got, want)
	}
	for _, r := range s.rows.rows {
		steps, err := s.version.Path(r.Key)
		if err != nil {
			t.Fatalf("path of %x: %v", r.Key, err)
		}
		if modelPath(r, steps) != s.version.Root() {
			t.Fatalf("the path of %x leads elsewhere", r.Key)
		}
	}
}

// checkNodes compares the number of nodes held with what the only remaining version needs.
func (s state) checkNodes(t testing.TB) {
	t.Helper()
	if got, want := s.version.tree.Nodes(), max(0, s.rows.Len()-1); got != want {
		t.Fatalf("%d nodes held, want %d", got, want)
	}
}

// anyKey draws keys that are prefixes of one another, short random keys, and keys that part late.
func anyKey() *rapid.Generator[[]byte] {
	return rapid.OneOf(
		rapid.SliceOfN(rapid.SampledFrom([]byte{0x00, 0x01, 0x80, 0xff}), 0, 6),
		rapid.SliceOfN(rapid.Byte(), 1, 4),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2}), 0, 4), func(tail []byte) []byte {
			return slices.Concat([]byte("a long prefix"), tail[:len(tail)/2], []byte("that keys share"), tail[len(tail)/2:])
		}),
	)
}

func anyRows(n int) *rapid.Generator[[]Row] {
	row := rapid.Custom(func(t *rapid.T) Row {
		return Row{anyKey().Draw(t, "key"), rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "value")}
	})
	return rapid.SliceOfN(row, 0, n)
}

// drawChanges draws writes and deletions, of rows that exist and of rows that do not.
func (s state) drawChanges(t *rapid.T) []schema.Change {
	changes := s.write(anyRows(12).Draw(t, "rows")...)
	for i := range changes {
		if rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
			changes[i].Value = nil
		}
	}
	for _, r := range s.rows.rows {
		if rapid.IntRange(0, 9).Draw(t, "delete old") == 0 {
			changes = append(changes, schema.Change{Key: r.Key, Existed: true})
		}
	}
	return inOrder(changes)
}

// inOrder sorts changes by their keys. Of changes with the same key the first counts.
func inOrder(changes []schema.Change) []schema.Change {
	slices.SortStableFunc(changes, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	return slices.CompactFunc(changes, func(a, b schema.Change) bool { return bytes.Equal(a.Key, b.Key) })
}

// TestRandomBatches applies random batches and compares every version with the model and with a tree built from the
// same rows at once. Nothing of older versions may remain.
//
// Rules: T1.1, T1.2, T1.3, T2/update, T4.
func TestRandomBatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		tree := New(rapid.SampledFrom([]int{1, 2, 8}).Draw(r, "parallelism"))
		s := state{tree.Empty(), NewMemRows()}
		for range rapid.IntRange(1, 12).Draw(r, "batches") {
			next := s.next(t, s.drawChanges(r))
			s.version.Release()
			s = next
			s.check(t)
			s.checkNodes(t)
			built, err := tree.Build(s.rows.All)
			if err != nil {
				r.Fatal(err)
			}
			state{built, s.rows}.check(t)
			built.Release()
		}
	})
}

// TestOrderDoesNotMatter writes the same rows in random orders, cut into random batches, on the way past rows that
// are deleted again.
//
// Rules: T1.1, T4.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		final := NewMemRows(anyRows(40).Draw(r, "rows")...)
		tree := New(2)
		s := state{tree.Empty(), NewMemRows()}
		extra := anyRows(10).Draw(r, "extra")
		s = s.next(t, s.write(extra...))
		order := rapid.Permutation(final.rows).Draw(r, "order")
		for len(order) > 0 {
			n := rapid.IntRange(1, len(order)).Draw(r, "batch")
			s = s.next(t, s.write(order[:n]...))
			order = order[n:]
		}
		var deletions []schema.Change
		for _, row := range s.rows.rows {
			if value, _ := final.Get(row.Key); value == nil {
				deletions = append(deletions, schema.Change{Key: row.Key, Existed: true})
			}
		}
		s = s.next(t, deletions)
		if want := modelRoot(final.rows); s.version.Root() != want {
			r.Fatalf("root %x, want %x", s.version.Root(), want)
		}
	})
}

// TestKnownRoots compares with the roots of an implementation that shares no code with this one.
//
// Rules: T1.1, T1.2, T1.3.
func TestKnownRoots(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../testdata/vectors/known/tree.json")
	if err != nil {
		t.Fatal(err)
	}
	var sets []struct {
		Name string
		Root string
		Rows []struct{ Key, Value string }
	}
	if err := json.Unmarshal(data, &sets); err != nil {
		t.Fatal(err)
	}
	if len(sets) == 0 {
		t.Fatal("no vectors")
	}
	for _, set := range sets {
		t.Run(set.Name, func(t *testing.T) {
			t.Parallel()
			var rows []Row
			for _, r := range set.Rows {
				rows = append(rows, Row{unhex(t, r.Key), unhex(t, r.Value)})
			}
			tree := New(1)
			s := state{tree.Empty(), NewMemRows()}
			for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(rows)) {
				s = s.next(t, s.write(rows[i]))
			}
			s.checkPaths(t)
			built, err := tree.Build(s.rows.All)
			if err != nil {
				t.Fatal(err)
			}
			for how, v := range map[string]*Version{"row by row": s.version, "built": built} {
				if got := v.Root(); hex.EncodeToString(got[:]) != set.Root {
					t.Errorf("%s: root %x, want %s", how, got, set.Root)
				}
			}
		})
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// randomRows makes rows with random keys of 32 bytes.
func randomRows(seed uint64, n int) []Row {
	rng := rand.NewChaCha8([32]byte(binary.BigEndian.AppendUint64(make([]byte, 24), seed)))
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{make([]byte, 32), make([]byte, 8)}
		_, _ = rng.Read(rows[i].Key) // never fails
		_, _ = rng.Read(rows[i].Value)
	}
	return rows
}

// TestParallelism applies batches large enough to be shared among goroutines.
//
// Rules: T1.1, T2/update, I1.
func TestParallelism(t *testing.T) {
	t.Parallel()
	old, fresh := randomRows(1, 6000), randomRows(2, 6000)
	batches := func(s state) [][]schema.Change {
		second := state{nil, s.rows.Apply(s.write(old...))}
		changes := second.write(slices.Concat(fresh, old[:3000])...)
		for i := range changes {
			if changes[i].Existed && i%3 == 0 {
				changes[i].Value = nil
			}
		}
		return [][]schema.Change{s.write(old...), changes}
	}
	var want Hash
	for _, parallelism := range []int{1, 2, 8} {
		tree := NewIn(func(bytes int) []byte { return make([]byte, bytes) }, parallelism)
		s := state{tree.Empty(), NewMemRows()}
		for _, changes := range batches(s) {
			s = s.next(t, changes)
		}
		s.checkPaths(t)
		if parallelism == 1 {
			want = modelRoot(s.rows.rows)
		}
		built, err := tree.Build(s.rows.All)
		if err != nil {
			t.Fatal(err)
		}
		if s.version.Root() != want || built.Root() != want {
			t.Errorf("at %d: updated to %x, built as %x, want %x", parallelism, s.version.Root(), built.Root(), want)
		}
	}
}

// worstKeys is what a writer does to lengthen a path: keys that part from the first one at every bit of it.
func worstKeys(size int) []Row {
	base := bytes.Repeat([]byte{0x55}, size)
	rows := []Row{{base, []byte("base")}}
	for i := range size {
		rows = append(rows, Row{base[:i], []byte("prefix")})
		for bit := range 8 {
			key := bytes.Clone(base)
			key[i] ^= 1 << bit
			rows = append(rows, Row{key, []byte("flipped")})
		}
	}
	return rows
}

// TestWorstKeys checks that the deepest trees are right, and that no path is longer than the published spec allows.
//
// Rules: T1.4, T4.
func TestWorstKeys(t *testing.T) {
	t.Parallel()
	tree := New(2)
	s := state{tree.Empty(), NewMemRows()}
	s = s.next(t, s.write(worstKeys(32)...))
	s.check(t)

	for _, size := range []int{MaxKeySize - 1, MaxKeySize} {
		rows := worstKeys(size)
		s := state{tree.Empty(), NewMemRows()}
		for batch := range slices.Chunk(rows, 500) {
			s = s.next(t, s.write(batch...))
		}
		built, err := tree.Build(s.rows.All)
		if err != nil {
			t.Fatal(err)
		}
		if built.Root() != s.version.Root() {
			t.Error("built and updated trees differ")
		}
		steps, err := s.version.Path(rows[0].Key)
		if err != nil {
			t.Fatal(err)
		}
		if len(steps) != size*bitsPerByte || len(steps) > MaxDepth {
			t.Errorf("%d steps, want %d", len(steps), size*bitsPerByte)
		}
		if modelPath(rows[0], steps) != s.version.Root() {
			t.Error("the longest path leads elsewhere")
		}
		var deletions []schema.Change
		for _, r := range s.rows.rows[1:] {
			deletions = append(deletions, schema.Change{Key: r.Key, Existed: true})
		}
		s.next(t, deletions).check(t)
	}
}

// TestReadsLittle checks that random rows find their place without a look at the stored ones.
//
// Rules: T2/update.
func TestReadsLittle(t *testing.T) {
	t.Parallel()
	tree := New(1)
	s := state{tree.Empty(), NewMemRows()}
	s = s.next(t, s.write(randomRows(1, 20_000)...))
	for batch := range uint64(20) {
		changes := s.write(randomRows(2+batch, 2000)...)
		counting := &countedRows{Rows: s.rows}
		next, err := tree.Update(s.version, changes, counting)
		if err != nil {
			t.Fatal(err)
		}
		if most := len(changes) / 50; counting.seeks > most {
			t.Errorf("batch %d: %d seeks for %d new rows, want at most %d", batch, counting.seeks, len(changes), most)
		}
		s = state{next, s.rows.Apply(changes)}
	}
}

// TestGrowth counts the nodes that a batch makes, which is what a write costs without storage. From one tree to another
// with ten times the rows it grows by less than two.
//
// Rules: T2/growth.
func TestGrowth(t *testing.T) {
	t.Parallel()
	const rows, writes = 20_000, 800 // as 1,000,000 to 40,000
	made := func(rows int) int {
		s := state{New(1).Empty(), NewMemRows()}
		s = s.next(t, s.write(randomRows(1, rows)...))
		next := s.next(t, s.write(slices.Concat(s.rows.rows[:writes/2], randomRows(2, writes/2))...))
		return len(next.version.added)
	}
	small, large := made(rows), made(10*rows)
	if large >= 2*small {
		t.Errorf("%d nodes made for %d writes to %d rows, %d to ten times as many", small, writes, rows, large)
	}
}

// countedRows counts seeks, or fails them all.
type countedRows struct {
	Rows
	seeks int
	fail  error
}

type countedSeeker struct {
	Seeker
	rows *countedRows
}

func (r *countedRows) Seeker() (Seeker, error) {
	s, err := r.Rows.Seeker()
	return countedSeeker{s, r}, err
}

func (s countedSeeker) SeekGE(lower []byte) ([]byte, error) {
	s.rows.seeks++
	if s.rows.fail != nil {
		return nil, s.rows.fail
	}
	return s.Seeker.SeekGE(lower)
}

// TestRefusals gives updates that must fail, and checks that they leave nothing behind.
//
// Rules: T2/update.
func TestRefusals(t *testing.T) {
	t.Parallel()
	errDisk := errors.New("disk on fire")
	long := func(tail string) []byte { return []byte("sixteen bytes or more: " + tail) }
	stored := NewMemRows(Row{[]byte("a"), nil}, Row{[]byte("b"), nil}, Row{long("x"), nil}, Row{long("y"), nil})
	tests := []struct {
		name    string
		changes []schema.Change
		rows    Rows
		want    error
	}{
		{"out of order", []schema.Change{{Key: []byte("d"), Value: []byte{}}, {Key: []byte("c"), Value: []byte{}}}, stored, ErrOrder},
		{"a key twice", []schema.Change{{Key: []byte("c"), Value: []byte{}}, {Key: []byte("c"), Value: []byte{}}}, stored, ErrOrder},
		{"long key", []schema.Change{{Key: make([]byte, MaxKeySize+1), Value: []byte{}}}, stored, ErrKeySize},
		{"new row exists", []schema.Change{{Key: []byte("a"), Value: []byte{}}}, stored, ErrExisted},
		{"new row exists, long key", []schema.Change{{Key: long("x"), Value: []byte{}}}, stored, ErrExisted},
		{"changed row is new", []schema.Change{{Key: []byte("c"), Value: []byte{}, Existed: true}}, stored, ErrExisted},
		{"changed row is new beside a real one", []schema.Change{
			{Key: []byte("a"), Value: []byte{}, Existed: true}, {Key: []byte("a0"), Value: []byte{}, Existed: true},
		}, stored, ErrExisted},
		{"deleted row is new", []schema.Change{{Key: []byte("ab"), Existed: true}}, stored, ErrExisted},
		{"rows of another tree", []schema.Change{{Key: long("z"), Value: []byte{}}}, NewMemRows(), ErrRows},
		{"failing rows", []schema.Change{{Key: long("z"), Value: []byte{}}}, &countedRows{Rows: stored, fail: errDisk}, errDisk},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree := New(2)
			base, err := tree.Build(stored.All)
			if err != nil {
				t.Fatal(err)
			}
			// Two rows that are added first make sure that there is something to leave behind.
			changes := append([]schema.Change{{Key: []byte("Y"), Value: []byte{}}, {Key: []byte("Z"), Value: []byte{}}}, test.changes...)
			if _, err := tree.Update(base, changes, test.rows); !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			s := state{base, stored}
			s.check(t)
			s.checkNodes(t)
		})
	}
}

// TestVoidDeletion deletes rows that did not exist.
//
// Rules: T1.1.
func TestVoidDeletion(t *testing.T) {
	t.Parallel()
	s := state{New(1).Empty(), NewMemRows()}
	s = s.next(t, []schema.Change{{Key: []byte("a")}, {Key: []byte("b"), Value: []byte("v")}, {Key: []byte("c")}})
	s.check(t)
	s = s.next(t, []schema.Change{{Key: []byte("a")}, {Key: []byte("b"), Existed: true}, {Key: []byte("c")}})
	if s.version.Root() != EmptyRoot() || s.version.Len() != 0 {
		t.Errorf("root %x with %d rows, want an empty tree", s.version.Root(), s.version.Len())
	}
}

// TestAbsentPath asks for the path of keys that no row has.
//
// Rules: T1.2.
func TestAbsentPath(t *testing.T) {
	t.Parallel()
	s := state{New(1).Empty(), NewMemRows()}
	if _, err := s.version.Path([]byte("a")); !errors.Is(err, ErrAbsent) {
		t.Errorf("empty tree: error %v, want %v", err, ErrAbsent)
	}
	s = s.next(t, s.write(Row{[]byte("aa"), nil}, Row{[]byte("ab"), nil}))
	for _, key := range []string{"", "a", "b", "aA", "ac"} {
		if _, err := s.version.Path([]byte(key)); !errors.Is(err, ErrAbsent) {
			t.Errorf("key %q: error %v, want %v", key, err, ErrAbsent)
		}
	}
}
