package fill_test

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// dontNeed is POSIX_FADV_DONTNEED.
const dontNeed = 4

// dropCache writes a file to the disk and removes it from the page cache.
func dropCache(path string) (dropped bool, err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Sync(); err != nil {
		return false, err
	}
	if _, _, errno := syscall.Syscall6(syscall.SYS_FADVISE64, file.Fd(), 0, 0, dontNeed, 0, 0); errno != 0 {
		return false, fmt.Errorf("fadvise %s: %w", path, errno)
	}
	return true, nil
}
