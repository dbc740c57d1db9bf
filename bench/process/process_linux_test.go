package process_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"makechain/bench/process"
)

// TestUsage reads what this process uses before and after it has used more.
func TestUsage(t *testing.T) {
	t.Parallel()
	before, err := process.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, 32<<20)
	for begin, i := time.Now(), 0; time.Since(begin) < 100*time.Millisecond; i++ {
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
		t.Errorf("together %+v", sum)
	}
	if _, err := process.Read(-1); err == nil {
		t.Error("a process that cannot be uses something")
	}
}

// TestDiskBytes sums files in directories within one another.
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
		t.Errorf("nothing has %d bytes, %v", got, err)
	}
}

// TestFlushes has a disk make something durable, and sees at least that it does not count backwards: some disks do not
// count at all.
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
		t.Error("a directory that is not there lies on a disk")
	}
}

// TestThisMachine says what figures were measured on.
func TestThisMachine(t *testing.T) {
	t.Parallel()
	if machine := process.ThisMachine(); machine.Cores < 1 || machine.System == "" || machine.Go == "" || machine.Memory <= 0 {
		t.Errorf("%+v", machine)
	}
}
