package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// flushField is the place of the flushes among the counters of a disk.
const flushField = 15

// Flushes is how often the disk that holds a directory has made everything durable since the machine started, for
// whatever program. It is what an fsync waits for, and on a machine that does nothing else about as often.
func Flushes(dir string) (int64, error) {
	var info syscall.Stat_t
	if err := syscall.Stat(dir, &info); err != nil {
		return 0, fmt.Errorf("the disk of %s: %w", dir, err)
	}
	device := filepath.Join("/sys/dev/block", fmt.Sprintf("%d:%d", major(info.Dev), minor(info.Dev)))
	// A part of a disk has no counter of its own; that of the disk lies above it.
	var flushes int64
	for _, path := range []string{filepath.Join(device, "stat"), filepath.Join(device, "..", "stat")} {
		counters, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(counters))
		if len(fields) <= flushField {
			continue
		}
		n, err := strconv.ParseInt(fields[flushField], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		flushes = max(flushes, n)
	}
	return flushes, nil
}

// The numbers of a device, as Linux packs them.
func major(device uint64) uint64 { return device>>8&0xfff | device>>32&^0xfff }

func minor(device uint64) uint64 { return device&0xff | device>>12&^0xff }
