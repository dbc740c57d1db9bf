package process_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"makechain/bench/process"
)

// TestUsage checks that the usage of this process grows.
func TestUsage(t *testing.T) {
	t.Parallel()
	before, err := process.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, 32<<20)
	for start, i := time.Now(), 0; time.Since(start) < 100*time.Millisecond; i++ {
		memory[i*4096%len(memory)]++
	}
	after, err := process.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(memory)
	if after.CPU <= before.CPU || after.Peak < after.Resident || before.Resident <= 0 {
		t.Errorf("%+v, then %+v", before, after)
	}
	if sum := before.Add(after); sum.CPU != before.CPU+after.CPU || sum.Resident != before.Resident+after.Resident {
		t.Errorf("the sum is %+v", sum)
	}
	if _, err := process.Read(-1); err == nil {
		t.Error("the usage of process -1 was read")
	}
}

// TestDiskBytes checks the size of nested directories.
func TestDiskBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"a": 1_000, "inner/b": 234} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := process.DiskBytes(dir); err != nil || got != 1_234 {
		t.Errorf("%d bytes, %v", got, err)
	}
	if got, err := process.DiskBytes(filepath.Join(dir, "missing")); err != nil || got != 0 {
		t.Errorf("a missing directory has %d bytes, %v", got, err)
	}
}

// TestFlushes checks that an fsync does not decrease the counter. Some disks do not count flushes.
func TestFlushes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before, err := process.Flushes(dir)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "synced"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("durable"); err != nil {
		t.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := process.Flushes(dir)
	if err != nil || after < before {
		t.Errorf("%d flushes, then %d: %v", before, after, err)
	}
	if _, err := process.Flushes(filepath.Join(dir, "missing")); err == nil {
		t.Error("flushes of a missing directory were read")
	}
}

// TestThisMachine checks the description of the machine.
func TestThisMachine(t *testing.T) {
	t.Parallel()
	if machine := process.ThisMachine(); machine.Cores < 1 || machine.System == "" || machine.Go == "" || machine.Memory <= 0 {
		t.Errorf("%+v", machine)
	}
}
