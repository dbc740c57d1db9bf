package fill_test

import (
	"flag"
	"io/fs"
	"path/filepath"
	"testing"

	"makechain/bench/fill"
	"makechain/internal/schema"
	"makechain/internal/store"
	"makechain/proof"
)

// The state of the benchmark.
var (
	benchHome = flag.String("home", "", "home of a stopped node, such as node0 in the directory of --home of the load generator")
	benchRows = flag.Uint64("rows", 1_000_000, "rows of the state that is filled if there is no home")
)

const (
	// sampledKeys is the number of rows that are proven cold, each at most once in less than a second.
	sampledKeys = 1 << 16
	// warmKeys is the number of those that are proven warm, again and again.
	warmKeys = 4096
)

// BenchmarkProofs measures proofs of commits of a large state. Warm, the rows and pages of the tree that are read were read before.
// Cold, none of the files was in the page cache of the system at the start, the store was just opened, and each row is proven once,
// unless the state has so few rows that several of them are in one block of a file.
func BenchmarkProofs(b *testing.B) {
	dir := filepath.Join(*benchHome, fill.StateDir)
	if *benchHome == "" {
		dir = filepath.Join(b.TempDir(), "state")
		newState(b, dir, fill.Options{Rows: *benchRows, Seed: 1, Progress: func(int, int) {}})
	}
	s, state := openState(b, dir)
	keys := sampleKeys(b, state)
	warm(b, state, keys[:warmKeys])
	b.Run("generate warm", func(b *testing.B) { generateProofs(b, state, keys[:warmKeys]) })
	b.Run("verify", func(b *testing.B) { verifyProofs(b, state, keys[:warmKeys]) })
	closeState(b, s, state)
	b.Run("generate cold", func(b *testing.B) {
		if !dropCaches(b, dir) {
			b.Skip("the page cache cannot be dropped on this system")
		}
		s, state := openState(b, dir)
		dropCaches(b, dir) // that opening it has read
		generateProofs(b, state, keys)
		closeState(b, s, state)
	})
}

func openState(b *testing.B, dir string) (*store.Store, *store.Snapshot) {
	b.Helper()
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	state := s.Snapshot()
	b.Logf("%d rows", state.Len())
	return s, state
}

func closeState(b *testing.B, s *store.Store, state *store.Snapshot) {
	b.Helper()
	if err := state.Close(); err != nil {
		b.Error(err)
	}
	if err := s.Close(); err != nil {
		b.Error(err)
	}
}

// sampleKeys returns keys of commits at about equal distances, in scattered order.
func sampleKeys(b *testing.B, state *store.Snapshot) (keys [][]byte) {
	b.Helper()
	for i := range sampledKeys {
		at := uint16(i * 0x9e37) // every number once, because the factor is odd
		lower := []byte{byte(schema.PrefixCommit), byte(at >> 8), byte(at)}
		err := state.Scan(lower, []byte{byte(schema.PrefixCommit) + 1}, func(key, _ []byte) bool {
			keys = append(keys, append([]byte(nil), key...))
			return false
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return keys
}

func warm(b *testing.B, state *store.Snapshot, keys [][]byte) {
	b.Helper()
	for _, key := range keys {
		if _, err := proof.Exists(state, key); err != nil {
			b.Fatal(err)
		}
	}
}

func generateProofs(b *testing.B, state *store.Snapshot, keys [][]byte) {
	b.Helper()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := proof.Exists(state, keys[i%len(keys)]); err != nil {
			b.Fatal(err)
		}
	}
}

func verifyProofs(b *testing.B, state *store.Snapshot, keys [][]byte) {
	b.Helper()
	root, size := state.Root(), 0
	answers := make([]func() error, 0, len(keys))
	for _, key := range keys {
		answer, err := proof.Exists(state, key)
		if err != nil {
			b.Fatal(err)
		}
		size += len(answer.GetProof())
		answers = append(answers, func() error { return proof.VerifyOperation(root, key, answer.GetValue(), answer.GetProof()) })
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := answers[i%len(answers)](); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size)/float64(len(keys)), "proof-bytes")
}

// dropCaches removes all files of a directory from the page cache, and reports whether the system can.
func dropCaches(b *testing.B, dir string) (dropped bool) {
	b.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		dropped, err = dropCache(path)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return dropped
}
