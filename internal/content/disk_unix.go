//go:build unix

package content

import (
	"fmt"
	"syscall"
)

// DiskOf returns the free bytes and the size of the disk of a directory, for Config.Disk.
func DiskOf(dir string) (free, size int64, err error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, 0, fmt.Errorf("read the free disk space of %s: %w", dir, err)
	}
	block := int64(stat.Bsize) //nolint:unconvert // its type depends on the system
	return int64(stat.Bavail) * block, int64(stat.Blocks) * block, nil
}
