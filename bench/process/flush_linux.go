package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// flushField is the index of the flush counter in the statistics of a block device.
const flushField = 15

// Flushes returns the number of cache flushes of the disk with a directory since the machine started, by any program. An
// fsync waits for one, so on an otherwise idle machine there are about as many.
func Flushes(dir string) (int64, error) {
	var info syscall.Stat_t
	if err := syscall.Stat(dir, &info); err != nil {
		return 0, fmt.Errorf("find the disk of %s: %w", dir, err)
	}
	device := filepath.Join("/sys/dev/block", fmt.Sprintf("%d:%d", major(info.Dev), minor(info.Dev)))
	// Partitions have no flush counter; the counter of the disk is in the parent directory.
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

// major and minor return the device numbers in Linux encoding.
func major(device uint64) uint64 { return device>>8&0xfff | device>>32&^0xfff }

func minor(device uint64) uint64 { return device&0xff | device>>12&^0xff }
