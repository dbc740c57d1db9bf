package agent

import (
	"io/fs"
	"os"
	"syscall"
)

// hasModes reports that files have no permissions: the directory is in the profile of the user.
const hasModes = false

func checkOwner(string, fs.FileInfo) error { return nil }

// lock opens a file that another process cannot open at the same time.
func lock(path string) (unlock func() error, err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, ErrRunning
	}
	return os.NewFile(uintptr(handle), path).Close, nil
}

// Detach returns the attributes of a process that does not end with the console of this one.
func Detach() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
