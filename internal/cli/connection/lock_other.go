//go:build !unix

package connection

import (
	"os"

	"makechain/internal/cli/output"
)

// lock opens the file. Locks are not supported on this system: of two updates at a time, one may be lost.
func lock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, output.PrivateMode)
}
