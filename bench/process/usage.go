package process

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"
)

// Usage is the resource usage of a process since its start.
type Usage struct {
	CPU      time.Duration
	Resident int64 // bytes of memory
	Peak     int64 // maximum of Resident
	Written  int64 // bytes written to the disk
}

// Add returns the sum of two usages.
func (u Usage) Add(other Usage) Usage {
	return Usage{u.CPU + other.CPU, u.Resident + other.Resident, u.Peak + other.Peak, u.Written + other.Written}
}

// DiskBytes returns the total size of the files in a directory, which may change concurrently.
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
