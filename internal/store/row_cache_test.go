package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"makechain/internal/ident"
	"makechain/internal/schema"
)

// model has the expected rows of a state.
type model map[string]string

// randomBlock draws changes of a few rows, so that all of them change often and some are absent.
func randomBlock(rng *rand.Rand, state model) (changes []schema.Change, after model) {
	after = maps.Clone(state)
	for i := range 60 {
		if rng.IntN(3) > 0 {
			continue
		}
		key := modelKey(i)
		_, existed := after[string(key)]
		change := schema.Change{Key: key, Existed: existed}
		if rng.IntN(3) == 0 {
			delete(after, string(key))
		} else {
			change.Value = fmt.Appendf(nil, "%d", rng.Uint64())
			if schema.AgeScope(key) != nil {
				change.Value = schema.Present
			}
			after[string(key)] = string(change.Value)
		}
		if existed || change.Value != nil {
			changes = append(changes, change)
		}
	}
	slices.SortFunc(changes, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	return changes, after
}

// modelKey returns the key of one of the rows, which belong to five accounts. Every fourth one is not in the tree. Those from 40
// on are age rows of two projects.
func modelKey(i int) []byte {
	if i >= 40 {
		return schema.AgeKey(schema.TombstoneKey(schema.RefKey(ident.Hash{byte(i % 2)}, []byte("ref"))), uint32(i))
	}
	key := schema.CounterKey(ident.Address{byte(i % 5)}, schema.Counter(i))
	if i%4 == 0 {
		key[0] = byte(schema.PrefixAge)
	}
	return key
}

// compareAll compares every row of a snapshot with the model.
func compareAll(s *Snapshot, want model) error {
	for i := range 60 {
		key := modelKey(i)
		got, err := s.Get(key)
		if err != nil {
			return err
		}
		if value, found := want[string(key)]; found != (got != nil) || string(got) != value {
			return fmt.Errorf("height %d: row %x is %q, want %q", s.Height(), key, got, value)
		}
		if near := s.Near(key); near != nil && (want[string(near)] == "" || !bytes.HasPrefix(near, schema.Scope(key))) {
			return fmt.Errorf("height %d: row %x is near %x", s.Height(), near, key)
		}
	}
	return errors.Join(compareAges(s, want, 40), compareAges(s, want, 41))
}

// compareAges compares the age rows of the project of a row with the model, first only the oldest and then all.
func compareAges(s *Snapshot, want model, of int) error {
	scope := schema.AgeScope(modelKey(of))
	var expected []string
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if strings.HasPrefix(key, string(scope)) {
			expected = append(expected, key)
		}
	}
	for _, most := range []int{1, len(expected) + 1} {
		var got []string
		err := s.Scan(scope, schema.After(scope), func(key, value []byte) bool {
			if !bytes.Equal(value, schema.Present) {
				got = append(got, "value "+string(value))
			}
			got = append(got, string(key))
			return len(got) < most
		})
		if err != nil {
			return err
		}
		if !slices.Equal(got, expected[:min(most, len(expected))]) {
			return fmt.Errorf("height %d: the age rows are %x, want %x", s.Height(), got, expected)
		}
	}
	return nil
}

// TestRowCache reads rows of old and new states concurrently while blocks change them, and checks that every state has its own
// rows, whatever the size of the cache.
func TestRowCache(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1_000, 2_000, rowCacheBytes} {
		t.Run(fmt.Sprintf("%d bytes", size), func(t *testing.T) {
			t.Parallel()
			s, err := OpenMemory(Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer closeStore(t, s)
			s.latest.cache.rows, s.latest.cache.neighbours = newRowRing(make([]byte, size)), newRowRing(make([]byte, size))
			rng := rand.New(rand.NewPCG(1, uint64(size)))
			state := model{}
			var reading sync.WaitGroup
			for height := uint64(1); height <= 150; height++ {
				held, want := s.Snapshot(), state
				reading.Go(func() {
					defer closeStore(t, held)
					for range 4 { // before, during and after the blocks that follow
						if err := compareAll(held, want); err != nil {
							t.Error(err)
						}
					}
				})
				changes, after := randomBlock(rng, state)
				staged, err := s.Stage(changes)
				if err != nil {
					t.Fatal(err)
				}
				if err := staged.Commit(height); err != nil {
					t.Fatal(err)
				}
				state = after
			}
			reading.Wait()
			added, sibling := schema.CounterKey(ident.Address{9}, 100), schema.CounterKey(ident.Address{9}, 101)
			staged, err := s.Stage([]schema.Change{{Key: added, Value: []byte("new")}})
			if err != nil {
				t.Fatal(err)
			}
			if err := staged.Commit(151); err != nil {
				t.Fatal(err)
			}
			if near := s.latest.Near(sibling); !bytes.Equal(near, added) && size >= 2_000 {
				t.Errorf("the row near another one of its account is %x, want %x", near, added)
			}
		})
	}
}

// TestRowCacheKeepsRows checks which rows the cache keeps: those that are read, also by readers of older states, and never the
// value of a row that has changed since.
func TestRowCacheKeepsRows(t *testing.T) {
	t.Parallel()
	c := newRowCache(10, make([]byte, 2_000), nil)
	row := func(i int) []byte { return modelKey(4*i + 1) }
	write := func(height uint64, keys ...[]byte) {
		var changes []schema.Change
		for _, key := range keys {
			changes = append(changes, schema.Change{Key: key, Value: fmt.Appendf(nil, "%d", height)})
		}
		c.commit(height, changes)
	}
	check := func(key []byte, height uint64, want string) {
		t.Helper()
		if got, found := c.get(key, height); found != (want != "") || string(got) != want {
			t.Errorf("row %x at height %d is %q (%t), want %q", key, height, got, found, want)
		}
	}
	write(11, row(0))
	c.put(row(0), []byte("older"), 10)
	check(row(0), 11, "11")
	check(row(0), 10, "")
	c.put(row(1), []byte("unchanged"), 10)
	check(row(1), 11, "unchanged")
	check(row(1), 10, "unchanged")
	c.put(row(2), []byte("too old"), 9)
	check(row(2), 11, "")

	for height := uint64(12); height < 100; height++ {
		write(height, schema.CounterKey(ident.Address{1: byte(height)}, 1), schema.CounterKey(ident.Address{1: byte(height)}, 2))
		check(row(1), height, "unchanged") // it is read and therefore kept
	}
	check(row(0), 99, "") // it was not read
	c.put(row(0), []byte("older"), 10)
	check(row(0), 99, "") // its change at height 11 is no longer known
}

// TestRowCacheFloor checks that changes of the latest blocks are cached although one row changes in every block and is never read,
// and that a block without changes is the latest one.
func TestRowCacheFloor(t *testing.T) {
	t.Parallel()
	c := newRowCache(10, make([]byte, 2_000), make([]byte, 2_000))
	hot := schema.CounterKey(ident.Address{1}, 1)
	for height := uint64(11); height < 200; height++ {
		c.commit(height, []schema.Change{
			{Key: hot, Value: fmt.Appendf(nil, "%03d", height)}, {Key: schema.CounterKey(ident.Address{2, byte(height)}, 1), Value: []byte("new")},
		})
		if floor := c.floor(); floor+5 > height && height > 20 {
			t.Fatalf("after block %d the changes since block %d are cached, want those of five blocks", height, floor)
		}
	}
	c.commit(200, nil)
	if near := c.near(schema.CounterKey(ident.Address{1}, 2), 200); near != nil && !bytes.Equal(near, hot) {
		t.Errorf("row %x is near, want none or %x", near, hot)
	}
	scope := schema.AgeScope(modelKey(40))
	c.putFirst(scope, nil, 200)
	if _, known := c.first(scope, 200); !known {
		t.Error("the first age row of the state after a block without changes is not cached")
	}
}

// TestNeighbours checks that a neighbour is a row of the latest state, of the inner scope if it has one, and that other rows that
// are written do not displace it.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	c := newRowCache(10, make([]byte, 2_000), make([]byte, 4_000))
	reaction := func(commit, owner byte) []byte {
		return schema.ReactionByTargetKey(1, ident.Hash{1}, ident.Hash{commit}, ident.Address{owner})
	}
	height := uint64(10)
	commit := func(changes ...schema.Change) {
		height++
		c.commit(height, changes)
	}
	check := func(key, want []byte) {
		t.Helper()
		if got := c.near(key, height); !bytes.Equal(got, want) {
			t.Errorf("row %x is near %x, want %x", got, key, want)
		}
	}
	check(reaction(1, 1), nil)
	commit(schema.Change{Key: reaction(1, 1), Value: []byte("new")}, schema.Change{Key: reaction(2, 1), Value: []byte("new")})
	check(reaction(1, 2), reaction(1, 1))
	check(reaction(2, 2), reaction(2, 1))
	check(reaction(3, 2), reaction(1, 1))
	for i := range byte(100) {
		commit(schema.Change{Key: schema.CounterKey(ident.Address{1}, 1), Value: bytes.Repeat([]byte{i}, 100), Existed: i > 0})
	}
	check(reaction(2, 2), reaction(2, 1))
	commit(schema.Change{Key: reaction(1, 1), Existed: true})
	check(reaction(1, 2), nil)
	check(reaction(3, 2), nil)
	check(reaction(2, 2), reaction(2, 1))
	commit(schema.Change{Key: reaction(1, 3), Value: []byte("new")})
	check(reaction(3, 2), reaction(1, 3))
	if got := c.near(reaction(1, 2), height-1); got != nil {
		t.Errorf("row %x is near in an older state, want none", got)
	}
}
