//go:build unix

package contentserver

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// ErrInUse is returned by Open when another process has the directory open.
var ErrInUse = errors.New("another process uses the directory")

// dirLock is a locked file.
type dirLock struct{ *os.File }

// Close unlocks the file and closes it. Closing alone would not unlock it while another process is being started, which has
// the file open until it runs its own program.
func (l dirLock) Close() error {
	return errors.Join(syscall.Flock(int(l.Fd()), syscall.LOCK_UN), l.File.Close())
}

// LockDir locks a directory until the result is closed or the process ends.
func LockDir(dir string) (io.Closer, error) {
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
	return dirLock{file}, nil
}
