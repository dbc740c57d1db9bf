package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ticksPerSecond is the unit of CPU time in /proc, which is the same on all architectures.
const ticksPerSecond = 100

// Read returns the usage of a process.
func Read(pid int) (Usage, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	var usage Usage
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return usage, err
	}
	if usage.CPU, err = cpuOf(stat); err != nil {
		return usage, err
	}
	status, err := numbers(filepath.Join(dir, "status"))
	if err != nil {
		return usage, err
	}
	usage.Resident, usage.Peak = status["VmRSS"]<<10, status["VmHWM"]<<10
	io, err := numbers(filepath.Join(dir, "io"))
	usage.Written = io["write_bytes"]
	return usage, err
}

// cpuOf returns the user and system time, fields 14 and 15. The second field is the name in parentheses, which may contain
// anything.
func cpuOf(stat []byte) (time.Duration, error) {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const user, system = 14 - 3, 15 - 3
	if len(fields) <= system {
		return 0, fmt.Errorf("no CPU times in %q", stat)
	}
	var ticks int64
	for _, field := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("CPU time of a process: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond, nil
}
