//go:build !unix

package contentserver

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrInUse is returned by Open when another process has the directory open. It is not detected on this system.
var ErrInUse = errors.New("another process uses the content directory")

func lockDir(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
}
