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
	rows := merkletest.NewRows(randomRows(1, benchRows)...)
	v, err := merkle.New(2).Build(rows.All)
	if err != nil {
		b.Fatal(err)
	}
	return state{v, rows}
}

// BenchmarkUpdate measures batches of writes against a tree of a million rows, without storage.
func BenchmarkUpdate(b *testing.B) {
	s := benchState(b)
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
		b.StopTimer()
		s = state{next, s.rows.Apply(changes)}
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
func BenchmarkPath(b *testing.B) {
	s := benchState(b)
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		if _, err := s.version.Path(s.rows.List()[rng.IntN(benchRows)].Key); err != nil {
			b.Fatal(err)
		}
	}
}
