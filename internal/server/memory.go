package server

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// memoryShare is the part of the machine's memory, in percent, that a process uses by default: the rest is for the cache of
// files, which the databases rely on, and for memory that Go does not manage.
const memoryShare = 70

// SetMemoryLimit sets the memory limit of the Go runtime, which collects garbage more often when the process approaches it.
// Zero means a part of the memory of the machine or of the control group of the process. It does nothing if the limit is set
// by GOMEMLIMIT. Servers that are created afterwards derive their limits from it.
func SetMemoryLimit(bytes int64) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if bytes == 0 {
		if bytes = machineMemory(os.ReadFile) / 100 * memoryShare; bytes == 0 {
			return
		}
	}
	debug.SetMemoryLimit(bytes)
}

// machineMemory returns the memory that the process may use: the lowest limit of its control group and the size of the
// machine's memory, or 0 if neither is known.
func machineMemory(readFile func(path string) ([]byte, error)) int64 {
	least := int64(math.MaxInt64)
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := readFile(path); err == nil {
			if value, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && value > 0 { // "max" means none
				least = min(least, value)
			}
		}
	}
	if text, err := readFile("/proc/meminfo"); err == nil {
		var kilobytes int64
		if _, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kilobytes); err == nil && kilobytes > 0 {
			least = min(least, kilobytes<<10)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// MemorySize is a number of bytes as a flag, such as 2GiB.
type MemorySize int64

var memoryUnits = []struct { // read-only: the units of a size
	suffix string
	bytes  int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}

// Set sets the size from its text form.
func (m *MemorySize) Set(text string) error {
	for _, unit := range memoryUnits {
		number, hasSuffix := strings.CutSuffix(text, unit.suffix)
		if !hasSuffix {
			continue
		}
		value, err := strconv.ParseInt(number, 10, 64)
		if err != nil || value < 0 || value > math.MaxInt64/unit.bytes {
			break
		}
		*m = MemorySize(value * unit.bytes)
		return nil
	}
	return fmt.Errorf("%q is not a size such as 1536MiB or 2GiB", text)
}

// String returns the size in its largest whole unit.
func (m *MemorySize) String() string {
	for _, unit := range memoryUnits[:3] {
		if value := int64(*m); value != 0 && value%unit.bytes == 0 {
			return strconv.FormatInt(value/unit.bytes, 10) + unit.suffix
		}
	}
	return strconv.FormatInt(int64(*m), 10)
}

// Type returns the name of the type in help texts.
func (*MemorySize) Type() string { return "size" }
