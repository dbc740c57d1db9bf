//go:build !windows

package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// hasModes reports that files have permissions.
const hasModes = true

// checkOwner checks that a directory belongs to the user of this process.
func checkOwner(dir string, info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to another user", dir)
	}
	return nil
}

// lock locks a file until the returned function is called or the process ends. It returns ErrRunning if another process has
// locked it.
func lock(path string) (unlock func() error, err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, socketMode)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrRunning
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file.Close, nil
}

// Detach returns the attributes of a process that does not end with the terminal of this one.
func Detach() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
