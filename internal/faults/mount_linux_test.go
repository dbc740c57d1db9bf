package faults_test

import (
	"fmt"
	"syscall"
)

// mountSmall mounts a tmpfs of the given size.
func mountSmall(dir string, size int64) error {
	if err := syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", size)); err != nil {
		return fmt.Errorf("mount %s: %w", dir, err)
	}
	return nil
}

// unmount unmounts it.
func unmount(dir string) error {
	if err := syscall.Unmount(dir, 0); err != nil {
		return fmt.Errorf("unmount %s: %w", dir, err)
	}
	return nil
}
