package snapshot

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/internal/store"
)

// benchRows is the number of rows of the measured states. The time grows linearly with it.
const benchRows = 100_000

// benchState returns a store with commits of a hundred projects, the most frequent kind of row.
func benchState(b *testing.B) *store.Store {
	b.Helper()
	s := newStore(b, 2)
	for height := uint64(1); height <= 100; height++ {
		var project ident.Hash
		binary.BigEndian.PutUint64(project[:], height)
		m := &rowMaker{rows: map[string][]byte{}}
		for i := range benchRows / 100 {
			commit := blake3.Sum256(binary.BigEndian.AppendUint64(project[:], uint64(i)))
			value, err := schema.Encode(&pb.CommitRow{
				TreeRoot: commit[:], MessageHash: project[:], AuthorAddress: commit[:ident.AddressSize], Title: "a title of some length",
				BlockNumber: height, BundleTimestamp: 1_700_000_000,
			})
			if err != nil {
				b.Fatal(err)
			}
			m.put(schema.CommitKey(project, commit), value, schema.CommitAgeKey(project, height, commit))
		}
		staged, err := s.Stage(m.changes())
		if err != nil {
			b.Fatal(err)
		}
		if err := staged.Commit(height); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

func BenchmarkTake(b *testing.B) {
	s := benchState(b)
	path := b.TempDir()
	var size uint64
	for b.Loop() {
		if err := os.RemoveAll(path); err != nil {
			b.Fatal(err)
		}
		size = take(b, openDir(b, path, 1), s).Size
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(size)/benchRows, "bytes/row")
}

func BenchmarkRestore(b *testing.B) {
	d := openDir(b, b.TempDir(), 1)
	p := load(b, d, take(b, d, benchState(b)))
	for b.Loop() {
		target := openStore(b, 2)
		if err := p.restore(restorerOf(target), p.Root); err != nil {
			b.Fatal(err)
		}
		closeStore(b, target)
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
}
