package merkle_test

import (
	"errors"
	"slices"
	"testing"

	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
)

// TestFewSeeks checks that inserting rows with random keys rarely reads stored rows.
//
// Rules: T2/update.
func TestFewSeeks(t *testing.T) {
	t.Parallel()
	tree := merkle.New(1)
	s := state{tree.Empty(), merkletest.NewRows()}
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

// TestGrowth checks that the number of nodes created by a batch less than doubles in a tree with ten times the rows.
//
// Rules: T2/growth.
func TestGrowth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds large trees")
	}
	const rows, writes = 20_000, 800 // as 1,000,000 to 40,000
	created := func(rows int) int {
		s := state{merkle.New(1).Empty(), merkletest.NewRows()}
		s = s.next(t, s.write(randomRows(1, rows)...))
		next := s.next(t, s.write(slices.Concat(s.rows.List()[:writes/2], randomRows(2, writes/2))...))
		return next.version.Added()
	}
	small, large := created(rows), created(10*rows)
	if large >= 2*small {
		t.Errorf("%d nodes created by %d writes to %d rows, %d with ten times the rows", small, writes, rows, large)
	}
}

// countedRows counts seeks, or fails them all.
type countedRows struct {
	merkle.Rows
	seeks int
	fail  error
}

type countedSeeker struct {
	merkle.Seeker
	rows *countedRows
}

func (r *countedRows) Seeker() (merkle.Seeker, error) {
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

// TestUpdateErrors checks the errors of invalid updates, and that no node of the failed version remains.
//
// Rules: T2/update.
func TestUpdateErrors(t *testing.T) {
	t.Parallel()
	errDisk := errors.New("read error")
	long := func(tail string) []byte { return []byte("sixteen bytes or more: " + tail) }
	stored := merkletest.NewRows(kv([]byte("a"), nil), kv([]byte("b"), nil), kv(long("x"), nil), kv(long("y"), nil))
	tests := []struct {
		name    string
		changes []schema.Change
		rows    merkle.Rows
		want    error
	}{
		{"out of order", []schema.Change{{Key: []byte("d"), Value: []byte{}}, {Key: []byte("c"), Value: []byte{}}}, stored, merkle.ErrOrder},
		{"a key twice", []schema.Change{{Key: []byte("c"), Value: []byte{}}, {Key: []byte("c"), Value: []byte{}}}, stored, merkle.ErrOrder},
		{"long key", []schema.Change{{Key: make([]byte, merkle.MaxKeySize+1), Value: []byte{}}}, stored, merkle.ErrKeySize},
		{"new row exists", []schema.Change{{Key: []byte("a"), Value: []byte{}}}, stored, merkle.ErrExisted},
		{"new row exists, long key", []schema.Change{{Key: long("x"), Value: []byte{}}}, stored, merkle.ErrExisted},
		{"changed row is new", []schema.Change{{Key: []byte("c"), Value: []byte{}, Existed: true}}, stored, merkle.ErrExisted},
		{"changed row is new beside a real one", []schema.Change{
			{Key: []byte("a"), Value: []byte{}, Existed: true}, {Key: []byte("a0"), Value: []byte{}, Existed: true},
		}, stored, merkle.ErrExisted},
		{"deleted row is new", []schema.Change{{Key: []byte("ab"), Existed: true}}, stored, merkle.ErrExisted},
		{"rows of another tree", []schema.Change{{Key: long("z"), Value: []byte{}}}, merkletest.NewRows(), merkle.ErrRows},
		{"failing rows", []schema.Change{{Key: long("z"), Value: []byte{}}}, &countedRows{Rows: stored, fail: errDisk}, errDisk},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree := merkle.New(2)
			base, err := tree.Build(stored.All)
			if err != nil {
				t.Fatal(err)
			}
			// Two valid rows come first, so that the failed update has created nodes.
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
