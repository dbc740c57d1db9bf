package merkle_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
)

// pagedTree returns a tree that keeps few rows in memory.
func pagedTree(memoryRows int) (*merkle.Tree, *merkletest.Pages) {
	pages := &merkletest.Pages{}
	return merkle.NewWithOptions(merkle.Options{Parallelism: 2, Pages: pages, MemoryRows: memoryRows}), pages
}

// evict evicts rows and releases s.
func (s state) evict(t testing.TB) state {
	t.Helper()
	v, err := s.version.Tree().Evict(s.version)
	if err != nil {
		t.Fatal(err)
	}
	s.version.Release()
	return state{v, s.rows}
}

// checkPages checks that only the nodes and pages of s are held. All other versions must have been released.
func (s state) checkPages(t testing.TB, pages *merkletest.Pages) {
	t.Helper()
	var reached []uint32
	s.version.VisitPages(func(number uint32) { reached = append(reached, number) })
	slices.Sort(reached)
	if live := pages.Live(); !slices.Equal(live, reached) {
		t.Fatalf("pages %v are held, %v are reached", live, reached)
	}
	if got, want := s.version.Tree().Nodes(), s.version.Reachable()-len(reached); got != want {
		t.Fatalf("%d nodes held, %d are reached", got, want)
	}
}

// damageOne damages one of the pages.
func damageOne(r *rapid.T, pages *merkletest.Pages) {
	live := pages.Live()
	if len(live) == 0 {
		return
	}
	pages.Damage(rapid.SampledFrom(live).Draw(r, "page"), func(page []byte) []byte {
		if len(page) == 0 || rapid.Bool().Draw(r, "cut") {
			return page[:rapid.IntRange(0, len(page)).Draw(r, "length")]
		}
		page[rapid.IntRange(0, len(page)-1).Draw(r, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(r, "bit")
		return page
	})
}

// TestPagedVersions creates versions from versions, evicts rows, damages pages and releases versions in random order, and
// checks after every step that all others have the root and paths of the model.
//
// Rules: T1.1, T2/memory, T2/reads.
func TestPagedVersions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		tree, pages := pagedTree(rapid.IntRange(0, 30).Draw(r, "memory"))
		initial := merkletest.NewRows(anyRows(200).Draw(r, "initial")...)
		built, err := tree.Build(initial.All)
		if err != nil {
			r.Fatal(err)
		}
		held := []state{{built, initial}}
		for range rapid.IntRange(1, 20).Draw(r, "steps") {
			i := rapid.IntRange(0, len(held)-1).Draw(r, "version")
			switch rapid.IntRange(0, 4).Draw(r, "step") {
			case 0:
				if len(held) > 1 {
					held[i].version.Release()
					held = slices.Delete(held, i, i+1)
				}
			case 1:
				damageOne(r, pages)
			case 2:
				pages.SetSparse(rapid.Bool().Draw(r, "sparse"))
				held[i] = held[i].evict(t)
			default:
				held = append(held, held[i].next(t, held[i].drawChanges(r)))
			}
			for _, s := range held {
				s.check(t)
			}
		}
		for len(held) > 1 {
			held[0].version.Release()
			held = held[1:]
		}
		held[0].checkPages(t, pages)
		held[0].version.Release()
		if n, live := tree.Nodes(), pages.Live(); n != 0 || len(live) != 0 || tree.Pages() != 0 {
			r.Fatalf("%d nodes and pages %v remain after all versions were released", n, live)
		}
	})
}

// TestMemoryIsBounded checks that the rows in memory stay within the limit while the tree grows.
//
// Rules: T2/memory.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const limit, batch = 2000, 500
	const slack = 100 // the last pass ends in the middle of a page
	tree, pages := pagedTree(limit)
	s := state{tree.Empty(), merkletest.NewRows()}
	for i := range 40 {
		changes := s.write(randomRows(uint64(i+1), batch)...)
		v, err := tree.Update(s.version, changes, s.rows)
		if err != nil {
			t.Fatal(err)
		}
		s.version.Release()
		s = state{v, s.rows.Apply(changes)}.evict(t)
		if inMemory := tree.Nodes() - tree.Pages(); inMemory > limit+slack {
			t.Fatalf("%d rows in memory after %d batches, the limit is %d", inMemory, i+1, limit)
		}
	}
	if rows := (s.rows.Len() - limit) / tree.Pages(); rows < merkle.PageRows/3 {
		t.Errorf("a page has %d rows on average", rows)
	}
	s.check(t)
	s.checkPages(t, pages)
}

// TestChangedPages checks that changed pages become pages again, except for a few, when there is no room in memory, and nodes
// when there is.
func TestChangedPages(t *testing.T) {
	t.Parallel()
	const changed = 200
	rows := merkletest.NewRows(randomRows(1, 20_000)...)
	for _, test := range []struct {
		name         string
		room         int
		lowest, most int // nodes
	}{
		{"no room", 0, 0, changed * merkle.PageRows / 8},
		{"room", 20_000, changed * merkle.PageRows / 4, changed * merkle.PageRows},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree, pages := pagedTree(1000)
			v, err := tree.Build(rows.All)
			if err != nil {
				t.Fatal(err)
			}
			tree.SetMemoryRows(1000 + test.room)
			s := state{v, rows}
			before := tree.Nodes()
			next := s.next(t, s.write(rewritten(rows, 2, changed)...))
			s.version.Release()
			if more := tree.Nodes() - before; more < test.lowest || more > test.most {
				t.Errorf("%d changed rows made %d nodes of pages, want %d to %d", changed, more, test.lowest, test.most)
			}
			next.check(t)
			next.checkPages(t, pages)
		})
	}
}

// rewritten returns rows with other values.
func rewritten(rows *merkletest.Rows, seed uint64, n int) []Row {
	rng := rand.New(rand.NewPCG(seed, 0))
	list := rows.List()
	out := make([]Row, n)
	for i := range out {
		out[i] = kv(list[rng.IntN(len(list))].Key, binary.BigEndian.AppendUint64(nil, rng.Uint64()))
	}
	return out
}

// TestSparsePagesMove checks that all pages of a sparse store are stored again while the state grows, and while rows are
// changed and none has to be evicted.
func TestSparsePagesMove(t *testing.T) {
	t.Parallel()
	initial := merkletest.NewRows(randomRows(1, 5000)...)
	for _, test := range []struct {
		name string
		rows func(i int) []Row
	}{
		{"new rows", func(i int) []Row { return randomRows(uint64(i+2), 20) }},
		{"changed rows", func(i int) []Row { return rewritten(initial, uint64(i+2), 2) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree, pages := pagedTree(100)
			v, err := tree.Build(initial.All)
			if err != nil {
				t.Fatal(err)
			}
			s := state{v, initial}
			before := pages.Live()
			pages.SetSparse(true)
			for i := range 300 { // each moves the pages that it visits
				next := s.next(t, s.write(test.rows(i)...))
				s.version.Release()
				s = next.evict(t)
			}
			if kept := intersection(before, pages.Live()); len(kept) > 0 {
				t.Errorf("%d of %d pages did not move", len(kept), len(before))
			}
			s.check(t)
		})
	}
}

func intersection(a, b []uint32) []uint32 {
	return slices.DeleteFunc(slices.Clone(a), func(n uint32) bool { return !slices.Contains(b, n) })
}

// TestFullPageStore checks that a failed eviction changes nothing, and that an update succeeds if its pages cannot be written.
func TestFullPageStore(t *testing.T) {
	t.Parallel()
	tree, pages := pagedTree(100)
	s := state{tree.Empty(), merkletest.NewRows()}
	s = s.next(t, s.write(randomRows(1, 1000)...))
	pages.Full = true
	if _, err := tree.Evict(s.version); !errors.Is(err, merkletest.ErrPageStoreFull) {
		t.Fatalf("error %v, want %v", err, merkletest.ErrPageStoreFull)
	}
	s.check(t)
	if _, err := tree.Build(s.rows.All); !errors.Is(err, merkletest.ErrPageStoreFull) {
		t.Fatalf("build: error %v, want %v", err, merkletest.ErrPageStoreFull)
	}
	pages.Full = false
	s = s.evict(t)
	s.check(t)

	pages.Full = true
	next := s.next(t, s.write(randomRows(2, 100)...))
	s.version.Release()
	next.check(t)
	next.checkPages(t, pages)
	if _, err := tree.Evict(next.version); !errors.Is(err, merkletest.ErrPageStoreFull) {
		t.Fatalf("after an update: error %v, want %v", err, merkletest.ErrPageStoreFull)
	}
	pages.Full = false
	next.evict(t).checkPages(t, pages)
}

// TestWrongRows checks that an update refuses rows that do not have the hash of a damaged page.
func TestWrongRows(t *testing.T) {
	t.Parallel()
	tree, pages := pagedTree(0)
	rows := merkletest.NewRows(randomRows(1, 1000)...)
	v, err := tree.Build(rows.All)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range pages.Live() {
		pages.Damage(n, func([]byte) []byte { return nil })
	}
	s := state{v, rows}
	changes := s.write(randomRows(2, 1)...)
	var others []schema.Change
	for _, r := range rows.List() {
		others = append(others, schema.Change{Key: r.Key, Value: []byte("another value")})
	}
	if _, err := tree.Update(v, changes, rows.Apply(others)); !errors.Is(err, merkle.ErrRows) {
		t.Errorf("error %v, want %v", err, merkle.ErrRows)
	}
	s.checkPages(t, pages)
	s.check(t)
}

// TestEncoding checks that a decoded version equals the one that was encoded, and that a truncated encoding is refused
// without leaving nodes behind.
func TestEncoding(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		tree, pages := pagedTree(rapid.IntRange(0, 100).Draw(r, "memory"))
		rows := merkletest.NewRows(anyRows(200).Draw(r, "rows")...)
		v, err := tree.Build(rows.All)
		if err != nil {
			r.Fatal(err)
		}
		var encoded bytes.Buffer
		if err := v.Encode(&encoded); err != nil {
			r.Fatal(err)
		}
		other := merkle.NewWithOptions(merkle.Options{Pages: pages})
		cut := rapid.IntRange(0, encoded.Len()-1).Draw(r, "cut")
		copied := merkle.NewWithOptions(merkle.Options{Pages: &freed{}})
		if _, err := copied.Decode(bytes.NewReader(encoded.Bytes()[:cut])); err == nil || copied.Nodes() != 0 || copied.Pages() != 0 {
			r.Fatalf("decoding %d of %d bytes: error %v, %d nodes and %d pages remain",
				cut, encoded.Len(), err, copied.Nodes(), copied.Pages())
		}
		decoded, err := other.Decode(&encoded)
		if err != nil {
			r.Fatal(err)
		}
		state{decoded, rows}.check(t)
		state{decoded, rows}.next(t, state{decoded, rows}.drawChanges(r)).check(t)
	})
}

// freed is a page store whose pages are freed without having been stored.
type freed struct{ merkletest.Pages }

func (*freed) Free([]uint32) {}

// FuzzDecode checks that Decode does not panic or leave nodes behind.
func FuzzDecode(f *testing.F) {
	tree, _ := pagedTree(10)
	v, err := tree.Build(merkletest.NewRows(randomRows(1, 200)...).All)
	if err != nil {
		f.Fatal(err)
	}
	var encoded bytes.Buffer
	if err := v.Encode(&encoded); err != nil {
		f.Fatal(err)
	}
	f.Add(encoded.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		tree := merkle.NewWithOptions(merkle.Options{Pages: &freed{}})
		v, err := tree.Decode(bytes.NewReader(b))
		if err == nil {
			v.Release()
		}
		if tree.Nodes() != 0 || tree.Pages() != 0 {
			t.Errorf("%d nodes and %d pages remain", tree.Nodes(), tree.Pages())
		}
	})
}
