//go:build !unix

package contentserver

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// ErrInUse is returned by Open when another process has the directory open. It is not detected on this system.
var ErrInUse = errors.New("another process uses the directory")

// LockDir opens a file of a directory. It locks nothing on this system.
func LockDir(dir string) (io.Closer, error) {
	return os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
}
