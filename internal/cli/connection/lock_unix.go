//go:build unix

package connection

import (
	"errors"
	"os"
	"syscall"

	"makechain/internal/cli/output"
)

// lock waits until no other process has the file locked, and locks it until it is closed.
func lock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, output.PrivateMode)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(err, file.Close())
		}
	}
}
