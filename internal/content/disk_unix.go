//go:build unix

package content

import (
	"fmt"
	"syscall"
)

// FreeDisk returns the free bytes of the disk of a directory, for Config.FreeDisk.
func FreeDisk(dir string) (int64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, fmt.Errorf("read the free disk space of %s: %w", dir, err)
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil //nolint:unconvert // the type of Bsize depends on the system
}
