package snapshot

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/internal/store"
)

// rowMaker generates random rows with their derived rows.
type rowMaker struct {
	rng  *rand.Rand
	most int  // bytes of padding
	mask byte // of the random bits in the padding
	rows map[string][]byte
}

func newRowMaker(seed uint64, most int) *rowMaker {
	return &rowMaker{rng: rand.New(rand.NewPCG(seed, 0)), most: most, mask: 0xff, rows: map[string][]byte{}}
}

func (m *rowMaker) hash() ident.Hash { return ident.Hash{byte(m.rng.IntN(3)), byte(m.rng.IntN(256))} }

func (m *rowMaker) address() ident.Address { return ident.Address{byte(m.rng.IntN(3))} }

// value returns a timestamp, which every row with a tombstone has, and padding that does not compress well.
func (m *rowMaker) value(timestamp uint32) []byte {
	padding := make([]byte, m.rng.IntN(m.most+1))
	for i := range padding {
		padding[i] = byte(m.rng.Uint32()) & m.mask
	}
	value := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(timestamp))
	return protowire.AppendBytes(protowire.AppendTag(value, 99, protowire.BytesType), padding)
}

// add adds one row of a random kind. It keeps an existing row.
func (m *rowMaker) add() {
	timestamp := uint32(m.rng.IntN(5) + 1)
	member := schema.CollaboratorKey(m.hash(), m.address())
	requester, project := m.address(), m.hash()
	switch m.rng.IntN(5) {
	case 0:
		m.put(schema.AccountMetadataKey(m.address(), byte(m.rng.IntN(9))), m.value(timestamp), nil)
	case 1:
		m.put(member, m.value(timestamp), schema.AgeKey(member, timestamp))
	case 2:
		star := schema.LinkKey(m.address(), byte(pb.LinkType_LINK_TYPE_STAR), project[:])
		tombstone := schema.TombstoneKey(star)
		m.put(tombstone, m.value(timestamp), schema.AgeKey(tombstone, timestamp))
	case 3:
		row := protowire.AppendBytes(protowire.AppendTag(nil, 99, protowire.BytesType), m.value(1))
		commit := m.hash() // a row without a block number belongs to block 0
		m.put(schema.CommitKey(project, commit), row, schema.CommitAgeKey(project, 0, commit))
	default:
		m.put(schema.MergeRequestByRequesterKey(requester, ident.Hash{1}, m.hash()), m.value(timestamp), nil)
	}
}

func (m *rowMaker) put(key, value, derived []byte) {
	if m.rows[string(key)] != nil {
		return
	}
	m.rows[string(key)] = value
	if derived != nil {
		m.rows[string(derived)] = schema.Present
	}
}

// changes returns all rows in order, with the counts of merge requests.
func (m *rowMaker) changes() []schema.Change {
	counts := map[ident.Address]uint32{}
	var changes []schema.Change
	for key, value := range m.rows {
		changes = append(changes, schema.Change{Key: []byte(key), Value: value})
		if schema.Prefix(key[0]) == schema.PrefixMergeRequestByRequester {
			counts[ident.Address([]byte(key[1:1+ident.AddressSize]))]++
		}
	}
	for requester, count := range counts {
		value := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(count))
		changes = append(changes, schema.Change{Key: schema.MergeRequestPairKey(requester, ident.Hash{1}), Value: value})
	}
	slices.SortFunc(changes, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	return changes
}

// fill commits rows in blocks of blockSize.
func fill(t testing.TB, s *store.Store, rows []schema.Change, blockSize int) {
	t.Helper()
	height := uint64(0)
	for block := range slices.Chunk(rows, blockSize) {
		staged, err := s.Stage(block)
		if err != nil {
			t.Fatal(err)
		}
		height++
		if err := staged.Commit(height); err != nil {
			t.Fatal(err)
		}
	}
}

// manyRows returns the rows of a state with several chunks.
func manyRows(seed uint64) []schema.Change {
	m := newRowMaker(seed, 20_000)
	for range 400 {
		m.add()
	}
	return m.changes()
}

// TestRandomStates checks that states with random rows are restored.
//
// Rules: T1.1.
func TestRandomStates(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	rapid.Check(t, func(draw *rapid.T) {
		m := newRowMaker(rapid.Uint64().Draw(draw, "seed"), rapid.SampledFrom([]int{0, 100, 60_000}).Draw(draw, "padding"))
		for range rapid.IntRange(1, 60).Draw(draw, "rows") {
			m.add()
		}
		rows := m.changes()
		source, target := openStore(t, 1), openStore(t, 1)
		defer closeStore(t, source)
		defer closeStore(t, target)
		fill(t, source, rows, len(rows))
		if err := os.RemoveAll(path); err != nil {
			draw.Fatal(err)
		}
		d := openDir(t, path, 1)
		p := load(t, d, take(t, d, source))
		if err := p.restore(restorerOf(target), p.Root); err != nil {
			draw.Fatal(err)
		}
		got := slices.DeleteFunc(rowsOf(t, target), func(row schema.Change) bool { return row.Key[0] >= store.FirstIndexPrefix })
		if diff := diffRows(rows, got); diff != "" {
			draw.Fatalf("taken (-) and restored (+) rows differ:\n%s", diff)
		}
	})
}

// TestSameBytes checks that snapshots of one state have the same bytes, whichever blocks led to it, with any parallelism, and
// when taken from a restored store.
//
// Rules: T1.1, I1.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	rows := manyRows(1)
	blocks := []int{len(rows)/10 + 1, len(rows)/10 + 1, len(rows)/10 + 1}
	var taken []parts
	for i, size := range blocks {
		s := newStore(t, 1+3*i)
		if i == 2 { // the same rows at the same height, in different blocks
			slices.SortStableFunc(rows, func(a, b schema.Change) int { return int(a.Key[len(a.Key)-1]&1) - int(b.Key[len(b.Key)-1]&1) })
			for block := range slices.Chunk(rows, size) {
				slices.SortFunc(block, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
			}
		}
		fill(t, s, rows, size)
		d := openDir(t, t.TempDir(), 1)
		taken = append(taken, load(t, d, take(t, d, s)))
	}
	restored := newStore(t, 2)
	if err := taken[0].restore(restorerOf(restored), taken[0].Root); err != nil {
		t.Fatal(err)
	}
	d := openDir(t, t.TempDir(), 1)
	taken = append(taken, load(t, d, take(t, d, restored)))
	if len(taken[0].chunks) < 3 {
		t.Errorf("%d chunks, want at least 3", len(taken[0].chunks))
	}
	for i, other := range taken[1:] {
		if diff := cmp.Diff(taken[0].Manifest, other.Manifest); diff != "" {
			t.Errorf("manifest %d differs:\n%s", i+1, diff)
		}
		if !slices.EqualFunc(taken[0].chunks, other.chunks, bytes.Equal) {
			t.Errorf("chunks of %d differ", i+1)
		}
	}
}

// TestEmptyState checks that a state without rows, at a height above 0, is taken and restored.
func TestEmptyState(t *testing.T) {
	t.Parallel()
	s, target := newStore(t, 1), newStore(t, 1)
	staged, err := s.Stage(nil)
	if err := errors.Join(err, staged.Commit(7)); err != nil {
		t.Fatal(err)
	}
	d := openDir(t, t.TempDir(), 1)
	p := load(t, d, take(t, d, s))
	if len(p.chunks) != 1 || len(p.chunks[0]) == 0 {
		t.Errorf("the chunks are %x", p.chunks)
	}
	if err := p.restore(restorerOf(target), p.Root); err != nil {
		t.Fatal(err)
	}
	latest := target.Snapshot()
	if latest.Height() != 7 || latest.Len() != 0 {
		t.Errorf("height %d and %d rows", latest.Height(), latest.Len())
	}
	if err := latest.Close(); err != nil {
		t.Error(err)
	}
}
