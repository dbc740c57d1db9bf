package process

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"
)

// Usage is what a process has used since it began.
type Usage struct {
	CPU      time.Duration
	Resident int64 // bytes of memory now
	Peak     int64 // bytes of memory at most
	Written  int64 // bytes that went to the disk
}

// Add sums what several processes use.
func (u Usage) Add(other Usage) Usage {
	return Usage{u.CPU + other.CPU, u.Resident + other.Resident, u.Peak + other.Peak, u.Written + other.Written}
}

// DiskBytes is the size of all files of a directory, which may change meanwhile.
func DiskBytes(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = entry.Info(); err == nil {
				total += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return total, err
}
