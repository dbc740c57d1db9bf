//go:build unix

package contentserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// ErrInUse is returned by Open when another process has the directory open.
var ErrInUse = errors.New("another process uses the content directory")

// lockDir locks a directory until the file is closed or the process ends.
func lockDir(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = fmt.Errorf("%w %s", ErrInUse, dir)
		}
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
