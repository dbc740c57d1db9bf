package store

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"makechain/internal/schema"
)

const (
	benchBatch     = 40_000  // writes of one block, half changes and half additions
	benchLoadBatch = 100_000 // rows of one block while the store is filled
	benchKeySize   = 1 + 32 + 20
	benchValueSize = 100
)

// randomKey returns the key of the i-th row under the load of the spec: the size of a collaborator's key, with random bytes
// after the prefix.
func randomKey(i int) []byte {
	key := make([]byte, benchKeySize)
	key[0] = byte(schema.PrefixCollaborator)
	randomBytes(key[1:], uint64(i))
	return key
}

// projectKey returns the key of the i-th row when all rows are collaborators of a few thousand projects. Their keys share a
// whole project ID, so inserting one requires a read of stored rows.
func projectKey(i int) []byte {
	const projects = 50_000
	key := make([]byte, benchKeySize)
	key[0] = byte(schema.PrefixCollaborator)
	randomBytes(key[1:1+32], uint64(i%projects))
	randomBytes(key[1+32:], uint64(i))
	return key
}

// randomBytes fills b from a seed.
func randomBytes(b []byte, seed uint64) {
	rng := rand.NewPCG(seed, 1)
	for len(b) > 0 {
		word := binary.BigEndian.AppendUint64(nil, rng.Uint64())
		b = b[copy(b, word):]
	}
}

// load applies random writes to a store.
type load struct {
	*Store
	key    func(i int) []byte
	rows   int
	height uint64
	rng    *rand.Rand
}

func openLoad(b *testing.B, dir string, key func(i int) []byte) *load {
	b.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	return &load{
		Store: s, key: key, rows: s.latest.Len(), height: s.latest.height, rng: rand.New(rand.NewPCG(1, 2)),
	}
}

// block returns a block with the given numbers of changed and added rows.
func (l *load) block(changed, added int) []schema.Change {
	changes := make([]schema.Change, 0, changed+added)
	picked := make(map[int]bool, changed)
	for len(picked) < changed {
		if i := l.rng.IntN(l.rows); !picked[i] {
			picked[i] = true
			changes = append(changes, schema.Change{Key: l.key(i), Existed: true})
		}
	}
	for i := range added {
		changes = append(changes, schema.Change{Key: l.key(l.rows + i)})
	}
	slices.SortFunc(changes, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	for i := range changes {
		changes[i].Value = make([]byte, benchValueSize)
		randomBytes(changes[i].Value, l.rng.Uint64())
	}
	l.rows += added
	return changes
}

func (l *load) commit(b *testing.B, changes []schema.Change) {
	b.Helper()
	l.height++
	commit(b, l.Store, l.height, changes)
}

func (l *load) fill(b *testing.B, rows int) {
	b.Helper()
	for l.rows < rows {
		l.commit(b, l.block(0, min(benchLoadBatch, rows-l.rows)))
	}
}

// writeBlocks measures blocks, from their changes to the durable commit.
func (l *load) writeBlocks(b *testing.B) {
	b.Helper()
	writes := 0
	cpu := time.Duration(0)
	for b.Loop() {
		b.StopTimer()
		changes := l.block(benchBatch/2, benchBatch/2)
		before := cpuTime(b)
		b.StartTimer()
		l.commit(b, changes)
		cpu += cpuTime(b) - before
		writes += len(changes)
	}
	b.ReportMetric(float64(writes)/b.Elapsed().Seconds(), "writes/s")
	b.ReportMetric(float64(cpu.Microseconds())/float64(writes), "cpu-us/write")
	b.ReportMetric(0, "ns/op")
}

// cpuTime returns the CPU time of this process on all cores. It does not depend on other processes.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// residentBytes returns the resident memory of this process.
func residentBytes(b *testing.B) float64 {
	b.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	if err != nil {
		b.Fatal(err)
	}
	return float64(pages * os.Getpagesize())
}

// BenchmarkCommit measures blocks of 40,000 writes on a store of a million rows, with random keys and with the keys of
// projects.
//
// Rules: T2/speed.
func BenchmarkCommit(b *testing.B) {
	for name, key := range map[string]func(i int) []byte{"random": randomKey, "projects": projectKey} {
		b.Run(name, func(b *testing.B) {
			l := openLoad(b, b.TempDir(), key)
			l.fill(b, 1_000_000)
			l.writeBlocks(b)
			closeStore(b, l)
		})
	}
}

// BenchmarkTenMillion measures blocks of 40,000 writes that bring a store to ten million rows and the memory it then
// holds, how long it takes to open, and how long the path of a proof takes. It is meant for -benchtime 25x.
//
// Rules: T2/growth, T2/memory, T2/start.
func BenchmarkTenMillion(b *testing.B) {
	const rows, blocks, paths = 10_000_000, 25, 100_000
	dir := b.TempDir()
	l := openLoad(b, dir, randomKey)
	l.fill(b, rows-blocks*benchBatch/2)
	closeStore(b, l)
	debug.FreeOSMemory()
	l = openLoad(b, dir, randomKey)
	l.writeBlocks(b)
	resident := residentBytes(b)
	b.ReportMetric(resident/(1<<20), "resident-MiB")
	b.ReportMetric(resident/float64(l.rows), "resident-bytes/row")
	closeStore(b, l)

	start := time.Now()
	l = openLoad(b, dir, randomKey)
	b.ReportMetric(time.Since(start).Seconds(), "open-s")
	snapshot := l.Snapshot()
	start = time.Now()
	for i := range paths {
		if _, err := snapshot.Path(randomKey(i * (rows / paths / 2))); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(time.Since(start).Nanoseconds())/paths, "ns/path")
	closeStore(b, snapshot)
	closeStore(b, l)
}
