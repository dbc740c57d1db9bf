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

// ticksPerSecond is the unit of processor time in /proc, the same on all machines that Go runs on.
const ticksPerSecond = 100

// Read tells what a process uses.
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

// cpuOf reads the times of user and system, fields 14 and 15. The second field is the name in brackets, which may hold
// anything.
func cpuOf(stat []byte) (time.Duration, error) {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const user, system = 14 - 3, 15 - 3
	if len(fields) <= system {
		return 0, fmt.Errorf("the times of a process are missing in %q", stat)
	}
	var ticks int64
	for _, field := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("the times of a process: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond, nil
}
