package merkle_test

import (
	"math/rand/v2"
	"testing"

	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
)

const (
	benchRows  = 1_000_000
	benchBatch = 40_000 // half changes, half additions
)

// benchState builds a tree of random rows.
func benchState(b *testing.B) state {
	b.Helper()
	return benchStateOf(b, merkle.New(2))
}

func benchStateOf(b *testing.B, tree *merkle.Tree) state {
	b.Helper()
	rows := merkletest.NewRows(randomRows(1, benchRows)...)
	v, err := tree.Build(rows.All)
	if err != nil {
		b.Fatal(err)
	}
	return state{v, rows}
}

// BenchmarkUpdate measures batches of writes against a tree of a million rows, without storage.
func BenchmarkUpdate(b *testing.B) { benchmarkUpdate(b, benchState(b)) }

// BenchmarkUpdatePaged is BenchmarkUpdate with a tenth of the rows in memory, and all others in pages that are read without
// a system call. The rows that are written are random: most of them read a page, and evict another one.
func BenchmarkUpdatePaged(b *testing.B) {
	tree, _ := pagedTree(benchRows / 10)
	benchmarkUpdate(b, benchStateOf(b, tree))
}

func benchmarkUpdate(b *testing.B, s state) {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	writes := 0
	for b.Loop() {
		b.StopTimer()
		rows := randomRows(uint64(2+writes), benchBatch/2)
		for range benchBatch / 2 {
			rows = append(rows, s.rows.List()[rng.IntN(s.rows.Len())])
		}
		changes := s.write(rows...)
		b.StartTimer()
		next, err := s.version.Tree().Update(s.version, changes, s.rows)
		if err != nil {
			b.Fatal(err)
		}
		s.version.Release()
		s = state{next, s.rows}.evict(b)
		b.StopTimer()
		s = state{s.version, s.rows.Apply(changes)}
		writes += len(changes)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(writes), "ns/write")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkBuild measures building a tree of a million rows.
func BenchmarkBuild(b *testing.B) {
	s := benchState(b)
	for b.Loop() {
		v, err := s.version.Tree().Build(s.rows.All)
		if err != nil {
			b.Fatal(err)
		}
		v.Release()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkPath measures the path of a row.
func BenchmarkPath(b *testing.B) { benchmarkPath(b, benchState(b)) }

// BenchmarkPathPaged measures the path of a row that is in a page.
func BenchmarkPathPaged(b *testing.B) {
	tree, _ := pagedTree(0)
	benchmarkPath(b, benchStateOf(b, tree))
}

func benchmarkPath(b *testing.B, s state) {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		if _, err := s.version.Path(s.rows.List()[rng.IntN(benchRows)].Key, s.rows); err != nil {
			b.Fatal(err)
		}
	}
}
