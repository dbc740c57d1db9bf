package testnet

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// ownProcessGroup puts a process into a group of its own, which does not receive Ctrl-C of the console.
func ownProcessGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// terminate asks a process to exit. Windows has no SIGTERM; Go delivers a Ctrl-Break event as os.Interrupt.
func terminate(p *os.Process) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.Pid))
}
