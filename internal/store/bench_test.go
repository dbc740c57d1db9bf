package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
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

// benchKey is the key of the i-th row: the size of a collaborator's key, all bytes behind the prefix random.
func benchKey(i int) []byte {
	key := make([]byte, benchKeySize+3)
	key[0] = byte(schema.PrefixCollaborator)
	rng := rand.NewPCG(uint64(i), 1)
	for at := 1; at+8 <= len(key); at += 8 {
		binary.BigEndian.PutUint64(key[at:], rng.Uint64())
	}
	return key[:benchKeySize]
}

// load is a store that is being filled.
type load struct {
	*Store
	rows   int
	height uint64
	rng    *rand.Rand

	staging time.Duration
}

// block makes a block of the given numbers of changed and added rows, with values no other block has.
func (l *load) block(changed, added int) []schema.Change {
	picked := make(map[int]bool, changed)
	for len(picked) < changed {
		picked[l.rng.IntN(l.rows)] = true
	}
	changes := make([]schema.Change, 0, changed+added)
	for i := range picked {
		changes = append(changes, schema.Change{Key: benchKey(i), Existed: true})
	}
	for i := range added {
		changes = append(changes, schema.Change{Key: benchKey(l.rows + i)})
	}
	slices.SortFunc(changes, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	for i := range changes {
		value := make([]byte, benchValueSize)
		for at := 0; at+8 <= len(value); at += 8 {
			binary.BigEndian.PutUint64(value[at:], l.rng.Uint64())
		}
		changes[i].Value = value
	}
	l.rows += added
	return changes
}

func (l *load) commit(b *testing.B, changes []schema.Change) {
	start := time.Now()
	staged, err := l.Stage(changes)
	if err != nil {
		b.Fatal(err)
	}
	l.staging += time.Since(start)
	l.height++
	if err := staged.Commit(l.height); err != nil {
		b.Fatal(err)
	}
}

func (l *load) fill(b *testing.B, rows int) {
	for l.rows < rows {
		l.commit(b, l.block(0, min(benchLoadBatch, rows-l.rows)))
	}
}

// writeBlocks measures blocks, from their changes to the durable commit.
func (l *load) writeBlocks(b *testing.B) {
	writes := 0
	l.staging = 0
	for b.Loop() {
		b.StopTimer()
		changes := l.block(benchBatch/2, benchBatch/2)
		b.StartTimer()
		l.commit(b, changes)
		writes += len(changes)
	}
	b.ReportMetric(float64(writes)/b.Elapsed().Seconds(), "writes/s")
	b.ReportMetric(float64(l.staging.Milliseconds())/float64(b.N), "stage-ms/block")
}

func openLoad(b *testing.B, dir string) *load {
	s, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	return &load{Store: s, rng: rand.New(rand.NewPCG(1, 2))}
}

// BenchmarkCommit measures a store of a million rows.
func BenchmarkCommit(b *testing.B) {
	l := openLoad(b, b.TempDir())
	l.fill(b, 1_000_000)
	l.writeBlocks(b)
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
}

// residentBytes is the memory of this process that is in use.
func residentBytes(b *testing.B, field string) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				b.Fatal(err)
			}
			return float64(kib) * 1024
		}
	}
	b.Fatal("no " + field)
	return 0
}

// BenchmarkTenMillion measures a store of ten million rows: opening it, its memory, paths and blocks.
func BenchmarkTenMillion(b *testing.B) {
	const rows = 10_000_000
	dir := os.Getenv("BENCHDIR")
	if dir == "" {
		dir = b.TempDir()
	}
	l := openLoad(b, dir)
	if n := l.latest.Len(); n == 0 {
		start := time.Now()
		l.fill(b, rows)
		fmt.Fprintf(os.Stderr, "\n"+"filled at %.0f rows/s", rows/time.Since(start).Seconds())
	} else {
		l.rows = n
		l.height = l.latest.height
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	n, h := l.rows, l.height
	l = nil
	debug.FreeOSMemory()
	fmt.Fprintf(os.Stderr, "\n"+"closed: rss %.0f", residentBytes(b, "VmRSS"))
	start := time.Now()
	l = openLoad(b, dir)
	l.rows, l.height = n, h
	b.ReportMetric(time.Since(start).Seconds(), "open-s")
	fmt.Fprintf(os.Stderr, "\n"+"opened: rss %.0f", residentBytes(b, "VmRSS"))

	snap := l.Snapshot()
	start = time.Now()
	for i := range 100_000 {
		if _, err := snap.Path(benchKey(i)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(time.Since(start).Nanoseconds())/100_000, "ns/path")
	snap.Close()
	l.writeBlocks(b)
	fmt.Fprintf(os.Stderr, "\n"+"rss %.0f  hwm %.0f", residentBytes(b, "VmRSS"), residentBytes(b, "VmHWM"))
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
}
