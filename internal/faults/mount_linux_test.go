package faults_test

import (
	"fmt"
	"syscall"
)

// mountSmall puts a disk of so many bytes, in memory, at a directory.
func mountSmall(dir string, size int64) error {
	if err := syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", size)); err != nil {
		return fmt.Errorf("mount %s: %w", dir, err)
	}
	return nil
}

// unmount takes it away.
func unmount(dir string) error {
	if err := syscall.Unmount(dir, 0); err != nil {
		return fmt.Errorf("unmount %s: %w", dir, err)
	}
	return nil
}
