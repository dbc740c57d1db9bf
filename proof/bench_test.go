package proof_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"makechain/internal/ident"
	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
	"makechain/proof"
)

// treeSource reads rows and their state tree, as a node does.
type treeSource struct {
	*merkle.Version
	*merkletest.Rows
}

func (s treeSource) Path(key []byte) ([]proof.Sibling, error) { return s.Version.Path(key, s.Rows) }

func newTreeSource(t testing.TB, rows []merkletest.Row) treeSource {
	t.Helper()
	set := merkletest.NewRows(rows...)
	tree, err := merkle.New(2).Build(set.All)
	if err != nil {
		t.Fatal(err)
	}
	return treeSource{tree, set}
}

// TestStateTree checks that proofs from the state tree equal those from the model.
//
// Rules: T1.3, T3.1, T3.2.
func TestStateTree(t *testing.T) {
	t.Parallel()
	keys := alphabet(3)
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 11))
		m := sample(rng, keys, 1+rng.IntN(6))
		var rows []merkletest.Row
		for _, row := range m.rows {
			rows = append(rows, merkletest.Row{Key: row.key, Value: row.value})
		}
		src := newTreeSource(t, rows)
		if src.Root() != m.root {
			t.Fatalf("seed %d: root %x, want %x", seed, src.Root(), m.root)
		}
		for _, key := range keys {
			present, existsErr := proof.Exists(src, key)
			if want, err := proof.Exists(m, key); (existsErr == nil) != (err == nil) || !bytes.Equal(present.GetProof(), want.GetProof()) {
				t.Fatalf("seed %d: %x: the existence proof differs from the model's: %v", seed, key, existsErr)
			}
			absent, absentErr := proof.Absent(src, key)
			if want, err := proof.Absent(m, key); (absentErr == nil) != (err == nil) || !bytes.Equal(absent.GetProof(), want.GetProof()) {
				t.Fatalf("seed %d: %x: the non-existence proof differs from the model's: %v", seed, key, absentErr)
			}
		}
	}
}

// benchmarkSource returns a state of a million refs in 5,000 projects.
func benchmarkSource(b *testing.B) (src treeSource, projects []ident.Hash) {
	b.Helper()
	const perProject = 200
	rng := rand.NewChaCha8([32]byte{12})
	var rows []merkletest.Row
	for range 5000 {
		var project ident.Hash
		for i := range project {
			project[i] = byte(rng.Uint64())
		}
		projects = append(projects, project)
		for i := range perProject {
			name := binary.BigEndian.AppendUint32([]byte("refs/heads/"), uint32(i))
			rows = append(rows, merkletest.Row{Key: schema.RefKey(project, name), Value: make([]byte, 60)})
		}
	}
	return newTreeSource(b, rows), projects
}

func BenchmarkProofs(b *testing.B) {
	src, projects := benchmarkSource(b)
	root := src.Root()
	keyOf := func(i int) []byte {
		return schema.RefKey(projects[i*2654435761%len(projects)], binary.BigEndian.AppendUint32([]byte("refs/heads/"), uint32(i%200)))
	}
	b.Run("generate operation", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if answer, err := proof.Exists(src, keyOf(i)); err != nil || answer == nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("verify operation", func(b *testing.B) {
		answer, err := proof.Exists(src, keyOf(7))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := proof.VerifyOperation(root, keyOf(7), answer.GetValue(), answer.GetProof()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(answer.GetProof())), "proof-bytes")
	})
	refs := schema.RefKey(projects[3], nil)
	b.Run("generate range of 200", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if page, err := proof.Range(src, refs, 200, nil); err != nil || len(page.GetEntries()) != 200 {
				b.Fatal(err)
			}
		}
	})
	b.Run("verify range of 200", func(b *testing.B) {
		page, err := proof.Range(src, refs, 200, nil)
		if err != nil || !page.GetComplete() {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := proof.VerifyRange(root, refs, nil, page); err != nil {
				b.Fatal(err)
			}
		}
	})
}
